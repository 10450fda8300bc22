"""From ratings to a dialect set: encode, reduce, search the partition, keep a cluster, list its features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from miner import tables
from miner.dialect.encoding import Encoded, encode, require_complete
from miner.dialect.inventories import inventory
from miner.dialect.kmeans import Search
from miner.dialect.membership import numbered
from miner.dialect.presets import DialectPreset, preset_named
from miner.dialect.published import warnings_of
from miner.dialect.ratings import Ratings, read_ratings
from miner.dialect.reduction import Reduced, reduce
from miner.dialect.remembered import searched
from miner.dialect.selection import DEFAULT_KS, k_selection
from miner.dialect.silhouettes import pairwise_distances, silhouettes
from miner.errors import EmptyInput, InputError, OptionError, listed
from miner.ledger import Ledger
from miner.signature import DEFAULT_SEED, Signature
from miner.store import Store

_ONE_TABLE = (
    "A preset clusters one complete table: use missing='zero' (counts them as absence, as the paper does); what imputation "
    "changes is shown by consensus clustering"
)
_NO_RATING = "no rating A, B, C or D: kept out of reduction and clusters"


@dataclass(frozen=True, eq=False)
class DialectResult:
    """A dialect set with everything that led to it.

    Parameters
    ----------
    clusters, k_selection, inventory : DataFrame
        :data:`miner.tables.DIALECT_CLUSTERS`, :data:`~miner.tables.K_SELECTION`, :data:`~miner.tables.DIALECT_INVENTORY`.
    facts : dict
        Counts, inertias and shares of starts, in a stable order; plain data.
    warnings : tuple of str
        What a reader should know before using the set.
    encoded, reduced : Encoded, Reduced
        The vectors and the space, rows in the order of ``clustered``.
    clustered : Ratings
        The varieties that took part.
    ledger : Ledger
        Varieties: read, kept, left out with reasons.
    signature : Signature
    """

    clusters: pd.DataFrame
    k_selection: pd.DataFrame
    inventory: pd.DataFrame
    facts: dict[str, Any]
    warnings: tuple[str, ...]
    encoded: Encoded
    reduced: Reduced
    clustered: Ratings
    ledger: Ledger
    signature: Signature


def mine_dialects(
    ratings: Ratings | None = None,
    preset: str | DialectPreset = "trans-env",
    *,
    k: int | None = None,
    encoding: str | None = None,
    missing: str | None = None,
    centred: bool | None = None,
    share: float | None = None,
    starts: int | None = None,
    seed: int = DEFAULT_SEED,
    ks: Iterable[int] = DEFAULT_KS,
    keep_unrated: bool = False,
    store: Store | None = None,
) -> DialectResult:
    """Mine a dialect set from ratings.

    Parameters
    ----------
    ratings : Ratings, optional
        The bundled eWAVE table by default.
    preset : str or DialectPreset
        ``"trans-env"``: A 1, B .5, C .25, other 0; centred SVD with at least 90 % of the variance; k-means, k = 5; the
        lowest-inertia partition in which the four varieties that the paper names share a cluster; features rated A.
        ``"plain"``: k-means of any table (ordinal, k = 2 unless told otherwise); all varieties are in the set.
    k, encoding, missing, centred, share, starts : optional
        Override the preset's choice.
    seed : int
        Of the random starts. The set should not depend on it: ``facts`` tell how many starts reach the solution.
    ks : iterable of int
        Numbers of clusters in the table of elbow and silhouette.
    keep_unrated : bool
        Let varieties without any rating A, B, C, D take part (as if they had no feature).
    store : Store, optional
        Keeps the searches.

    Raises
    ------
    OptionError, TooFew, EmptyInput
        Unknown names; an anchor that the ratings do not have; more clusters than different varieties; nothing rated.
    """
    recipe = preset_named(preset) if isinstance(preset, str) else preset
    ratings = read_ratings() if ratings is None else ratings
    k, starts = k or recipe.k, starts or recipe.starts
    ledger = Ledger("dialects", "varieties")
    clustered = _rated_only(ratings, ledger, keep_unrated=keep_unrated)
    encoded = encode(clustered, encoding or recipe.encoding, missing)
    reduced = reduce(
        require_complete(encoded, "The reduction", _ONE_TABLE),
        centred=recipe.centred if centred is None else centred,
        share=recipe.share if share is None else share,
    )
    anchors = _rows(clustered, recipe.anchors, recipe.name)
    found = searched(reduced.scores, k, starts=starts, seed=[seed, k], bound=anchors, store=store)
    free = searched(reduced.scores, k, starts=starts, seed=[seed, k, 1], store=store) if len(anchors) else found
    left_out = {i: e.reason for e in recipe.exclusions if (i := _maybe(clustered, e.variety)) is not None}
    members = np.flatnonzero(found.labels == found.labels[anchors[0]]) if len(anchors) else np.arange(len(found.labels))
    kept = [int(i) for i in members if i not in left_out]
    clusters = _clusters(ratings, clustered, reduced, found, members, left_out)
    selected = k_selection(reduced.scores, seed=seed, ks=ks, starts=min(starts, 1_000), store=store)
    facts = _facts(encoded, reduced, found, free, anchors, members, kept)
    signature = Signature.of(
        "dialect",
        preset=recipe.name,
        ratings=ratings.signature,
        encoding=encoded.encoding,
        missing=encoded.missing,
        svd=reduced,
        cluster=f"kmeans,k={k},starts={starts},refined",
        n=len(kept),
        seed=seed,
    )
    return DialectResult(
        clusters,
        selected,
        inventory(clustered, kept, recipe.ratings, encoded.encoding),
        facts,
        warnings_of(clustered, recipe, members, kept, found),
        encoded,
        reduced,
        clustered,
        ledger,
        signature,
    )


def _rated_only(ratings: Ratings, ledger: Ledger, *, keep_unrated: bool) -> Ratings:
    rated: npt.NDArray[np.bool_] = np.asarray(ratings.rated.any(axis=1))
    if keep_unrated:
        rated = np.ones_like(rated)
    for name in ratings.varieties["variety"][~rated]:
        ledger.drop(_NO_RATING, place=str(name))
    ledger.keep(int(rated.sum()))
    if rated.sum() < 2:
        msg = f"{int(rated.sum())} of {len(rated)} varieties have any rating A, B, C or D; at least 2 are needed to compare"
        raise EmptyInput(msg)
    return ratings.take([int(i) for i in np.flatnonzero(rated)])


def _rows(ratings: Ratings, names: Sequence[str], preset: str) -> npt.NDArray[np.intp]:
    rows = [_maybe(ratings, n) for n in names]
    absent = [n for n, r in zip(names, rows, strict=True) if r is None]
    if absent:
        msg = (
            f"The preset '{preset}' looks for the cluster of {listed(list(names))}, but the ratings have no rated variety "
            f"{listed(absent)}. Give ratings with these eWAVE names, or use another preset"
        )
        raise InputError(msg)
    return np.array(rows, dtype=np.intp)


def _maybe(ratings: Ratings, name: str) -> int | None:
    try:
        return ratings.variety_index(name)
    except OptionError:
        return None


def _clusters(
    ratings: Ratings,
    clustered: Ratings,
    reduced: Reduced,
    found: Search,
    members: npt.NDArray[np.intp],
    left_out: dict[int, str],
) -> pd.DataFrame:
    number = numbered(found.labels)
    width = silhouettes(pairwise_distances(reduced.scores), found.labels)
    size = np.bincount(number)[number]
    kept = set(members.tolist()) - set(left_out)
    took_part = pd.DataFrame(
        {
            "variety_id": clustered.varieties["variety_id"],
            "cluster": number,
            "cluster_size": size,
            "silhouette": np.nan if width is None else width,
            "in_dialect_set": [i in kept for i in range(len(number))],
            "reason": [
                left_out[i]
                if i in left_out and i in members
                else "the only member of its cluster"
                if size[i] == 1
                else ""
                for i in range(len(number))
            ],
        }
    )
    frame = ratings.counts().merge(
        ratings.varieties[["variety_id", "type", "region"]], on="variety_id", validate="one_to_one"
    )
    frame = frame.merge(took_part, on="variety_id", how="left", validate="one_to_one")
    frame["reason"] = frame["reason"].fillna(_NO_RATING)
    frame["in_dialect_set"] = frame["in_dialect_set"].eq(True)  # noqa: FBT003 (a comparison, not an option)
    return tables.conform(frame, tables.DIALECT_CLUSTERS)


def _facts(
    encoded: Encoded,
    reduced: Reduced,
    found: Search,
    free: Search,
    anchors: npt.NDArray[np.intp],
    members: npt.NDArray[np.intp],
    kept: list[int],
) -> dict[str, Any]:
    plain = {
        "varieties": len(encoded.values),
        "features": encoded.values.shape[1],
        "components": reduced.n_components,
        "share_of_variance": float(reduced.cumulative[reduced.n_components - 1]),
        "inertia": found.inertia,
        "dialect_set_size": len(kept),
        "starts": len(found.plain),
        "ties": found.ties,
        "share_of_starts_at_the_solution": _share_at(found.inertia, found.refined_inertia),
    }
    if not len(anchors):
        return plain
    together = free.plain[:, anchors]
    wanted = np.zeros(free.plain.shape[1], bool)
    wanted[members] = True
    exactly = ((free.plain == free.plain[:, members[:1]]) == wanted).all(axis=1)
    whole_set = (
        (free.plain[:, kept] == free.plain[:, kept[:1]]).all(axis=1) if kept else np.zeros(len(free.plain), bool)
    )
    return plain | {
        "inertia_without_anchors": free.inertia,
        "cluster_size": len(members),
        "share_of_plain_starts_with_exactly_this_cluster": float(exactly.mean()),
        "share_of_plain_starts_with_the_set_in_one_cluster": float(whole_set.mean()),
        "share_of_plain_starts_with_the_anchors_together": float((together == together[:, :1]).all(axis=1).mean()),
        "share_of_free_starts_at_the_lowest_inertia": _share_at(free.inertia, free.refined_inertia),
    }


def _share_at(value: float, inertia: npt.NDArray[np.float64]) -> float:
    return float((np.abs(inertia - value) <= 1e-9 * max(abs(value), 1.0)).mean())
