"""Which matches are no grammar features by default (spelling, typography, style, ...), as a table that can be changed.

A row says for a rule id, a family of categories, a checker's category or an issue type whether its matches are counted or
excluded, and why. Rule ids decide first; then, for a rule that the taxonomy maps, the family of its category; for all other
rules the checker's category, then the issue type.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from miner.categories.sources import FOLDER, read_strings
from miner.errors import InputError, listed
from miner.store import content_key

_FILE = "exclusions.csv"
_FIELDS = ("rule_id", "family", "lt_category", "issue_type")
_ACTIONS = ("count", "exclude")


@dataclass(frozen=True)
class Exclusions:
    """A table of exclusions.

    Parameters
    ----------
    name : str
        ``"default"``, ``"none"``, or file stem and hash; goes into signatures.
    rows : DataFrame
        ``field`` (rule_id, family, lt_category, issue_type), ``value``, ``action`` (count, exclude), ``reason``.
    """

    name: str
    rows: pd.DataFrame

    @property
    def fingerprint(self) -> str:
        """Hash of the rows."""
        return content_key(self.rows.to_dict("list"))

    def signed(self, signature: str) -> str:
        """Return a taxonomy's signature with these exclusions, which are named unless they are the default."""
        return signature if self.name == "default" else f"{signature};exclude={self.name}"

    def reason(self, rule_id: str, lt_category: str, issue_type: str, *, family: str | None) -> str:
        """Return why matches of the rule are excluded, or an empty string if they are counted.

        Parameters
        ----------
        family : str or None
            Family of the category that the taxonomy maps the rule to; None if it maps the rule to none.
        """
        wanted = [("rule_id", rule_id)]
        wanted += (
            [("family", family)] if family is not None else [("lt_category", lt_category), ("issue_type", issue_type)]
        )
        found = [self._index[w] for w in wanted if w in self._index]
        return found[0] if found else ""

    @property
    def _index(self) -> dict[tuple[str, str], str]:
        cached: dict[tuple[str, str], str] | None = self.__dict__.get("_cached")
        if cached is None:
            rows = self.rows.itertuples(index=False)
            cached = {(r.field, r.value): (r.reason if r.action == "exclude" else "") for r in rows}  # type: ignore[misc]
            self.__dict__["_cached"] = cached
        return cached


def load_exclusions(name: str | Path | Exclusions = "default") -> Exclusions:
    """Return the exclusions of that name.

    Parameters
    ----------
    name : str or Path
        ``"default"`` (the bundled table), ``"none"`` (nothing is excluded but what a taxonomy maps to nothing), or the
        path of a CSV or TSV with columns field, value, action, reason.

    Raises
    ------
    InputError
        If the table cannot be read, has an unknown field or action, an exclusion without a reason, or a value twice.
    """
    if isinstance(name, Exclusions):
        return name
    if name == "none":
        return Exclusions(
            "none", pd.DataFrame({c: pd.Series(dtype=str) for c in ("field", "value", "action", "reason")})
        )
    path = FOLDER / _FILE if name == "default" else Path(name)
    rows = read_strings(path, required=("field", "value", "action", "reason"))
    bad = rows[~rows["field"].isin(_FIELDS) | ~rows["action"].isin(_ACTIONS)]
    silent = rows[(rows["action"] == "exclude") & (rows["reason"].str.strip() == "")]
    twice = rows[rows.duplicated(["field", "value"])]
    for what, part in (
        (f"field must be one of {listed(_FIELDS)} and action one of {listed(_ACTIONS)}", bad),
        ("an exclusion needs a reason", silent),
        ("a value may stand once per field", twice),
    ):
        if len(part):
            msg = f"{path.name}: {what}. Got lines {', '.join(str(i + 2) for i in part.index[:10])}"
            raise InputError(msg)
    own = "default" if name == "default" else f"{path.stem}#{content_key(rows.to_dict('list'))[:8]}"
    return Exclusions(own, rows)
