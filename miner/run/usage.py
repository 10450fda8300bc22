"""Usage features through the learner stages: the same tests and inventory as errors, and rates per opportunity beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from miner import tables
from miner.corpora import Corpus
from miner.errors import MinerError, require_one_of
from miner.features import Usage, UsageCatalogue, load_usage, usage
from miner.learner import DEFAULT_PRESET, Admitted, Counts, L1Preset, compare_l1, count, get_preset, sign
from miner.ledger import Ledger
from miner.run.learner import put_together
from miner.signature import Signature
from miner.store import Store

NO_PLACE = "no opportunity in these texts"
_FROM_TESTS = {
    "errors_target": "occurrences_target",
    "errors_reference": "occurrences_reference",
    "words_target": "opportunities_target",
    "words_reference": "opportunities_reference",
    **{c: c for c in ("rate_target", "rate_reference", "effect", "ci_low", "ci_high", "p", "reason")},
}
FAMILIES = ("usage", "topic", "format")
#: Called with (texts done, texts in all).
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class UsageResult:
    """What learners of each L1 use more or less than the reference.

    Parameters
    ----------
    tests, inventory : DataFrame
        Tables ``l1_tests`` and ``l1_inventory``; ``family`` says usage, topic or format. The word error does not apply.
    rates : DataFrame
        Table ``usage_rates``: the same comparisons per opportunity.
    ledgers : tuple of Ledger
    signature : Signature
    facts : dict
        Model and patterns, preset, unit.
    """

    tests: pd.DataFrame
    inventory: pd.DataFrame
    rates: pd.DataFrame
    ledgers: tuple[Ledger, ...]
    signature: Signature
    facts: dict[str, Any]


def mine_usage(
    corpora: Sequence[Corpus],
    *,
    preset: str | L1Preset = DEFAULT_PRESET,
    families: Sequence[str] = ("usage",),
    store: Store | None = None,
    jobs: int = 1,
    seed: int = 20250101,
    progress: Progress | None = None,
) -> UsageResult:
    """Mine what learners use.

    Parameters
    ----------
    corpora : sequence of Corpus
        Mined together.
    preset : str or L1Preset
        The recipe of tests and selection.
    families : sequence of {"usage", "topic", "format"}
        Grammar alone by default. Each family is tested by itself; in the inventory they follow each other.
    store, jobs, progress :
        As in :func:`miner.features.usage`.
    seed : int
        Of permutations and half-samples.

    Raises
    ------
    EmptyInput, EngineMissing, MinerError
        As the stages do.
    """
    recipe, catalogue = get_preset(preset), load_usage()
    for family in families or ("",):
        require_one_of(family, FAMILIES, what="A family of usage features")
    texts = put_together(corpora)
    used = usage(texts, families=families, store=store, jobs=jobs, progress=progress)
    counted = _counted(texts, used)
    tests, inventories, rates = [], [], []
    for family in families:
        own = catalogue.features[catalogue.features["family"] == family].set_index("id")
        part = replace(counted, counts=counted.counts[counted.counts["feature"].isin(own.index)])
        labels = {str(i): str(v) for i, v in own["label"].items()}
        admitted, tested, chosen = compare_l1(part, recipe, labels=labels, family=family, seed=seed)
        tests.append(_with_opportunities(tested, admitted, used, catalogue))
        inventories.append(chosen)
        rates.append(_per_opportunity(tested, part, used, own, recipe, seed))
    base = Signature.of(
        "usage",
        corpus="+".join(f"{c.name}#{c.fingerprint[:8]}" for c in corpora),
        check=used.fingerprint,
        map="+".join(families),
    )
    return UsageResult(
        tables.conform(pd.concat(tests, ignore_index=True), tables.L1_TESTS),
        tables.conform(_ranked(inventories), tables.L1_INVENTORY),
        tables.conform(pd.concat(rates, ignore_index=True), tables.USAGE_RATES),
        (*(c.ledger for c in corpora), used.ledger, counted.ledger, admitted.ledger),
        sign(base, recipe, admitted, seed=seed),
        {"model": used.fingerprint, "families": list(families), "preset": recipe.as_dict(), "unit": admitted.unit},
    )


def _counted(texts: pd.DataFrame, used: Usage) -> Counts:
    checked = pd.DataFrame({"text_id": texts["text_id"], "status": "checked", "reason": ""})
    none = pd.DataFrame(
        {"text_id": pd.Series(dtype=str), "status": pd.Series(dtype=str), "feature": pd.Series(dtype=str)}
    )
    counted = count(texts, checked, none)
    kept = used.counts["text_id"].isin(counted.units["text_id"])
    return replace(counted, counts=used.counts[kept].reset_index(drop=True))


def _wide(used: Usage) -> pd.DataFrame:
    return used.opportunities.pivot(index="text_id", columns="per", values="n").fillna(0)


def _with_opportunities(
    tests: pd.DataFrame, admitted: Admitted, used: Usage, catalogue: UsageCatalogue
) -> pd.DataFrame:
    """Fill the opportunities of each cell: those of the feature's own kind."""
    per = catalogue.features.set_index("id")["per"]
    wide = _wide(used).reindex(admitted.texts["text_id"]).fillna(0).reset_index(drop=True)
    keys = admitted.texts[["l1", "band"]].reset_index(drop=True)
    own = wide.groupby([keys["l1"], keys["band"]]).sum()
    band = wide.groupby(keys["band"]).sum()

    def of(frame: pd.DataFrame, key: Any, kind: str) -> int:
        return int(frame.loc[key, kind]) if kind in frame and key in frame.index else 0

    kinds = [str(per[f]) for f in tests["feature"]]
    rows = list(zip(tests["l1"], tests["cefr"], kinds, strict=True))
    target = [of(own, (a, b), k) for a, b, k in rows]
    reference = [of(band, b, k) - t for (_, b, k), t in zip(rows, target, strict=True)]
    return tests.assign(opportunities_target=target, opportunities_reference=reference)


def _per_opportunity(
    tests: pd.DataFrame, part: Counts, used: Usage, own: pd.DataFrame, recipe: L1Preset, seed: int
) -> pd.DataFrame:
    """Compare rates per 1,000 opportunities by Welch's t-test, for each kind of opportunity; one row per row of tests."""
    wide, found = _wide(used), []
    plain = get_preset("welch", unit=recipe.unit)
    keys = ["l1", "cefr", "feature"]
    for kind in sorted(set(own["per"]) - {"word"}):
        features = own.index[own["per"] == kind]
        numbers = part.units["text_id"].map(wide[kind] if kind in wide else pd.Series(dtype=float)).fillna(0)
        units = part.units.assign(words=numbers.astype("Int64"))[numbers.to_numpy() > 0]
        counts = part.counts[part.counts["feature"].isin(features) & part.counts["text_id"].isin(units["text_id"])]
        labels = {str(i): str(own.loc[i, "label"]) for i in features}
        every = tests.loc[tests["feature"].isin(features), [*keys, "label"]]
        try:
            compared = compare_l1(replace(part, counts=counts, units=units), plain, labels=labels, seed=seed)[1]
            why = NO_PLACE
        except MinerError as err:
            compared, why = tables.L1_TESTS.empty(), str(err) if len(units) else NO_PLACE
        frame = every.merge(compared[[*keys, *_FROM_TESTS]].rename(columns=_FROM_TESTS), on=keys, how="left")
        lost = frame["rate_target"].isna() & frame["reason"].isna()
        found.append(frame.assign(per=kind, reason=frame["reason"].fillna("").where(~lost, why)))
    return pd.concat(found, ignore_index=True) if found else tables.USAGE_RATES.empty()


def _ranked(inventories: list[pd.DataFrame]) -> pd.DataFrame:
    whole = pd.concat(inventories, ignore_index=True)
    order = np.repeat(np.arange(len(inventories)), [len(i) for i in inventories])
    whole = whole.assign(order=order).sort_values(["l1", "cefr", "order", "rank"], kind="stable")
    return whole.assign(rank=whole.groupby(["l1", "cefr"]).cumcount() + 1).drop(columns="order")
