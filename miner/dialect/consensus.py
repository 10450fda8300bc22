"""Consensus clustering: which groups of varieties come back whatever is drawn, and whether that is more than chance.

Four things vary: the starts of k-means, the features (resampled inside grammar areas), the encoding with its rule for
open cells, and the draws of imputed cells. Each source is looked at alone, with all others at their default, then all
together. The null has the same ratings, permuted over the varieties within each feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.blas import one_thread
from miner.dialect.encoding import encode
from miner.dialect.hierarchy import cut, joins
from miner.dialect.imputation import Imputer, imputer
from miner.dialect.kmeans import best_partitions
from miner.dialect.membership import membership_table
from miner.dialect.partitions import adjusted_rand, comembership, permutation_p, rand_matrix
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.resampling import feature_resamples
from miner.errors import TooFew
from miner.ledger import Ledger
from miner.signature import DEFAULT_SEED, Signature

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Source = Literal["starts", "features", "encodings", "imputations", "together"]
SOURCES: tuple[Source, ...] = ("starts", "features", "encodings", "imputations", "together")
#: The sources on which the answer rests, and which are compared with the null.
DECIDING: tuple[Source, ...] = ("features", "together")
#: Least mean adjusted Rand index of a supported k: .65 is where Steinley (2004, Psychol. Methods 9, 386-396) lets
#: "moderate" recovery begin.
LEAST_ARI = 0.65
#: Choices that an analyst may make: encoding, and rule for open cells.
CHOICES = tuple(
    (encoding, missing)
    for encoding, rules in (
        ("ordinal", ("impute-neighbour", "impute-area")),
        ("binary", ("impute-neighbour", "impute-area")),
        ("trans-env", ("zero", "impute-neighbour")),
        ("multi-value", ("zero", "impute-neighbour")),
    )
    for missing in rules
)
DEFAULT_CHOICE = CHOICES[0]

_STARTS = 10


@dataclass(frozen=True, eq=False)
class Consensus:
    """What consensus clustering found.

    Parameters
    ----------
    stability, comembership, membership, agreement : DataFrame
        :data:`miner.tables.STABILITY`, :data:`~miner.tables.COMEMBERSHIP`, :data:`~miner.tables.MEMBERSHIP`,
        :data:`~miner.tables.AGREEMENT`.
    supported : tuple of int
        Numbers of clusters that are stable and beyond the null; empty: no grouping can be claimed.
    matrices : mapping of (source, k) to ndarray, shape (n_varieties, n_varieties)
        Co-membership.
    answer : str
        The finding in one sentence.
    ledger : Ledger
        Varieties: read, kept, left out; features that nobody is rated for are noted, and play no part.
    signature : Signature
    """

    stability: pd.DataFrame
    comembership: pd.DataFrame
    membership: pd.DataFrame
    agreement: pd.DataFrame
    supported: tuple[int, ...]
    matrices: Mapping[tuple[str, int], Floats]
    answer: str
    ledger: Ledger
    signature: Signature


def consensus(
    ratings: Ratings | None = None,
    *,
    ks: Iterable[int] = range(2, 9),
    resamples: int = 200,
    nulls: int = 39,
    permutations: int = 999,
    seed: int = DEFAULT_SEED,
    progress: Callable[[int, int], None] | None = None,
) -> Consensus:
    """Cluster varieties many times and tell what is stable.

    Parameters
    ----------
    ratings : Ratings, optional
        The bundled eWAVE table by default; varieties without any rating A, B, C, D are left out.
    ks : iterable of int
        Numbers of clusters.
    resamples : int
        Partitions per source (for ``encodings``: one per choice).
    nulls : int
        Permuted data sets, each clustered a tenth as often (at least 10 times) as the data.
    permutations : int
        Behind the p of the agreement with eWAVE's types and regions.
    seed : int
        Each source and null has its own generator.
    progress : callable, optional
        Called with (done, total).

    Returns
    -------
    Consensus

    Raises
    ------
    TooFew
        With fewer than 4 rated varieties, or fewer than 2 resamples.
    """
    ratings = read_ratings() if ratings is None else ratings
    rated, ledger = _rated(ratings)
    ks = sorted({k for k in ks if 2 <= k < len(rated.grid)})
    if len(rated.grid) < 4 or resamples < 2 or not ks:
        msg = f"Consensus needs at least 4 rated varieties, 2 resamples, and every k at least 2 and below the number of varieties; got {len(rated.grid)} varieties, {resamples} resamples"
        raise TooFew(msg)
    told = progress or (lambda _done, _total: None)
    total = len(SOURCES) + nulls
    found: dict[tuple[str, int], Labels] = {}
    for i, source in enumerate(SOURCES):
        labels = _partitions(rated, source, ks, resamples, np.random.default_rng([seed, 10 + i]))
        found |= {(source, k): p for k, p in labels.items()}
        told(i + 1, total)
    null: dict[tuple[str, int], list[float]] = {(s, k): [] for s in DECIDING for k in ks}
    for j in range(nulls):
        rng = np.random.default_rng([seed, 20, j])
        shuffled = replace(rated, grid=rng.permuted(rated.grid, axis=0))
        for source in DECIDING:
            for k, p in _partitions(shuffled, source, ks, max(10, resamples // 10), rng).items():
                null[source, k].append(_mean_pair(rand_matrix(p)))
        told(len(SOURCES) + j + 1, total)
    stability = tables.conform([_stability(s, k, p, null.get((s, k))) for (s, k), p in found.items()], tables.STABILITY)
    supported = _supported(stability, ks)
    matrices = {key: comembership(p) for key, p in found.items()}
    consensus_of = {k: cut(joins(1 - matrices["together", k]), k) for k in ks}
    return Consensus(
        stability,
        _comembership_table(rated, matrices),
        membership_table(rated, consensus_of, matrices, supported),
        _agreement(rated, consensus_of, found, permutations, seed),
        supported,
        matrices,
        _answer(supported, ks, stability),
        ledger,
        Signature.of(
            "dialect",
            preset="consensus",
            ratings=ratings.signature,
            encoding="4 encodings",
            missing="imputed or zero",
            cluster=f"kmeans,k={ks[0]}-{ks[-1]},consensus",
            n=f"{resamples} resamples,{nulls} nulls",
            seed=seed,
        ),
    )


def _rated(ratings: Ratings) -> tuple[Ratings, Ledger]:
    ledger = Ledger("consensus", "varieties")
    inside = np.asarray(ratings.rated.any(axis=1))
    for name in ratings.varieties["variety"][~inside]:
        ledger.drop("no rating A, B, C or D", place=str(name))
    ledger.keep(int(inside.sum()))
    for feature in ratings.features["feature_id"][~np.asarray(ratings.rated.any(axis=0))]:
        ledger.note("feature that no variety is rated for: plays no part", place=str(feature))
    return ratings.take([int(i) for i in np.flatnonzero(inside)]), ledger


def _partitions(ratings: Ratings, source: Source, ks: list[int], n: int, rng: np.random.Generator) -> dict[int, Labels]:
    """Return n partitions (one per choice for encodings) for each k, with what ``source`` names drawn anew in each."""
    products = np.stack([_products(v) for v in _data(ratings, source, n, rng)])
    starts = 1 if source == "starts" else _STARTS
    return {k: best_partitions(products, k, starts=starts, rng=rng, refined=source != "starts") for k in ks}


def _data(ratings: Ratings, source: Source, n: int, rng: np.random.Generator) -> list[Floats]:
    choices = CHOICES if source in ("encodings", "together") else (DEFAULT_CHOICE,)
    donors = {rule: imputer(encode(ratings, "ordinal", rule)) for rule in dict.fromkeys(r for _, r in choices)}
    sources: list[Imputer] = [donors[rule].under(encoding) for encoding, rule in choices]
    if source == "encodings":
        return [s.expected() for s in sources]
    if source == "starts":
        return [sources[0].expected()] * n
    if source == "imputations":
        return [sources[0].draw(rng) for _ in range(n)]
    counts = feature_resamples(ratings, n, rng)
    if source == "features":
        value = sources[0].expected()
        return [value * np.sqrt(c) for c in counts]
    which = rng.permutation(np.arange(n) % len(sources))  # every choice equally often
    return [sources[w].draw(rng) * np.sqrt(c) for w, c in zip(which, counts, strict=True)]


def _products(values: Floats) -> Floats:
    # A feature drawn c times counts c times: its column is scaled by the root of c. Features open everywhere are left out.
    complete = values[:, ~np.isnan(values).any(axis=0)]
    centred = complete - complete.mean(axis=0)
    with one_thread():
        return np.asarray(centred @ centred.T)


def _mean_pair(matrix: Floats) -> float:
    return float(matrix[np.triu_indices(len(matrix), 1)].mean())


def _stability(source: str, k: int, partitions: Labels, null: list[float] | None) -> dict[str, Any]:
    pairs = rand_matrix(partitions)[np.triu_indices(len(partitions), 1)]
    together = comembership(partitions)[np.triu_indices(partitions.shape[1], 1)]
    row: dict[str, Any] = dict.fromkeys(tables.STABILITY.names)
    row |= {"source": source, "k": k, "replicates": len(partitions), "ari": float(pairs.mean()), "reason": ""}
    row["ari_low"], row["ari_high"] = np.percentile(pairs, [2.5, 97.5])
    row["ambiguous"] = float(((together >= 0.1) & (together <= 0.9)).mean())
    if null:
        high = float(np.percentile(null, 95))
        row |= {"null_ari": float(np.mean(null)), "null_high": high, "nulls": len(null)}
        row["p"] = (sum(v >= pairs.mean() for v in null) + 1) / (len(null) + 1)
    if null is not None:
        reasons = [f"mean adjusted Rand index below {LEAST_ARI:g}"] if pairs.mean() < LEAST_ARI else []
        if null and pairs.mean() <= row["null_high"]:
            reasons.append("not above the 95th percentile of the null")
        row |= {"supported": not reasons, "reason": "; ".join(reasons)}
    return row


def _supported(stability: pd.DataFrame, ks: list[int]) -> tuple[int, ...]:
    decided = stability[stability["source"].isin(DECIDING)]
    return tuple(k for k in ks if decided.loc[decided["k"] == k, "supported"].all())


def _answer(supported: tuple[int, ...], ks: list[int], stability: pd.DataFrame) -> str:
    tried = f"{ks[0]} to {ks[-1]}"
    if not supported:
        best = stability[stability["source"] == "together"].sort_values(["ari", "k"], ascending=[False, True]).iloc[0]
        return f"No number of clusters from {tried} is stable: the best, k = {best['k']}, has a mean adjusted Rand index of {best['ari']:.2f}; no grouping can be claimed"
    if len(supported) == 1:
        return f"Only k = {supported[0]} is stable among {tried}"
    return f"k = {', '.join(map(str, supported))} are stable among {tried}; the finest is k = {supported[-1]}"


def _comembership_table(ratings: Ratings, matrices: Mapping[tuple[str, int], Floats]) -> pd.DataFrame:
    i, j = np.triu_indices(len(ratings.grid), 1)
    ids = ratings.varieties["variety_id"].to_numpy(dtype=object)
    frames = [
        pd.DataFrame({"source": s, "k": k, "variety_id": ids[i], "other_id": ids[j], "share": m[i, j]})
        for (s, k), m in matrices.items()
    ]
    return tables.conform(pd.concat(frames, ignore_index=True), tables.COMEMBERSHIP)


def consensus_clusters(ratings: Ratings, found: Consensus) -> pd.DataFrame:
    """Return the clusters of the finest supported k as :data:`miner.tables.DIALECT_CLUSTERS`.

    Every rated variety is in the set: consensus groups varieties, it does not choose among them. If no k is supported,
    no variety has a cluster, and the reason says so.
    """
    frame = ratings.counts().merge(ratings.varieties[["variety_id", "type", "region"]], on="variety_id")
    rated = np.asarray(ratings.rated.any(axis=1))
    k = found.supported[-1] if found.supported else None
    at = (
        found.membership[found.membership["k"] == k].set_index("variety_id")["cluster"]
        if k
        else pd.Series(dtype="Int64")
    )
    cluster = frame["variety_id"].map(at).astype("Int64")
    reason = np.where(rated, "" if k else "no number of clusters is stable", "no rating A, B, C or D")
    frame = frame.assign(
        cluster=cluster,
        cluster_size=cluster.map(cluster.value_counts()).astype("Int64"),
        silhouette=np.nan,
        in_dialect_set=rated,
        reason=reason,
    )
    return tables.conform(frame, tables.DIALECT_CLUSTERS)


def _agreement(
    ratings: Ratings,
    partitions: Mapping[int, Labels],
    found: Mapping[tuple[str, int], Labels],
    permutations: int,
    seed: int,
) -> pd.DataFrame:
    rows = []
    for column in ("region", "type"):
        groups = ratings.varieties[column].to_numpy(dtype=object)
        if len(set(groups)) < 2:
            continue
        for k, labels in partitions.items():
            resampled = [adjusted_rand(p, groups) for p in found["features", k]]
            low, high = np.percentile(resampled, [2.5, 97.5])
            rng = np.random.default_rng([seed, 30, k, column == "type"])
            p = permutation_p(labels, groups, permutations=permutations, rng=rng)
            ari = adjusted_rand(labels, groups)
            rows.append(
                {
                    "k": k,
                    "with": column,
                    "ari": ari,
                    "ci_low": low,
                    "ci_high": high,
                    "p": p,
                    "permutations": permutations,
                    "n": len(labels),
                }
            )
    return tables.conform(rows, tables.AGREEMENT)
