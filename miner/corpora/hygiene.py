"""What is wrong with texts, as flags; and the policies that decide what happens to flagged texts when they are mined."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import pandas as pd

from miner.corpora.duplicates import SAMENESS, Sameness, duplicate_groups
from miner.corpora.language_check import language_of
from miner.errors import InputError, listed, require_one_of
from miner.ledger import Ledger

_MARKUP = re.compile(r"</?[A-Za-z][A-Za-z_]{0,20}(?:\s[^<>]{0,60})?/?>|&(?:amp|nbsp|quot|lt|gt|#\d+);")

_SIMPLE = ("drop", "keep", "fail")
#: Policies that look at flags alone: name, flags, reason.
_BY_FLAG = (
    ("not_learner", "not_a_learner", "not by a learner"),
    ("no_words", "empty|no_words", "without words"),
    ("characters", "xml_invalid|invisible", "with characters that are not allowed or not seen"),
    ("markup", "markup_left|markup_damaged", "with markup left in it"),
    ("other_language", "other_language|declared_other_language", "another language"),
    ("mixed_language", "mixed_language", "in several languages"),
)


@dataclass(frozen=True)
class Policies:
    """What happens to flagged texts; reading and converting apply none, checking and mining these.

    Every policy but ``sameness`` may also be ``fail``: such texts are then an error.

    Parameters
    ----------
    other_language : {"drop", "keep", "fail"}
        Texts in another language than English. Mixed texts and texts too short to tell are kept.
    duplicates : {"first_per_learner", "first", "keep", "fail"}
        Texts that are the same: one for each learner (texts of unknown learners count as one learner), one in all, all.
        The first is the one with the smallest id.
    sameness : str
        What "the same" means; see :func:`miner.corpora.duplicates.duplicate_groups`.
    versions : {"first", "final", "all", "fail"}
        Several versions of one essay (``meta_essay``, ``meta_version``).
    parts : {"drop", "keep", "fail"}
        Sentences of essays that are in the corpus themselves (flag ``part_of_text``).
    not_learner : {"drop", "keep", "fail"}
        Texts that are not by learners (flag ``not_a_learner``).
    no_words : {"keep", "drop", "fail"}
        Texts without a word (flags ``empty``, ``no_words``); those that are kept are skipped by checkers.
    characters : {"keep", "drop", "fail"}
        Texts with characters that XML does not allow or nobody sees (flags ``xml_invalid``, ``invisible``); checkers see such
        texts without them.
    markup : {"keep", "drop", "fail"}
        Texts with tags or entities left in them (flags ``markup_left``, ``markup_damaged``).
    mixed_language : {"keep", "drop", "fail"}
        English texts with stretches in another language.
    """

    other_language: Literal["drop", "keep", "fail"] = "drop"
    duplicates: Literal["first_per_learner", "first", "keep", "fail"] = "first_per_learner"
    sameness: Sameness = "whitespace"
    versions: Literal["first", "final", "all", "fail"] = "first"
    parts: Literal["drop", "keep", "fail"] = "drop"
    not_learner: Literal["drop", "keep", "fail"] = "drop"
    no_words: Literal["drop", "keep", "fail"] = "keep"
    characters: Literal["drop", "keep", "fail"] = "keep"
    markup: Literal["drop", "keep", "fail"] = "keep"
    mixed_language: Literal["drop", "keep", "fail"] = "keep"

    def __post_init__(self) -> None:
        known = {
            "duplicates": ("first_per_learner", "first", "keep", "fail"),
            "sameness": SAMENESS,
            "versions": ("first", "final", "all", "fail"),
        }
        for field in fields(self):
            require_one_of(getattr(self, field.name), known.get(field.name, _SIMPLE), what=f"The policy '{field.name}'")


def policies_of(options: Mapping[str, Any]) -> Policies:
    """Return policies from names and values, as a study file or ``--policy`` gives them.

    Raises
    ------
    OptionError
        For names and values that are not known, with the nearest.
    """
    known = [f.name for f in fields(Policies)]
    for name in options:
        require_one_of(name, known, what="A policy")
    return Policies(**options)


def examine(
    texts: pd.DataFrame, *, language: bool = True, stretches: bool = True, sameness: Sameness = "whitespace"
) -> pd.DataFrame:
    """Return the texts table with more flags; no text is left out.

    ``stretches`` looks for stretches of other languages too, which takes several times as long.

    Added: ``other_language:xx``, ``mixed_language:xx``, ``language_unclear``; ``duplicate:n`` and
    ``duplicate_other_learner`` (n texts are the same; they have several learners); ``markup_left`` (tags, entities).
    """
    same = duplicate_groups(texts, sameness=sameness)
    sizes = zip(same["text_id"], same["n_group"], same["n_learners"], strict=True)
    again = {i: [f"duplicate:{n}", *(["duplicate_other_learner"] if m > 1 else [])] for i, n, m in sizes}
    own = looked_at(texts, language=language, stretches=stretches)
    pairs = zip(texts["text_id"], own, strict=True)
    return with_flags(texts, [joined_flags(flags, again.get(i, [])) for i, flags in pairs])


def looked_at(texts: pd.DataFrame, *, language: bool = True, stretches: bool = True) -> list[str]:
    """Return the flags of each text with those added that it gets by itself; see :func:`examine`."""
    columns = zip(texts["text"], texts["n_words"], texts["flags"].fillna(""), strict=True)
    return [
        joined_flags(before, text_flags(text, language=language, stretches=stretches) if words else [])
        for text, words, before in columns
    ]


def with_flags(texts: pd.DataFrame, flags: Sequence[str]) -> pd.DataFrame:
    """Return the texts with these flags, one string for each text."""
    out = texts.copy(deep=False)
    out["flags"] = pd.array([f or None for f in flags], dtype="str")
    return out


def text_flags(text: str, *, language: bool = True, stretches: bool = True) -> list[str]:
    """Return the flags that a text with words gets by itself: its language, and leftover markup."""
    flags = _language_flags(text, stretches=stretches) if language else []
    return [*flags, "markup_left"] if _MARKUP.search(text) else flags


def _language_flags(text: str, *, stretches: bool) -> list[str]:
    verdict, language = language_of(text, stretches=stretches)
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

    Raises
    ------
    InputError
        If a policy is ``fail`` and there are such texts.
    """
    reasons = left_out(texts, policies)
    return texts[reasons == ""].reset_index(drop=True), policy_account(texts, reasons)


def policy_account(texts: pd.DataFrame, reasons: pd.Series) -> Ledger:
    """Return the account of what :func:`left_out` said about the texts; places are the first ids, whatever the row order."""
    ledger = Ledger("policies", "texts")
    for text_id, reason in sorted(zip(texts["text_id"], reasons, strict=True)):
        if reason:
            ledger.drop(reason, place=text_id)
        else:
            ledger.keep()
    return ledger


def to_look_for(texts: pd.DataFrame, policies: Policies) -> tuple[bool, bool] | None:
    """Return whether the policies need each text looked at, for its language and for stretches in another one; None: no look."""
    mixed = policies.mixed_language != "keep"
    known = _flagged(texts, "language_unclear|other_language|mixed_language").any()
    if mixed or policies.markup != "keep" or (policies.other_language != "keep" and not known):
        return mixed or policies.other_language != "keep", mixed
    return None


def left_out(texts: pd.DataFrame, policies: Policies | None = None, *, examined: bool = False) -> pd.Series:
    """Return why the policies leave each text out, empty where they keep it; index as ``texts``.

    ``examined``: the flags that :func:`to_look_for` asks for are there; else they are found here.

    Raises
    ------
    InputError
        If a policy is ``fail`` and there are such texts.
    """
    policies = policies or Policies()
    look = to_look_for(texts, policies)
    if look is not None and not examined:
        texts = with_flags(texts, looked_at(texts, language=look[0], stretches=look[1]))
    reasons = pd.Series("", index=texts.index, dtype="object")

    def mark(policy: str, keep: str, find: Callable[[pd.DataFrame], pd.Series], reason: str) -> None:
        if policy == keep:
            return
        left = texts[reasons == ""]
        found = left.index[find(left).to_numpy(dtype=bool)]
        if policy == "fail" and len(found):
            ids = texts.loc[found, "text_id"].sort_values().tolist()
            msg = f"{len(found)} texts are '{reason}' and the policy is to fail: {listed(ids, most=5)}. Remove them, or choose another policy"
            raise InputError(msg)
        reasons[found] = reason

    for name, flags, reason in _BY_FLAG:
        mark(getattr(policies, name), "keep", partial(_flagged, names=flags), reason)
    mark(policies.parts, "keep", lambda t: _parts(t, texts), "part of a text that is there")
    wanted = "first" if policies.versions == "fail" else policies.versions
    mark(policies.versions, "all", lambda t: _other_versions(t, wanted), f"another version than the {wanted}")
    mark(policies.duplicates, "keep", lambda t: _repeated(t, policies), "duplicate")
    return reasons


def _parts(texts: pd.DataFrame, all_texts: pd.DataFrame) -> pd.Series:
    flagged = _flagged(texts, "part_of_text")
    return flagged & texts["meta_part_of"].isin(all_texts["text_id"]) if "meta_part_of" in texts else flagged & False


def _flagged(texts: pd.DataFrame, names: str) -> pd.Series:
    return texts["flags"].fillna("").str.contains(rf"(?:^|;)(?:{names})(?:[:;]|$)", regex=True)


def _repeated(texts: pd.DataFrame, policies: Policies) -> pd.Series:
    groups = duplicate_groups(texts, sameness=policies.sameness)
    by = ["group", "learner_id"] if policies.duplicates == "first_per_learner" else ["group"]
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
