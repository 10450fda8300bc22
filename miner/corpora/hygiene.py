"""What is wrong with texts, as flags; and the policies that decide what happens to flagged texts when they are mined."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Literal

import pandas as pd

from miner.corpora.duplicates import SAMENESS, Sameness, duplicate_groups
from miner.corpora.language_check import language_of
from miner.errors import require_one_of
from miner.ledger import Ledger

_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z_]{0,20}(?:\s[^<>]{0,60})?/?>|&(?:amp|nbsp|quot|lt|gt|#\d+);")


@dataclass(frozen=True)
class Policies:
    """What happens to flagged texts; reading and converting apply none, checking and mining these.

    Parameters
    ----------
    other_language : {"drop", "keep"}
        Texts in another language than English. Mixed texts and texts too short to tell are kept.
    duplicates : {"first_per_learner", "first", "keep"}
        Texts that are the same: one for each learner (texts of unknown learners count as one learner), one in all, all.
        The first is the one with the smallest id.
    sameness : str
        What "the same" means; see :func:`miner.corpora.duplicates.duplicate_groups`.
    versions : {"first", "final", "all"}
        Several versions of one essay (``meta_essay``, ``meta_version``).
    parts : {"drop", "keep"}
        Sentences of essays that are in the corpus themselves (flag ``part_of_text``).
    not_learner : {"drop", "keep"}
        Texts that are not by learners (flag ``not_a_learner``).
    """

    other_language: Literal["drop", "keep"] = "drop"
    duplicates: Literal["first_per_learner", "first", "keep"] = "first_per_learner"
    sameness: Sameness = "whitespace"
    versions: Literal["first", "final", "all"] = "first"
    parts: Literal["drop", "keep"] = "drop"
    not_learner: Literal["drop", "keep"] = "drop"

    def __post_init__(self) -> None:
        known = {
            "other_language": ("drop", "keep"),
            "duplicates": ("first_per_learner", "first", "keep"),
            "sameness": SAMENESS,
            "versions": ("first", "final", "all"),
            "parts": ("drop", "keep"),
            "not_learner": ("drop", "keep"),
        }
        for field in fields(self):
            require_one_of(getattr(self, field.name), known[field.name], what=f"The policy '{field.name}'")


def examine(texts: pd.DataFrame, *, language: bool = True, sameness: Sameness = "whitespace") -> pd.DataFrame:
    """Return the texts table with more flags; no text is left out.

    Added: ``other_language:xx``, ``mixed_language:xx``, ``language_unclear``; ``duplicate:n`` and
    ``duplicate_other_learner`` (n texts are the same; they have several learners); ``markup_left`` (tags, entities).
    """
    columns = zip(texts["text_id"], texts["text"], texts["n_words"], strict=True)
    found = {text_id: text_flags(text, language=language) if words else [] for text_id, text, words in columns}
    same = duplicate_groups(texts, sameness=sameness)
    for text_id, size, learners in zip(same["text_id"], same["n_group"], same["n_learners"], strict=True):
        found[text_id] += [f"duplicate:{size}", *(["duplicate_other_learner"] if learners > 1 else [])]
    out = texts.copy(deep=False)
    pairs = zip(texts["text_id"], texts["flags"].fillna(""), strict=True)
    joined = [joined_flags(before, found[i]) or None for i, before in pairs]
    out["flags"] = pd.array(joined, dtype="str")
    return out


def text_flags(text: str, *, language: bool = True) -> list[str]:
    """Return the flags that a text with words gets by itself: its language, and leftover markup."""
    flags = _language_flags(text) if language else []
    return [*flags, "markup_left"] if _MARKUP.search(text) else flags


def _language_flags(text: str) -> list[str]:
    verdict, language = language_of(text)
    if verdict == "other":
        return [f"other_language:{language}"]
    if verdict == "mixed":
        return [f"mixed_language:{language}"]
    return ["language_unclear"] if verdict == "cannot_tell" else []


def joined_flags(before: str, more: list[str]) -> str:
    """Return flags joined by ``;``; one that is there already stays as it is."""
    have = before.split(";") if before else []
    names = {f.split(":")[0] for f in have}
    return ";".join([*have, *(f for f in more if f.split(":")[0] not in names)])


def apply_policies(texts: pd.DataFrame, policies: Policies | None = None) -> tuple[pd.DataFrame, Ledger]:
    """Return the texts that are to be mined, and an account of the others.

    Parameters
    ----------
    texts : DataFrame
        The texts table; with the flags of :func:`examine`, or without: then they are found here.
    policies : Policies, optional
        Default: ``Policies()``.
    """
    policies = policies or Policies()
    if (
        policies.other_language == "drop"
        and not _flagged(texts, "language_unclear|other_language|mixed_language").any()
    ):
        texts = examine(texts, sameness=policies.sameness)
    ledger = Ledger("policies", "texts")
    reasons = pd.Series("", index=texts.index, dtype="object")

    def mark(rows: pd.Series, reason: str) -> None:
        reasons[rows & (reasons == "")] = reason

    if policies.not_learner == "drop":
        mark(_flagged(texts, "not_a_learner"), "not by a learner")
    if policies.other_language == "drop":
        mark(_flagged(texts, "other_language|declared_other_language"), "another language")
    if policies.parts == "drop" and "meta_part_of" in texts:
        mark(
            _flagged(texts, "part_of_text") & texts["meta_part_of"].isin(texts["text_id"]),
            "part of a text that is there",
        )
    if policies.versions != "all":
        mark(
            _other_versions(texts[reasons == ""], policies.versions).reindex(texts.index, fill_value=False),
            f"another version than the {policies.versions}",
        )
    if policies.duplicates != "keep":
        rest = texts[reasons == ""]
        mark(_repeated(rest, policies).reindex(texts.index, fill_value=False), "duplicate")
    kept = reasons == ""
    for reason, ids in texts.loc[~kept].groupby(reasons[~kept])["text_id"]:
        for text_id in ids:
            ledger.drop(str(reason), place=text_id)
    ledger.keep(int(kept.sum()))
    return texts[kept].reset_index(drop=True), ledger


def _flagged(texts: pd.DataFrame, names: str) -> pd.Series:
    return texts["flags"].fillna("").str.contains(rf"(?:^|;)(?:{names})(?:[:;]|$)", regex=True)


def _repeated(texts: pd.DataFrame, policies: Policies) -> pd.Series:
    groups = duplicate_groups(texts, sameness=policies.sameness)
    by = ["group"] if policies.duplicates == "first" else ["group", "learner_id"]
    again = groups.loc[groups.duplicated(by), "text_id"]
    return texts["text_id"].isin(again)


def _other_versions(texts: pd.DataFrame, wanted: str) -> pd.Series:
    """Mark all but one version of each essay; versions are ordered by number, ``draft`` before ``final``."""
    other = pd.Series(data=False, index=texts.index)
    if "meta_essay" not in texts or "meta_version" not in texts:
        return other
    known = texts[texts["meta_essay"].notna()]
    order = known["meta_version"].fillna("").map(_version_order)
    ranked = known.assign(order=order).sort_values(["meta_essay", "order", "text_id"], kind="stable")
    chosen = (
        ranked.groupby("meta_essay", sort=False).head(1)
        if wanted == "first"
        else ranked.groupby("meta_essay", sort=False).tail(1)
    )
    other[known.index.difference(chosen.index)] = True
    return other


def _version_order(version: str) -> float:
    label = version.strip().casefold()
    named = {"draft": 1.0, "final": 2.0}
    if label in named:
        return named[label]
    try:
        return float(label)
    except ValueError:
        return 0.0
