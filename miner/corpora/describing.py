"""What is in a corpus: texts, words, learners and prompts by L1 and level, possible contrasts, and confounds of L1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from miner.corpora.duplicates import SAMENESS, duplicate_groups
from miner.corpora.hygiene import examine
from miner.corpora.reading import Corpus

#: Other L1s that must share a stratum before it can separate L1 from prompt and level.
SHARED_BY = 3
#: Labels are shown up to this length: a wrong column may hold texts.
_LABEL = 20
_LEVEL = "(no level)"
_L1 = "(no L1)"


@dataclass(frozen=True)
class Description:
    """Frames that describe a corpus.

    Attributes
    ----------
    cells : DataFrame
        A row per L1 and level: ``l1, level, texts, words, learners, prompts`` (learners missing where unknown).
    contrasts : DataFrame
        A row per single L1 and band: ``l1, band, texts, learners, texts_reference, learners_reference, other_l1s,
        possible, reason``; the reference is all other single known L1s but English.
    confounds : DataFrame
        A row per single L1: ``l1, learners, shared_share``: the share of its learners' texts in level x prompt strata
        that at least three other L1s share (learners weigh the same).
    association : DataFrame
        ``with, pairs, l1s, categories, cramers_v``: bias-corrected Cramer's V of L1 with prompt and with level, over
        learners (a learner counts once for each prompt or level); missing where undefined, with ``reason``.
    findings : DataFrame
        ``finding, n, places``: what was dropped, noted and flagged.
    """

    cells: pd.DataFrame
    contrasts: pd.DataFrame
    confounds: pd.DataFrame
    association: pd.DataFrame
    findings: pd.DataFrame


def describe(corpus: Corpus, *, language: bool = True) -> Description:
    """Return the description of a corpus; nothing is left out of it.

    Parameters
    ----------
    corpus : Corpus
        From :func:`miner.corpora.read_corpus`.
    language : bool
        Whether texts in another language are looked for.
    """
    texts = examine(corpus.texts, language=language)
    plain = pd.DataFrame(
        {
            "text_id": texts["text_id"].astype("object"),
            "l1": texts["l1"].fillna(_L1).astype("object"),
            "level": texts["level"].fillna(_LEVEL).astype("object"),
            "band": texts["band"].fillna("").astype("object"),
            "prompt": texts["prompt_id"].fillna("").astype("object"),
            "known_learner": texts["learner_id"].astype("object"),
            "words": texts["n_words"].astype("int64"),
        }
    )
    # A text whose writer is unknown is a learner of its own.
    plain["learner"] = plain["known_learner"].where(plain["known_learner"].notna(), "text " + plain["text_id"])
    return Description(
        _cells(plain), _contrasts(plain), _confounds(plain), _association(plain), _findings(corpus, texts)
    )


def _cells(texts: pd.DataFrame) -> pd.DataFrame:
    groups = texts.groupby(["l1", "level"], sort=True)
    cells = pd.DataFrame(
        {
            "texts": groups.size(),
            "words": groups["words"].sum(),
            "learners": groups["known_learner"].nunique(),
            "prompts": groups["prompt"].agg(lambda p: p[p != ""].nunique()),
        }
    ).reset_index()
    for column in ("texts", "words", "learners", "prompts"):
        cells[column] = cells[column].astype("Int64")
    for column in ("learners", "prompts"):
        cells[column] = cells[column].mask(cells[column] == 0)
    return cells


def _singles(texts: pd.DataFrame) -> pd.DataFrame:
    known = ~texts["l1"].isin([_L1, "en"]) & ~texts["l1"].str.contains(";", regex=False)
    return texts[known]


def _contrasts(texts: pd.DataFrame) -> pd.DataFrame:
    columns = [
        "l1",
        "band",
        "texts",
        "learners",
        "texts_reference",
        "learners_reference",
        "other_l1s",
        "possible",
        "reason",
    ]
    singles = _singles(texts)
    rows = []
    for (l1, band), target in singles[singles["band"] != ""].groupby(["l1", "band"], sort=True):
        rest = singles[(singles["band"] == band) & (singles["l1"] != l1)]
        learners, others = target["learner"].nunique(), rest["learner"].nunique()
        reason = (
            "fewer than 2 learners of the L1"
            if learners < 2
            else "fewer than 2 learners of other L1s"
            if others < 2
            else ""
        )
        rows.append((l1, band, len(target), learners, len(rest), others, rest["l1"].nunique(), not reason, reason))
    return pd.DataFrame(rows, columns=columns)


def _confounds(texts: pd.DataFrame) -> pd.DataFrame:
    singles = _singles(texts)
    strata = singles.groupby(["level", "prompt"])["l1"].transform("nunique")
    shared = (strata - 1 >= SHARED_BY).astype("float64")
    by_learner = shared.groupby([singles["l1"], singles["learner"]], sort=True).mean()
    shares = by_learner.groupby(level=0).agg(["size", "mean"]).reset_index()
    shares.columns = pd.Index(["l1", "learners", "shared_share"])
    return shares


def _association(texts: pd.DataFrame) -> pd.DataFrame:
    singles = _singles(texts)
    rows = []
    for name in ("prompt", "level"):
        known = singles[~singles[name].isin(["", _LEVEL])]
        pairs = known[["learner", "l1", name]].drop_duplicates()
        table = pd.crosstab(pairs["l1"], pairs[name]).to_numpy(dtype=np.float64)
        value, reason = bias_corrected_cramers_v(table)
        rows.append((name, len(pairs), table.shape[0], table.shape[1], value, reason))
    return pd.DataFrame(rows, columns=["with", "pairs", "l1s", "categories", "cramers_v", "reason"])


def bias_corrected_cramers_v(table: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> tuple[float, str]:
    """Return the bias-corrected Cramer's V of a table of counts, and why it is undefined (then NaN).

    phi2 = max(0, chi2 / n - (k - 1)(r - 1) / (n - 1)); r' = r - (r - 1)^2 / (n - 1), k' likewise;
    V = sqrt(phi2 / (min(k', r') - 1)). Bergsma (2013), Journal of the Korean Statistical Society 42.
    """
    rows, columns = table.shape
    n = float(table.sum())
    if rows < 2 or columns < 2:
        return float("nan"), "fewer than two L1s or two categories"
    expected = table.sum(axis=1, keepdims=True) @ table.sum(axis=0, keepdims=True) / n
    phi2 = float(((table - expected) ** 2 / expected).sum()) / n
    corrected = max(0.0, phi2 - (columns - 1) * (rows - 1) / (n - 1))
    least = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
    if least <= 0:
        return float("nan"), "too few learners for so many categories"
    return float(np.sqrt(corrected / least)), ""


def _findings(corpus: Corpus, texts: pd.DataFrame) -> pd.DataFrame:
    rows: list[tuple[str, int, str]] = []
    account = corpus.ledger.as_dict()
    places = account.get("places", {})
    rows += [(f"dropped: {k}", n, "; ".join(places.get(k, []))) for k, n in account["dropped"].items()]
    rows += [
        (f"noted: {k}", n, "; ".join(places.get(k, [])))
        for k, n in account.get("noted", {}).items()
        if "flagged" not in k
    ]
    flags = texts["flags"].dropna().str.split(";").explode()
    names = flags.str.split(":").str[0]
    for name, n in names.value_counts().sort_index().items():
        ids = texts["text_id"].loc[names.index[names == name]].drop_duplicates().sort_values().head(20)
        rows.append((f"flag: {name}", int(n), "; ".join(ids)))
    for name, column in (("L1", "l1_raw"), ("level", "level_raw")):
        unknown = texts[texts["flags"].fillna("").str.contains(rf"(?:^|;){name.lower()}_unknown(?:;|$)", regex=True)]
        for label, part in unknown.groupby(unknown[column].str.slice(0, _LABEL), sort=True):
            rows.append((f"{name} label not known: {label}", len(part), "; ".join(part["text_id"].head(20))))
    for sameness in SAMENESS:
        groups = duplicate_groups(texts, sameness=sameness)
        if len(groups):
            number = groups["group"].nunique()
            several = groups.loc[groups["n_learners"] > 1, "group"].nunique()
            text = f"texts that are the same ({sameness}): {number} groups, {several} of several learners"
            rows.append((text, len(groups), "; ".join(groups["text_id"].head(20))))
    return pd.DataFrame(rows, columns=["finding", "n", "places"])
