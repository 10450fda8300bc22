"""A taxonomy: categories with stable ids, and the map from a checker's rule ids to them."""

from __future__ import annotations

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
        One row per category: ``id``, ``label``, ``definition`` and further columns of the taxonomy, all str.
    rules : DataFrame
        ``rule_id`` (unique; with a final ``*`` it stands for all ids that begin so), ``category`` (empty: excluded),
        ``reason`` (of an exclusion) and further columns.
    """

    name: str
    version: str
    categories: pd.DataFrame
    rules: pd.DataFrame
    _labels: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        """Hash of categories and map."""
        return content_key(self.categories.to_dict("list"), self.rules.to_dict("list"))

    @property
    def signature(self) -> str:
        """Name and version as they stand in a result's signature."""
        return f"{self.name}-{self.version}" if self.version else self.name

    def label(self, feature: str) -> str:
        """Return the label of a category id; an id that the taxonomy does not know is its own label."""
        if not self._labels:
            self._labels.update(zip(self.categories["id"], self.categories["label"], strict=True))
        return self._labels.get(feature, feature)

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
        In this order: a row for the rule id in the exclusions; the taxonomy's map (to nothing: excluded); the
        exclusions by category, then by issue type; what is left is unmapped (under ``rules``: mapped to itself).
        """
        exclusions = load_exclusions(exclude)
        triples = list(zip(rule_ids, lt_categories, issue_types, strict=True))
        known = {t: self._one(t, exclusions) for t in set(triples)}
        table = np.empty((len(triples), 3), dtype=object)
        for i, triple in enumerate(triples):
            table[i] = known[triple]
        return Assigned(table[:, 0], table[:, 1], table[:, 2])

    def _one(self, triple: tuple[str, str, str], exclusions: Exclusions) -> tuple[str, str, str]:
        rule_id, lt_category, issue_type = triple
        entry = self._entry(rule_id)
        reason = exclusions.reason(rule_id, lt_category, issue_type, mapped=entry is not None)
        if reason:
            return "excluded", "", reason
        if entry is not None:
            category, why = entry
            return ("mapped", category, "") if category else ("excluded", "", why or NULL_REASON)
        return ("mapped", rule_id, "") if self.name == RULES else ("unmapped", "", "")

    def _entry(self, rule_id: str) -> tuple[str, str] | None:
        exact, prefixes = self._index
        if rule_id in exact:
            return exact[rule_id]
        for prefix, entry in prefixes:
            if rule_id.startswith(prefix):
                return entry
        return None

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


def taxonomy_names() -> list[str]:
    """Return the names of the bundled taxonomies, and ``rules``."""
    return [*read_strings(FOLDER / "taxonomies.csv", required=("name", "version", "title"))["name"], RULES]


def load_taxonomy(name: str | Path | Taxonomy = "trans-env") -> Taxonomy:
    """Return a taxonomy.

    Parameters
    ----------
    name : str or Path
        ``"trans-env"`` (the 48 labels of the paper's learner lists), ``"rules"`` (every rule id counts by itself), or
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
    none = pd.DataFrame({c: pd.Series(dtype=str) for c in ("rule_id", "category", "reason")})
    return Taxonomy(RULES, catalogue.version, categories, none)


def _bundled(name: str, version: str) -> Taxonomy:
    categories = pd.read_csv(FOLDER / f"{name}.categories.csv", dtype=str, keep_default_na=False)
    rules = pd.read_csv(FOLDER / f"{name}.rules.csv", dtype=str, keep_default_na=False)
    if "reason" not in rules:
        rules["reason"] = ""
    return Taxonomy(name, version, categories, rules)


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
