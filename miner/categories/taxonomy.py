"""A taxonomy: categories with stable ids, and the map from a checker's rule ids to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from miner.categories.catalogue import load_catalogue
from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.sources import FOLDER, read_strings
from miner.errors import InputError, OptionError, listed, nearest
from miner.store import content_key

#: Counts every rule id by itself.
RULES = "rules"
NULL_REASON = "mapped to null"
EDIT_COLUMNS = ("scheme", "type", "kind", "category", "reason")


@dataclass(frozen=True)
class Assigned:
    """What became of each match, in the order given: three object arrays of str, shape (n_matches,).

    ``status`` is mapped, excluded or unmapped; ``feature`` the category id (empty unless mapped); ``reason`` why it is
    excluded (empty unless excluded).
    """

    status: np.ndarray[Any, Any]
    feature: np.ndarray[Any, Any]
    reason: np.ndarray[Any, Any]


@dataclass(frozen=True)
class Taxonomy:
    """Categories and a map to them.

    Parameters
    ----------
    name, version : str
        As in signatures: ``map:trans-env-1``.
    categories : DataFrame
        One row per category: ``id``, ``label``, ``definition`` and further columns of the taxonomy, all str; ``family``
        (errors, spelling, format) where the taxonomy has families, ``parent`` where it is a tree.
    rules : DataFrame
        ``rule_id`` (unique; with a final ``*`` it stands for all ids that begin so), ``category`` (empty: excluded),
        ``reason`` (of an exclusion) and further columns.
    edits : DataFrame
        Map of gold annotation: ``scheme`` (clc, errant, efcamdat), ``type``, ``kind`` (insert, delete, replace, or
        empty for any), ``category`` (empty: excluded), ``reason``. No rows where the taxonomy has no such map.
    fallback : dict of str to str
        Category of all rules of a checker category (``PUNCTUATION``, ...) that ``rules`` does not know.
    """

    name: str
    version: str
    categories: pd.DataFrame
    rules: pd.DataFrame
    edits: pd.DataFrame = field(default_factory=lambda: _none(*EDIT_COLUMNS))
    fallback: dict[str, str] = field(default_factory=dict)
    _labels: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        """Hash of categories and map."""
        return content_key(*(t.to_dict("list") for t in (self.categories, self.rules, self.edits)), self.fallback)

    @property
    def signature(self) -> str:
        """Name and version as they stand in a result's signature."""
        return f"{self.name}-{self.version}" if self.version else self.name

    def label(self, feature: str) -> str:
        """Return the label of a category id; an id that the taxonomy does not know is its own label."""
        if not self._labels:
            self._labels.update(zip(self.categories["id"], self.categories["label"], strict=True))
        return self._labels.get(feature, feature)

    @property
    def families(self) -> dict[str, str]:
        """Family of each category: errors unless the taxonomy says otherwise."""
        named = self.categories["family"] if "family" in self.categories else ["errors"] * len(self.categories)
        return dict(zip(self.categories["id"], named, strict=True))

    def labels(self, features: Iterable[str]) -> dict[str, str]:
        """Return the labels of several ids."""
        return {f: self.label(f) for f in features}

    def assign(
        self,
        rule_ids: Sequence[str],
        lt_categories: Sequence[str],
        issue_types: Sequence[str],
        *,
        exclude: str | Path | Exclusions = "default",
    ) -> Assigned:
        """Assign matches to categories.

        Parameters
        ----------
        rule_ids, lt_categories, issue_types : sequence of str, shape (n_matches,)
            As the checker gives them; an unknown value is an empty string.
        exclude : str, Path or Exclusions
            See :func:`miner.categories.load_exclusions`.

        Returns
        -------
        Assigned

        Raises
        ------
        ValueError
            If the lengths differ.

        Notes
        -----
        In this order: a row for the rule id in the exclusions; the taxonomy's map (to nothing: excluded; to a category
        whose family is excluded: excluded); the exclusions by checker category, then by issue type; what is left is
        unmapped (under ``rules``: mapped to itself).
        """
        exclusions, families = load_exclusions(exclude), self.families
        triples = list(zip(rule_ids, lt_categories, issue_types, strict=True))
        known = {t: self._one(t, families, exclusions) for t in set(triples)}
        return _stacked([known[t] for t in triples])

    def assign_edits(
        self,
        types: Sequence[str],
        schemes: Sequence[str],
        kinds: Sequence[str],
        *,
        exclude: str | Path | Exclusions = "default",
    ) -> Assigned:
        """Assign gold edits to categories.

        Parameters
        ----------
        types, schemes, kinds : sequence of str, shape (n_edits,)
            As in the table ``edits``. Of an EFCamDat tag with several symbols, joined by anything but letters, the
            first that has a category counts.
        exclude : str, Path or Exclusions
            Only its rows for families count here.

        Returns
        -------
        Assigned
            A type that the map does not know is unmapped; under ``rules`` each type is its own category.
        """
        if self.name == RULES:
            return _stacked([("mapped", t, "") for t in types])
        exclusions, families = load_exclusions(exclude), self.families
        known = {
            (s, t, k): (c, r)
            for s, t, k, c, r in zip(
                *(self.edits[c] for c in ("scheme", "type", "kind", "category", "reason")), strict=True
            )
        }
        triples = list(zip(schemes, types, kinds, strict=True))
        found = {t: _edit(t, known, families, exclusions) for t in set(triples)}
        return _stacked([found[t] for t in triples])

    def _one(
        self, triple: tuple[str, str, str], families: dict[str, str], exclusions: Exclusions
    ) -> tuple[str, str, str]:
        rule_id, lt_category, issue_type = triple
        entry = self._entry(rule_id, lt_category)
        family = families.get(entry[0], "errors") if entry is not None else None
        reason = exclusions.reason(rule_id, lt_category, issue_type, family=family)
        if entry is not None and not entry[0]:
            return "excluded", "", entry[1] or NULL_REASON
        if reason:
            return "excluded", "", reason
        if entry is not None:
            return "mapped", entry[0], ""
        return ("mapped", rule_id, "") if self.name == RULES else ("unmapped", "", "")

    def _entry(self, rule_id: str, lt_category: str) -> tuple[str, str] | None:
        exact, prefixes = self._index
        if rule_id in exact:
            return exact[rule_id]
        for prefix, entry in prefixes:
            if rule_id.startswith(prefix):
                return entry
        return (self.fallback[lt_category], "") if lt_category in self.fallback else None

    @property
    def _index(self) -> tuple[dict[str, tuple[str, str]], list[tuple[str, tuple[str, str]]]]:
        cached = self.__dict__.get("_cached")
        if cached is None:
            suffixed = {p: p + "_" for p in load_catalogue().prefixes}
            exact: dict[str, tuple[str, str]] = {}
            prefixes: list[tuple[str, tuple[str, str]]] = []
            for rule_id, category, reason in zip(
                *(self.rules[c] for c in ("rule_id", "category", "reason")), strict=True
            ):
                if rule_id.endswith("*"):
                    prefixes.append((rule_id[:-1], (category, reason)))
                    continue
                exact[rule_id] = (category, reason)
                if rule_id in suffixed:
                    prefixes.append((suffixed[rule_id], (category, reason)))
            cached = (exact, sorted(prefixes, key=lambda p: (-len(p[0]), p[0])))
            self.__dict__["_cached"] = cached
        return cached


def _stacked(rows: list[tuple[str, str, str]]) -> Assigned:
    table = np.empty((len(rows), 3), dtype=object)
    for i, row in enumerate(rows):
        table[i] = row
    return Assigned(table[:, 0], table[:, 1], table[:, 2])


def _edit(
    triple: tuple[str, str, str],
    known: dict[tuple[str, str, str], tuple[str, str]],
    families: dict[str, str],
    exclusions: Exclusions,
) -> tuple[str, str, str]:
    scheme, given, kind = triple
    names = [given] if scheme != "efcamdat" else [given, *re.findall(r"[A-Za-z]+", given)]
    entries = [known[k] for n in names for k in ((scheme, n, kind), (scheme, n, "")) if k in known]
    if not entries:
        return "unmapped", "", ""
    category, reason = next((e for e in entries if e[0]), entries[0])
    reason = reason if not category else exclusions.reason("", "", "", family=families.get(category, "errors"))
    return ("excluded", "", reason or NULL_REASON) if reason or not category else ("mapped", category, "")


def taxonomy_names() -> list[str]:
    """Return the names of the bundled taxonomies, and ``rules``."""
    return [*read_strings(FOLDER / "taxonomies.csv", required=("name", "version", "title"))["name"], RULES]


def load_taxonomy(name: str | Path | Taxonomy = "trans-env") -> Taxonomy:
    """Return a taxonomy.

    Parameters
    ----------
    name : str or Path
        ``"trans-env"`` (the 48 labels of the paper's learner lists), ``"miner-core"`` (every grammar-like rule, gold
        schemes, families), ``"rules"`` (every rule id counts by itself), or
        the path of a CSV or TSV with columns rule_id, category and perhaps label and reason. An empty category
        excludes the rule ("mapped to null", or the reason given).

    Raises
    ------
    OptionError
        If there is no such taxonomy.
    InputError
        If the table cannot be read, a rule stands twice, or a category has two labels.
    """
    if isinstance(name, Taxonomy):
        return name
    if name == RULES:
        return _rules()
    known = read_strings(FOLDER / "taxonomies.csv", required=("name", "version", "title"))
    found = known[known["name"] == str(name)]
    if len(found):
        return _bundled(str(name), str(found.iloc[0]["version"]))
    path = Path(name)
    if not path.is_file():
        msg = (
            f"The taxonomy must be one of {listed(taxonomy_names())} or the path of a table with columns rule_id and "
            f"category. Got {str(name)!r} instead{nearest(str(name), taxonomy_names())}"
        )
        raise OptionError(msg)
    return _own(path)


def _rules() -> Taxonomy:
    catalogue = load_catalogue()
    ids = catalogue.rules["rule_id"]
    categories = pd.DataFrame({"id": ids, "label": ids, "definition": "Matches of this rule of LanguageTool."})
    return Taxonomy(RULES, catalogue.version, categories, _none("rule_id", "category", "reason"))


def _none(*columns: str) -> pd.DataFrame:
    return pd.DataFrame({c: pd.Series(dtype=str) for c in columns})


def _bundled(name: str, version: str) -> Taxonomy:
    categories = pd.read_csv(FOLDER / f"{name}.categories.csv", dtype=str, keep_default_na=False)
    rules = pd.read_csv(FOLDER / f"{name}.rules.csv", dtype=str, keep_default_na=False)
    if "reason" not in rules:
        rules["reason"] = ""
    edits = FOLDER / f"{name}.edits.csv"
    gold = read_strings(edits, required=EDIT_COLUMNS, optional=("note",)) if edits.is_file() else _none(*EDIT_COLUMNS)
    others = FOLDER / f"{name}.fallback.csv"
    wide = (
        read_strings(others, required=("lt_category", "category"))
        if others.is_file()
        else _none("lt_category", "category")
    )
    return Taxonomy(
        name, version, categories, rules, gold, dict(zip(wide["lt_category"], wide["category"], strict=True))
    )


def _own(path: Path) -> Taxonomy:
    rules = read_strings(path, required=("rule_id", "category"), optional=("label", "reason"))
    rules = rules.apply(lambda c: c.str.strip())
    twice = rules.loc[rules.duplicated("rule_id"), "rule_id"]
    nameless = rules.index[rules["rule_id"] == ""]
    if len(twice) or len(nameless):
        msg = f"{path.name}: every line needs a rule_id of its own; twice: {listed(list(twice)) or 'none'}; without: lines {[int(i) + 2 for i in nameless[:10]]}"
        raise InputError(msg)
    named = rules[rules["category"] != ""].drop_duplicates(["category", "label"])
    labels = named[(named["label"] != "") | ~named["category"].isin(named.loc[named["label"] != "", "category"])]
    if labels["category"].duplicated().any():
        msg = f"{path.name}: a category has one label; several have {listed(list(labels.loc[labels['category'].duplicated(), 'category']))}"
        raise InputError(msg)
    categories = pd.DataFrame(
        {
            "id": labels["category"],
            "label": labels["label"].where(labels["label"] != "", labels["category"]),
            "definition": "",
        }
    )
    categories = categories.sort_values("id", kind="stable").reset_index(drop=True)
    rules = rules.sort_values("rule_id", kind="stable").reset_index(drop=True)
    version = "#" + content_key(rules.to_dict("list"))[:8]
    return Taxonomy(path.stem.replace("|", "_"), version, categories, rules[["rule_id", "category", "reason"]])
