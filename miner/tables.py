"""The tables that stages pass on: each column's type, unit and meaning, declared once.

Docs, checks, sidecars and exports read these declarations. A missing value is an empty cell (``NaN``/``<NA>``);
undefined statistics are missing and the row's ``reason`` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from miner.errors import InputError, listed

if TYPE_CHECKING:
    import pandas as pd

Dtype = Literal["str", "Int64", "float64", "boolean"]


@dataclass(frozen=True)
class Column:
    """One column: its pandas dtype, unit (empty for names) and meaning; ``source`` gives the formula or origin."""

    name: str
    dtype: Dtype
    unit: str
    meaning: str
    source: str = ""


@dataclass(frozen=True)
class Table:
    """A table contract.

    Parameters
    ----------
    name : str
        File stem of the table.
    key : tuple of str
        Columns that identify a row; rows are unique in them and sorted by them unless ``ranked``.
    columns : tuple of Column
        In file order.
    ranked : bool
        The rows' order is part of the result (a ranking); it is kept.
    open_ended : bool
        Further columns (``meta_*``) may follow.
    """

    name: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    ranked: bool = False
    open_ended: bool = False

    @property
    def names(self) -> list[str]:
        """The declared column names in order."""
        return [c.name for c in self.columns]

    def empty(self) -> pd.DataFrame:
        """Return a frame of this table without rows."""
        return conform([], self)


def conform(rows: pd.DataFrame | Sequence[dict[str, object]], table: Table) -> pd.DataFrame:
    """Return the rows as a frame that keeps the contract: columns, order, dtypes, unique key, sorted rows.

    Raises
    ------
    InputError
        If a column is missing or undeclared, a value does not fit the dtype, or a key occurs twice.
    """
    import numpy as np
    import pandas as pd

    frame = rows.copy(deep=False) if isinstance(rows, pd.DataFrame) else pd.DataFrame(list(rows), columns=None)
    if frame.empty and not len(frame.columns):
        frame = pd.DataFrame({n: [] for n in table.names})
    missing = [n for n in table.names if n not in frame]
    extra = [n for n in frame.columns if n not in table.names]
    if missing or (extra and not table.open_ended):
        problems = (("missing", missing), ("undeclared", extra if not table.open_ended else []))
        found = "; ".join(f"{what} columns {listed(names)}" for what, names in problems if names)
        msg = f"Table '{table.name}': {found}"
        raise InputError(msg)
    frame = frame[[*table.names, *extra]]
    for column in table.columns:
        try:
            with np.errstate(invalid="ignore"):  # what is too large for an integer is refused just below
                frame[column.name] = frame[column.name].astype(column.dtype)
        except (ValueError, TypeError, OverflowError) as err:
            msg = f"Table '{table.name}': column '{column.name}' does not hold {column.dtype} values ({err})"
            raise InputError(msg) from err
    key = list(table.key)
    if frame.duplicated(key).any():
        first = frame.loc[frame.duplicated(key), key].iloc[0].to_dict()
        msg = f"Table '{table.name}': the key {key} occurs twice, first {first}"
        raise InputError(msg)
    if not table.ranked:
        frame = frame.sort_values(key, kind="stable", key=codepoint_order)
    return frame.reset_index(drop=True)


def codepoint_order(column: pd.Series) -> pd.Series:
    """Return sort keys, for ``sort_values``: strings by code point whatever the locale, numeric ids by number (1, 2, 9, 10)."""
    import pandas as pd

    if pd.api.types.is_numeric_dtype(column):
        return column
    codes, values = pd.factorize(column.astype("object"), use_na_sentinel=False)
    keys = [_sort_value(value) for value in values.tolist()]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    rank = [0] * len(values)
    for position, i in enumerate(order):
        rank[i] = position
    return pd.Series(pd.array(rank, dtype="int64").take(codes), index=column.index)


def _sort_value(value: object) -> tuple[int, int, str]:
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        return 0, int(value), value
    return 1, 0, value if isinstance(value, str) else ""


_TEXT_ID = Column(
    "text_id", "str", "", "id of the text: the corpus's own, or a hash of its row's content plus a counter"
)
_L1 = Column("l1", "str", "", "native language, ISO 639; several joined by ';' in the order given; empty when unknown")
_BAND = Column("band", "str", "", "CEFR band A, B or C; empty when unknown")

TEXTS = Table(
    "texts",
    ("text_id",),
    (
        _TEXT_ID,
        Column("corpus", "str", "", "name of the corpus"),
        _L1,
        Column("l1_raw", "str", "", "native language (or what stood for it) as the corpus gives it"),
        Column("l1_source", "str", "", "declared, nationality, country or file"),
        Column("level_raw", "str", "", "level as the corpus gives it"),
        Column("level", "str", "", "the corpus's own level, cleaned"),
        Column("cefr", "str", "", "CEFR level A1..C2; empty when unknown or only a band is known"),
        _BAND,
        Column("cefr_source", "str", "", "corpus, assessed, placement, score, classifier or llm"),
        Column("flags", "str", "", "what was noticed about the text, joined by ';'"),
        Column("learner_id", "str", "", "learner; empty when the corpus does not tell"),
        Column("prompt_id", "str", "", "prompt or task; empty when the corpus does not tell"),
        Column("country", "str", "", "country, where known; never printed as L1"),
        Column("site", "str", "", "institution or site, where known"),
        Column("task_type", "str", "", "kind of task, where known"),
        Column("text", "str", "", "what the learner wrote, outer white space stripped"),
        Column("n_words", "Int64", "words", "white-space tokens with at least one letter or digit"),
        Column("n_sentences", "Int64", "sentences", "by miner's sentence splitter"),
    ),
    open_ended=True,
)

EDITS = Table(
    "edits",
    ("text_id", "annotator", "row"),
    (
        _TEXT_ID,
        Column("annotator", "str", "", "annotator; several are alternatives, never pooled"),
        Column("start", "Int64", "code points", "start in texts.text; -1 for noop"),
        Column("end", "Int64", "code points", "end (exclusive) in texts.text; -1 for noop"),
        Column("token_start", "Int64", "tokens", "start token (M2 only)"),
        Column("token_end", "Int64", "tokens", "end token, exclusive (M2 only)"),
        Column("original", "str", "", "the text between start and end"),
        Column("correction", "str", "", "its correction; empty and kind=delete when it goes"),
        Column("type", "str", "", "error code in the scheme"),
        Column("scheme", "str", "", "clc, errant, efcamdat or none"),
        Column("kind", "str", "", "replace, insert, delete, detect (no correction) or noop (checked, no error)"),
        Column("row", "Int64", "", "order of the edit in its text and annotator"),
    ),
)

MATCHES = Table(
    "matches",
    ("text_id", "start", "end", "rule_id", "sub_id", "n_same"),
    (
        _TEXT_ID,
        Column("start", "Int64", "code points", "start in texts.text"),
        Column("end", "Int64", "code points", "end (exclusive) in texts.text"),
        Column("rule_id", "str", "", "the engine's rule"),
        Column("sub_id", "str", "", "sub-rule, where the engine tells it"),
        Column("lt_category", "str", "", "LanguageTool's category id of the rule, e.g. GRAMMAR"),
        Column("issue_type", "str", "", "LanguageTool's issue type, e.g. misspelling"),
        Column("engine", "str", "", "engine and version"),
        Column("n_same", "Int64", "", "counter of identical matches, from 1"),
    ),
    open_ended=True,
)

CHECKED = Table(
    "checked",
    ("text_id",),
    (
        _TEXT_ID,
        Column("status", "str", "", "checked, incomplete or skipped"),
        Column("reason", "str", "", "why the text is not (wholly) checked"),
        Column("n_matches", "Int64", "matches", "matches found; empty when not checked"),
    ),
)

COUNTS = Table(
    "counts",
    ("text_id", "feature"),
    (
        _TEXT_ID,
        Column("feature", "str", "", "category id (or rule id under taxonomy 'rules')"),
        Column("n", "Int64", "matches", "matches of the feature in the text; never 0"),
    ),
)

UNITS = Table(
    "units",
    ("text_id",),
    (
        _TEXT_ID,
        Column("learner", "str", "", "learner; empty when the corpus does not tell"),
        _L1,
        _BAND,
        Column("prompt", "str", "", "prompt; empty when the corpus does not tell"),
        Column("words", "Int64", "words", "words of the text"),
        Column("opportunities", "Int64", "places", "places where the feature could occur; empty where not defined"),
    ),
)

MATCH_SUMMARY = Table(
    "match_summary",
    ("status", "feature", "rule_id"),
    (
        Column("status", "str", "", "mapped, excluded or unmapped"),
        Column("feature", "str", "", "category id; empty unless mapped"),
        Column("rule_id", "str", "", "the engine's rule"),
        Column("lt_category", "str", "", "LanguageTool's category id of the rule"),
        Column("reason", "str", "", "why the rule is excluded"),
        Column("matches", "Int64", "matches", "matches kept under the overlap policy"),
        Column("texts", "Int64", "texts", "texts with such a match"),
    ),
)

L1_TESTS = Table(
    "l1_tests",
    ("l1", "cefr", "feature"),
    (
        Column("l1", "str", "", "target L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band of the cell"),
        Column("feature", "str", "", "category id"),
        Column("label", "str", "", "category label"),
        Column("family", "str", "", "family of the feature: errors"),
        Column("unit", "str", "", "unit of analysis: text or learner"),
        Column("texts_target", "Int64", "texts", "texts of the target"),
        Column("texts_reference", "Int64", "texts", "texts of the reference"),
        Column("learners_target", "Int64", "learners", "learners of the target; empty when unknown"),
        Column("learners_reference", "Int64", "learners", "learners of the reference; empty when unknown"),
        Column("errors_target", "Int64", "matches", "matches in the target"),
        Column("errors_reference", "Int64", "matches", "matches in the reference"),
        Column("words_target", "Int64", "words", "words of the target"),
        Column("words_reference", "Int64", "words", "words of the reference"),
        Column("opportunities_target", "Int64", "places", "opportunities of the target; empty where not defined"),
        Column("opportunities_reference", "Int64", "places", "opportunities of the reference; empty where not defined"),
        Column(
            "reference",
            "str",
            "",
            "composition of the reference: L1:units, joined by blanks (permutation test: only L1s and units that are compared)",
        ),
        Column(
            "rate_target", "float64", "per 1,000 words", "mean over units", "mean of 1000 * errors / words of a unit"
        ),
        Column(
            "rate_reference", "float64", "per 1,000 words", "mean over units", "mean of 1000 * errors / words of a unit"
        ),
        Column("ratio_of_sums_target", "float64", "per 1,000 words", "pooled rate", "1000 * sum(errors) / sum(words)"),
        Column(
            "ratio_of_sums_reference", "float64", "per 1,000 words", "pooled rate", "1000 * sum(errors) / sum(words)"
        ),
        Column("effect", "float64", "per 1,000 words", "difference of mean rates", "rate_target - rate_reference"),
        Column("ci_low", "float64", "per 1,000 words", "lower end of the effect's 95 % interval"),
        Column("ci_high", "float64", "per 1,000 words", "upper end of the effect's 95 % interval"),
        Column("hedges_g", "float64", "standard deviations", "standardised effect", "d * (1 - 3 / (4 (n1 + n2) - 9))"),
        Column(
            "log_ratio",
            "float64",
            "natural logarithm",
            "rate ratio over prompts (permutation test only)",
            "Mantel-Haenszel over prompts, learners jackknifed",
        ),
        Column(
            "log_ratio_low",
            "float64",
            "natural logarithm",
            "lower end of its 95 % interval; empty under 10 units of a side",
        ),
        Column(
            "log_ratio_high",
            "float64",
            "natural logarithm",
            "upper end of its 95 % interval; empty under 10 units of a side",
        ),
        Column(
            "log_ratio_se",
            "float64",
            "natural logarithm",
            "its jackknife standard error over learners; empty under 10 units of a side",
        ),
        Column(
            "log_ratio_df",
            "float64",
            "degrees of freedom",
            "of the t quantile in its intervals: replicates or units of the smaller side, less 1",
        ),
        Column(
            "log_ratio_levels",
            "float64",
            "natural logarithm",
            "ratio of mean rates with all bands taken together: levels given by raters who see the errors are partly an outcome, so that the contrast within them is not the whole; empty with one band, or where a side has no occurrence",
            "mean over units of the target / mean of the reference, weighted as the preset says",
        ),
        Column(
            "bound",
            "float64",
            "natural logarithm",
            "size of the log ratio that is left at the cautious end of its interval, taken in the direction of `effect`; negative if the interval holds 0 or lies on the other side",
        ),
        Column(
            "fcr_low",
            "float64",
            "natural logarithm",
            "lower end of the false-coverage-adjusted interval of a selected feature's log ratio",
        ),
        Column("fcr_high", "float64", "natural logarithm", "upper end of that interval"),
        Column("users_target", "Int64", "units", "units of the target with the feature"),
        Column("users_reference", "Int64", "units", "units of the reference with the feature"),
        Column("prompts", "Int64", "prompts", "known prompts of the band with the feature; empty where none is known"),
        Column(
            "rate_native",
            "float64",
            "per 1,000 words",
            "mean over units of native speakers of English; empty without them",
        ),
        Column(
            "scope",
            "str",
            "",
            "learner-general: this L1 and most L1s differ from natives in the direction of its contrast; L1-specific: not so; empty without natives",
        ),
        Column(
            "top_share",
            "float64",
            "share",
            "largest share of one unit in the occurrences of the side that uses the feature more",
        ),
        Column(
            "strata",
            "str",
            "",
            "what units are compared within: prompt (sets of bands and prompts) or level (permutation test only)",
        ),
        Column(
            "informative_target",
            "Int64",
            "units",
            "units of the target in strata where another L1 is (permutation test only)",
        ),
        Column("test", "str", "", "the deciding test: student, welch or permutation"),
        Column("statistic", "float64", "", "its statistic: t, or z standardised by its permutation distribution"),
        Column("df", "float64", "", "its degrees of freedom; empty for permutation"),
        Column("studentised", "float64", "", "effect over its standard error (permutation test only)"),
        Column("null_mean", "float64", "", "mean of `studentised` over the first pass of labellings"),
        Column("null_sd", "float64", "", "its standard deviation over them (divisor: their number)"),
        Column(
            "null_skew",
            "float64",
            "",
            "its skewness over them; `statistic` is the normal score of (studentised - null_mean) / null_sd under this skewness",
            "6 / g * ((g * x / 2 + 1)^(1/3) - 1) + g / 6 on the side of the long tail, x - g * (x^2 - 1) / 6 on the other where |x| > 1",
        ),
        Column("p", "float64", "probability", "the deciding p-value; empty when untestable"),
        Column(
            "p_method",
            "str",
            "",
            "permutation: exact (extreme / permutations), monte carlo ((extreme + 1) / (permutations + 1)), tail (Pearson type III), sequential (further permutations up to the tenth as extreme: extreme / permutations, or to their end) or floor ((extreme + 1) / (permutations + 1), an upper bound)",
        ),
        Column("permutations", "Int64", "labellings", "labellings that p_method speaks of (permutation test only)"),
        Column("extreme", "Int64", "labellings", "those at least as extreme as the true one (permutation test only)"),
        Column(
            "family_p", "float64", "probability", "max-T test that the family holds anything; empty when not asked for"
        ),
        Column(
            "stability",
            "float64",
            "share",
            "half-samples of learners in which the feature is among the best of its cell; empty when not asked for",
        ),
        Column("rank_low", "float64", "", "5 % quantile of its rank over half-samples"),
        Column("rank_high", "float64", "", "95 % quantile of its rank over half-samples"),
        Column("stability_best", "Int64", "features", "features counted as best in a half-sample"),
        Column(
            "stability_errors",
            "float64",
            "features",
            "bound of the expected number of wrongly stable features of the cell",
            "Shah and Samworth 2013, theorem 2",
        ),
        Column(
            "q", "float64", "probability", "p adjusted inside `correction_family`; p itself when correction is none"
        ),
        Column("correction", "str", "", "none, bh, by, holm, storey or max-t"),
        Column("correction_family", "str", "", "the family in which p is adjusted"),
        Column("m", "Int64", "tests", "size of the family: its testable rows"),
        Column(
            "null_share",
            "float64",
            "share",
            "estimated share of true nulls in the family, which correction storey multiplies BH's q by (at least p; 1 where p is above .5); empty with others",
            "min(1, (1 + number of p > .5) / (.5 m))",
        ),
        Column(
            "replication",
            "float64",
            "probability",
            "expected probability that a new sample of the same size shows the same direction with one-sided p < .05; empty when not asked for",
        ),
        Column(
            "replication_list",
            "float64",
            "probability",
            "mean of `replication` over the family's candidates (rows that pass all thresholds but replication and stability) that are at least as probable; empty for others",
        ),
        Column("status", "str", "", "tested, untestable, degenerate or unresolved (too few permutations to decide)"),
        Column("reason", "str", "", "why the row is not tested"),
        Column(
            "failed",
            "str",
            "",
            "thresholds of the preset that a tested row fails, joined by blanks: q, family, direction, ratio, spread, replication, stability; empty when selected",
        ),
    ),
)

L1_INVENTORY = Table(
    "l1_inventory",
    ("l1", "cefr", "rank"),
    (
        Column("l1", "str", "", "target L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("rank", "Int64", "", "rank in the cell, from 1"),
        Column("feature", "str", "", "category id"),
        Column("label", "str", "", "category label"),
        Column("family", "str", "", "family of the feature: errors"),
        Column("direction", "str", "", "over or under: used more or less than in the reference"),
        Column("effect", "float64", "per 1,000 words", "difference of mean rates"),
        Column("ci_low", "float64", "per 1,000 words", "lower end of the effect's 95 % interval"),
        Column("ci_high", "float64", "per 1,000 words", "upper end of the effect's 95 % interval"),
        Column("rate_target", "float64", "per 1,000 words", "mean over units"),
        Column("rate_reference", "float64", "per 1,000 words", "mean over units"),
        Column(
            "log_ratio",
            "float64",
            "natural logarithm",
            "rate ratio over prompts; empty unless the preset tests by permutation",
        ),
        Column("log_ratio_low", "float64", "natural logarithm", "lower end of its 95 % interval"),
        Column("log_ratio_high", "float64", "natural logarithm", "upper end of its 95 % interval"),
        Column(
            "bound", "float64", "natural logarithm", "size of the log ratio left at the end of its interval nearer to 0"
        ),
        Column(
            "stability",
            "float64",
            "share",
            "half-samples of learners in which the feature is among the best of its cell",
        ),
        Column(
            "scope",
            "str",
            "",
            "L1-specific or learner-general (natives differ alike from most L1s); empty without natives",
        ),
        Column("statistic", "float64", "", "t, or the standardised permutation statistic"),
        Column("p", "float64", "probability", "the deciding p-value"),
        Column("q", "float64", "probability", "adjusted p-value"),
        Column(
            "replication",
            "float64",
            "probability",
            "expected probability that a new sample of the same size shows the same direction with one-sided p < .05; empty when not asked for",
        ),
        Column("texts_target", "Int64", "texts", "texts of the target"),
        Column("learners_target", "Int64", "learners", "learners of the target; empty when unknown"),
        Column("errors_target", "Int64", "matches", "matches in the target"),
        Column("preset", "str", "", "the recipe that selected the feature"),
    ),
)

_VARIETY = (
    Column("variety_id", "str", "", "eWAVE id of the variety"),
    Column("variety", "str", "", "eWAVE name, verbatim"),
)
_FEATURE = (
    Column("feature_id", "str", "", "eWAVE id of the feature"),
    Column("feature", "str", "", "eWAVE name, verbatim"),
)

RATINGS = Table(
    "ratings",
    ("variety_id", "feature_id"),
    (
        Column("variety_id", "str", "", "eWAVE id of the variety"),
        Column("feature_id", "str", "", "eWAVE id of the feature"),
        Column("rating", "str", "", "A, B, C, D, X or ?; empty when the cell is absent"),
    ),
)

VARIETIES = Table(
    "varieties",
    ("variety_id",),
    (
        *_VARIETY,
        Column("abbr", "str", "", "eWAVE abbreviation"),
        Column("type", "str", "", "eWAVE variety type: L1t, L1c, L2, P, Cr"),
        Column("region", "str", "", "eWAVE region"),
        Column("latitude", "float64", "degrees", "latitude as eWAVE gives it"),
        Column("longitude", "float64", "degrees", "longitude as eWAVE gives it"),
    ),
)

FEATURES = Table(
    "features",
    ("feature_id",),
    (*_FEATURE, Column("area", "str", "", "grammar area, eWAVE name")),
)

DIALECT_CLUSTERS = Table(
    "dialect_clusters",
    ("variety_id",),
    (
        *_VARIETY,
        Column("type", "str", "", "eWAVE variety type"),
        Column("region", "str", "", "eWAVE region"),
        Column("cluster", "Int64", "", "cluster, numbered from 1 by size (largest first), then by smallest variety id"),
        Column("cluster_size", "Int64", "varieties", "members of the cluster"),
        Column("silhouette", "float64", "", "silhouette of the variety; 0 for a singleton, empty when undefined"),
        Column("in_dialect_set", "boolean", "", "whether the variety is in the dialect set"),
        Column(
            "reason",
            "str",
            "",
            "why a member of the kept cluster is left out, or the variety is kept out of clustering",
        ),
        *(
            Column(f"n_{c}", "Int64", "features", f"features rated {s}")
            for c, s in zip(
                ("a", "b", "c", "d", "x", "unknown", "absent"),
                ("A", "B", "C", "D", "X", "?", "absent (no cell)"),
                strict=True,
            )
        ),
    ),
)

K_SELECTION = Table(
    "k_selection",
    ("k",),
    (
        Column("k", "Int64", "clusters", "number of clusters"),
        Column("inertia", "float64", "", "within-cluster sum of squares of the best solution found"),
        Column("silhouette", "float64", "", "mean silhouette; empty when undefined"),
        Column("starts", "Int64", "starts", "plain starts"),
        Column("solutions", "Int64", "solutions", "different partitions among the starts"),
        Column("share_best", "float64", "share", "share of starts that reached the best solution of the plain starts"),
        Column("reason", "str", "", "why a value is empty"),
    ),
)

DIALECT_INVENTORY = Table(
    "dialect_inventory",
    ("variety_id", "feature_id"),
    (
        *_VARIETY,
        *_FEATURE,
        Column("area", "str", "", "grammar area"),
        Column("rating", "str", "", "eWAVE rating"),
        Column("weight", "float64", "", "the rating's value in the encoding"),
    ),
)

DISTANCES = Table(
    "distances",
    ("metric", "encoding", "from_id", "variety_id"),
    (
        Column("from_id", "str", "", "eWAVE id of the reference point; 'zero' for the zero vector"),
        Column("from_variety", "str", "", "its eWAVE name"),
        *_VARIETY,
        Column(
            "metric",
            "str",
            "",
            "manhattan (mean absolute difference), manhattan-236 (Multi-VALUE's divisor), gower or euclidean (in SVD space)",
        ),
        Column("encoding", "str", "", "encoding of the ratings"),
        Column("distance", "float64", "", "the distance; empty when undefined"),
        Column("bound_low", "float64", "", "lowest distance that any ratings of the X, ? and absent cells can give"),
        Column("bound_high", "float64", "", "highest such distance"),
        Column("ci_low", "float64", "", "2.5th percentile over resamples of features; empty without resamples"),
        Column("ci_high", "float64", "", "97.5th percentile over resamples of features; empty without resamples"),
        Column("spread", "float64", "", "standard deviation over imputations; empty when nothing is imputed"),
        Column("n_shared", "Int64", "features", "features the distance rests on"),
        Column("n_unrated", "Int64", "features", "features rated X, ? or absent in the variety or the reference point"),
        Column("reason", "str", "", "why the distance is empty"),
    ),
)

PLANTED = Table(
    "planted",
    ("l1", "cefr", "feature"),
    (
        Column("l1", "str", "", "L1 of the simulated texts, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("feature", "str", "", "category id of taxonomy trans-env"),
        Column("error", "str", "", "the erroneous variant, in words"),
        Column("checker_sees", "boolean", "", "whether a rule checker can see the error"),
        Column("planted", "boolean", "", "whether the rate ratio differs from 1"),
        Column("base_rate", "float64", "per 1,000 words", "rate where nothing is planted"),
        Column("rate_ratio", "float64", "", "factor of the base rate in this L1 and band"),
        Column("rate_target", "float64", "per 1,000 words", "expected rate in the L1's texts"),
        Column(
            "rate_reference", "float64", "per 1,000 words", "expected rate in the texts of all other L1s of the band"
        ),
        Column(
            "direction",
            "str",
            "",
            "over, under or none: sign of the L1's contrast with the reference, from the rate ratios",
        ),
        Column("learners_target", "Int64", "learners", "learners of the L1 in the band"),
        Column("texts_target", "Int64", "texts", "their texts"),
        Column("words_target", "Int64", "words", "words of these texts"),
        Column("learners_reference", "Int64", "learners", "learners of all other L1s in the band"),
        Column("texts_reference", "Int64", "texts", "their texts"),
        Column("words_reference", "Int64", "words", "words of these texts"),
        Column(
            "power",
            "float64",
            "probability",
            "calculated power of Student's two-sided test at .05 over texts (preset trans-env) to find the contrast in its direction; the rate of false alarms where there is none; missing where a group has fewer than 2 units, or 3 errors by expectation",
        ),
        Column("power_welch_learners", "float64", "probability", "the same for Welch's test over learners"),
    ),
)

EXPORT_REPORT = Table(
    "export_report",
    ("section", "group", "item"),
    (
        Column("section", "str", "", "l1 or dialect"),
        Column("group", "str", "", "L1 and band (ar:A), or the variety's eWAVE name"),
        Column("item", "str", "", "id of the feature"),
        Column("label", "str", "", "label of the feature, byte for byte"),
        Column(
            "label_json", "str", "", "the label as a JSON string, which readers that take NA for missing leave alone"
        ),
        Column("status", "str", "", "served or not served"),
        Column("key", "str", "", "the consumer's keys for it, joined by ' | '"),
        Column("reason", "str", "", "why it is not served"),
        Column("near_miss", "str", "", "the consumer's key that differs only in quotes, dashes, blanks or case"),
    ),
)

_COUNTS_OF_STATES = tuple(
    Column(f"n_{c}", "Int64", "cells", f"cells rated {s}")
    for c, s in zip(
        ("a", "b", "c", "d", "x", "unknown", "absent"), ("A", "B", "C", "D", "X", "?", "absent (no cell)"), strict=True
    )
)

NEIGHBOURS = Table(
    "neighbours",
    ("variety_id", "rank"),
    (
        *_VARIETY,
        Column("rank", "Int64", "", "1 for the nearest; ties by id"),
        Column("neighbour_id", "str", "", "eWAVE id of the neighbour"),
        Column("neighbour", "str", "", "its eWAVE name"),
        Column("distance", "float64", "", "the distance"),
        Column("n_shared", "Int64", "features", "features the distance rests on"),
        Column("mutual", "boolean", "", "whether each is among the other's nearest"),
    ),
)

CLUSTERINGS = Table(
    "clusterings",
    ("method", "k", "variety_id"),
    (
        Column(
            "method", "str", "", "kmeans, hierarchical (average linkage) or spectral (graph of 7 nearest neighbours)"
        ),
        Column("k", "Int64", "clusters", "number of clusters asked for"),
        *_VARIETY,
        Column("cluster", "Int64", "", "cluster, numbered by size, then by smallest variety id"),
        Column("cluster_size", "Int64", "varieties", "members of the cluster"),
        Column("silhouette", "float64", "", "silhouette of the variety; empty when undefined"),
    ),
)

STABILITY = Table(
    "stability",
    ("source", "k"),
    (
        Column("source", "str", "", "what varies: starts, features, encodings, imputations, or all together"),
        Column("k", "Int64", "clusters", "number of clusters"),
        Column("replicates", "Int64", "partitions", "partitions compared"),
        Column("ari", "float64", "", "mean adjusted Rand index of all pairs of partitions"),
        Column("ari_low", "float64", "", "2.5th percentile over pairs"),
        Column("ari_high", "float64", "", "97.5th percentile over pairs"),
        Column(
            "ambiguous", "float64", "share", "pairs of varieties that share a cluster in 10 to 90 % of the partitions"
        ),
        Column("null_ari", "float64", "", "mean under the null: ratings permuted within each feature"),
        Column("null_high", "float64", "", "95th percentile of the null's means"),
        Column("p", "float64", "probability", "(nulls at least as stable + 1) / (nulls + 1)"),
        Column("nulls", "Int64", "data sets", "permuted data sets"),
        Column(
            "supported", "boolean", "", "stable enough and more stable than the null; decided for features and together"
        ),
        Column("reason", "str", "", "why not"),
    ),
)

COMEMBERSHIP = Table(
    "comembership",
    ("source", "k", "variety_id", "other_id"),
    (
        Column("source", "str", "", "what varies"),
        Column("k", "Int64", "clusters", "number of clusters"),
        Column("variety_id", "str", "", "eWAVE id"),
        Column("other_id", "str", "", "eWAVE id, later in id order"),
        Column("share", "float64", "share", "partitions in which the two share a cluster"),
    ),
)

MEMBERSHIP = Table(
    "membership",
    ("k", "variety_id"),
    (
        Column("k", "Int64", "clusters", "number of clusters"),
        *_VARIETY,
        Column("type", "str", "", "eWAVE variety type"),
        Column("region", "str", "", "eWAVE region"),
        Column("cluster", "Int64", "", "consensus cluster, numbered by size, then by smallest variety id"),
        Column("cluster_name", "str", "", "its number and its member of greatest strength (smallest id among equals)"),
        Column(
            "strength", "float64", "share", "mean co-membership with the other members of the cluster; empty if alone"
        ),
        Column("next_cluster", "Int64", "", "the other cluster with the greatest mean co-membership"),
        Column("next_strength", "float64", "share", "that mean"),
        Column(
            "core",
            "Int64",
            "",
            "stable core: all its pairs share a cluster in at least 90 % of partitions; empty if in none",
        ),
        Column("n_unrated", "Int64", "features", "features rated X, ? or absent"),
        Column("supported", "boolean", "", "whether this k is supported at all"),
    ),
)

AGREEMENT = Table(
    "agreement",
    ("k", "with"),
    (
        Column("k", "Int64", "clusters", "number of clusters"),
        Column("with", "str", "", "eWAVE's own grouping: type or region"),
        Column("ari", "float64", "", "adjusted Rand index of the consensus partition and that grouping"),
        Column("ci_low", "float64", "", "2.5th percentile over partitions of feature resamples"),
        Column("ci_high", "float64", "", "97.5th percentile over partitions of feature resamples"),
        Column("p", "float64", "probability", "one-sided, labels permuted over varieties"),
        Column("permutations", "Int64", "", "permutations behind p"),
        Column("n", "Int64", "varieties", "varieties compared"),
    ),
)

TREE = Table(
    "tree",
    ("join",),
    (
        Column("join", "Int64", "", "number of the join; below n are leaves in id order"),
        Column("left", "Int64", "", "one part"),
        Column("right", "Int64", "", "the other part"),
        Column("height", "float64", "", "distance at which they join"),
        Column("size", "Int64", "varieties", "leaves below"),
        Column("support", "float64", "share", "trees of feature resamples with a branch of exactly these leaves"),
        Column("members", "str", "", "their ids, joined by blanks"),
    ),
)

EWAVE_DIFF = Table(
    "ewave_diff",
    ("variety_id", "feature_id"),
    (
        *_VARIETY,
        *_FEATURE,
        Column("rating_a", "str", "", "rating in the first table; empty when absent"),
        Column("rating_b", "str", "", "rating in the second table; empty when absent"),
    ),
)

FEATURE_PROFILE = Table(
    "feature_profile",
    ("feature_id",),
    (
        *_FEATURE,
        Column("area", "str", "", "grammar area"),
        *_COUNTS_OF_STATES,
        Column("attestation", "float64", "share", "varieties rated A, B or C among all", "(A + B + C) / varieties"),
        Column("attestation_rated", "float64", "share", "the same among those rated", "(A + B + C) / (A + B + C + D)"),
        Column("pervasiveness", "float64", "", "mean weight where attested", "(A + 0.6 B + 0.3 C) / (A + B + C)"),
    ),
)

VARIETY_PROFILE = Table(
    "variety_profile",
    ("variety_id",),
    (
        *_VARIETY,
        Column("type", "str", "", "eWAVE variety type"),
        Column("region", "str", "", "eWAVE region"),
        *_COUNTS_OF_STATES,
        Column("attested", "float64", "share", "features rated A, B or C among all", "(A + B + C) / features"),
        Column("attested_rated", "float64", "share", "the same among those rated", "(A + B + C) / (A + B + C + D)"),
        Column("pervasiveness", "float64", "", "mean weight where attested", "(A + 0.6 B + 0.3 C) / (A + B + C)"),
    ),
)

COVERAGE = Table(
    "coverage",
    ("variety_id",),
    (
        *_VARIETY,
        Column("abbr", "str", "", "eWAVE abbreviation"),
        Column("catalogued", "Int64", "features", "features rated A, B or C"),
        Column("implemented_functions", "Int64", "functions", "Multi-VALUE functions for them, as its Table 6 counts"),
        Column("implemented_pct", "float64", "per cent", "100 * implemented_functions / catalogued, as printed there"),
        Column("implemented_features", "Int64", "features", "catalogued features with at least one function"),
        Column("features_pct", "float64", "per cent", "100 * implemented_features / catalogued"),
        Column("missing_features", "str", "", "catalogued features without a function, ids joined by blanks"),
    ),
)

DISTINCTIVE = Table(
    "distinctive",
    ("group", "rank"),
    (
        Column("group", "str", "", "the variety's id, or the group's name"),
        Column("group_label", "str", "", "the variety's eWAVE name, or what the group is"),
        Column("rank", "Int64", "", "1 for the most distinctive"),
        *_FEATURE,
        Column("area", "str", "", "grammar area"),
        Column("rating", "str", "", "the variety's rating; empty for groups"),
        Column("share_group", "float64", "share", "rated members that have the feature (at the stated ratings)"),
        Column("share_others", "float64", "share", "rated other varieties that have it"),
        Column("log_odds", "float64", "log odds ratio", "natural log, 0.5 added to each cell (Haldane-Anscombe)"),
        Column("ci_low", "float64", "log odds ratio", "lower end of the 95 % interval (normal approximation)"),
        Column("ci_high", "float64", "log odds ratio", "upper end of the 95 % interval"),
        Column("bound_low", "float64", "log odds ratio", "lowest value that any ratings of the open cells can give"),
        Column("bound_high", "float64", "log odds ratio", "highest such value"),
        Column("n_group", "Int64", "varieties", "rated members"),
        Column("n_others", "Int64", "varieties", "rated others"),
        Column("n_open", "Int64", "varieties", "varieties rated X, ? or absent for the feature"),
    ),
    ranked=True,
)

SHARED_CORE = Table(
    "shared_core",
    ("group", "feature_id"),
    (
        Column("group", "str", "", "name of the group: a cluster, region or type"),
        *_FEATURE,
        Column("area", "str", "", "grammar area"),
        Column("n_members", "Int64", "varieties", "members of the group"),
        Column("n_rated", "Int64", "varieties", "members rated for the feature"),
        Column("n_have", "Int64", "varieties", "members that have it at the stated ratings"),
        Column("share", "float64", "share", "n_have / n_rated"),
        Column("share_low", "float64", "share", "n_have / n_members: unrated members counted as without it"),
        Column("share_high", "float64", "share", "unrated members counted as with it"),
    ),
)

MANTEL = Table(
    "mantel",
    ("within",),
    (
        Column("within", "str", "", "over all varieties, or permuted inside eWAVE types"),
        Column("rho", "float64", "", "Spearman correlation of linguistic distance and log great-circle distance"),
        Column("p", "float64", "probability", "one-sided (greater); varieties permuted"),
        Column("permutations", "Int64", "", "permutations behind p"),
        Column("n_varieties", "Int64", "varieties", "varieties with coordinates and distances"),
        Column("n_pairs", "Int64", "pairs", "pairs compared"),
        Column("warning", "str", "", "what the test cannot tell"),
    ),
)

PERFORMANCE = Table(
    "performance",
    ("series",),
    (
        Column("series", "str", "", "model and benchmark, or 'all': the mean over them"),
        Column("n", "Int64", "varieties", "varieties with a distance and a score: the unit"),
        Column("pearson", "float64", "", "Pearson correlation of distance and score"),
        Column("spearman", "float64", "", "Spearman correlation of distance and score"),
        Column(
            "p", "float64", "probability", "two-sided, of Spearman; the same permutations of varieties for all series"
        ),
        Column("permutations", "Int64", "", "permutations behind p; all arrangements where these are fewer"),
        Column("slope", "float64", "score per unit of distance", "least squares"),
        Column("loo_low", "float64", "", "lowest Spearman when one variety is left out"),
        Column("loo_high", "float64", "", "highest"),
        Column("loo_variety", "str", "", "the variety whose absence changes Spearman most"),
        Column("rho_a_features_distance", "float64", "", "Spearman of the number of A features and distance"),
        Column("rho_a_features_score", "float64", "", "Spearman of the number of A features and score"),
        Column("rho_unrated_distance", "float64", "", "Spearman of the number of unrated cells and distance"),
        Column("rho_unrated_score", "float64", "", "Spearman of the number of unrated cells and score"),
        Column("partial", "float64", "", "Spearman of distance and score, both covariates' ranks held constant"),
        Column("reason", "str", "", "why values are empty"),
    ),
)

INFLUENCE = Table(
    "influence",
    ("series", "variety_id"),
    (
        Column("series", "str", "", "model and benchmark, or 'all'"),
        *_VARIETY,
        Column("distance", "float64", "", "distance from the reference point"),
        Column("score", "float64", "", "score; for 'all' empty"),
        Column("n_a", "Int64", "features", "features rated A: what a transformer applied"),
        Column("n_unrated", "Int64", "features", "features rated X, ? or absent"),
        Column("spearman_without", "float64", "", "Spearman of the others"),
        Column("change", "float64", "", "spearman_without - spearman of all"),
    ),
)

DIFFICULTY = Table(
    "difficulty",
    ("series",),
    (
        Column("series", "str", "", "model and benchmark"),
        Column("n", "Int64", "L1s", "L1s with a category and a score"),
        Column("spearman", "float64", "", "Spearman correlation of DLIFLC category and score"),
        Column("p", "float64", "probability", "two-sided, over all arrangements of the scores"),
        Column("arrangements", "Int64", "", "arrangements behind p"),
        Column("reason", "str", "", "why values are empty"),
    ),
)

DIFFICULTY_POINTS = Table(
    "difficulty_points",
    ("series", "l1"),
    (
        Column("series", "str", "", "model and benchmark"),
        Column("l1", "str", "", "ISO 639 code of the L1"),
        Column("category", "Int64", "", "DLIFLC category, 1 (quickest to learn from English) to 4"),
        Column("score", "float64", "", "score"),
    ),
)

CROSSWALK = Table(
    "crosswalk",
    ("feature_id", "category"),
    (
        *_FEATURE,
        Column("area", "str", "", "grammar area"),
        Column("category", "str", "", "id of the learner category"),
        Column("relation", "str", "", "same, category wider, or partial (they overlap)"),
        Column("note", "str", "", "what the two share and where they differ"),
    ),
)

RESEMBLANCE = Table(
    "resemblance",
    ("l1", "cefr", "rank"),
    (
        Column("l1", "str", "", "L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("rank", "Int64", "", "1 for the variety most alike"),
        *_VARIETY,
        Column(
            "shared", "Int64", "categories", "corresponding categories that the inventory and the variety both have"
        ),
        Column(
            "l1_categories", "Int64", "categories", "corresponding categories of the inventory, among the rated ones"
        ),
        Column("variety_categories", "Int64", "categories", "corresponding categories that the variety has"),
        Column("rated", "Int64", "categories", "corresponding categories that the variety is rated for"),
        Column("jaccard", "float64", "share", "shared / categories that either has, among the rated ones"),
        Column("p", "float64", "probability", "one-sided hypergeometric: so many shared by chance"),
    ),
)


VALIDATION = Table(
    "validation",
    ("source", "preset", "figure"),
    (
        Column("source", "str", "", "what was counted: checker, gold, usage, pairs"),
        Column("preset", "str", "", "the recipe"),
        Column("figure", "str", "", "what is measured"),
        Column("value", "float64", "", "its value; empty when undefined (the note says why)"),
        Column("low", "float64", "", "lower end of its 95 % interval, where there is one"),
        Column("high", "float64", "", "upper end of its 95 % interval"),
        Column("n", "Int64", "", "what it rests on: shuffles, halves, L1s, p-values or findings"),
        Column("note", "str", "", "what to know about it"),
    ),
    ranked=True,
)

VALIDATION_L1 = Table(
    "validation_l1",
    ("source", "preset", "l1"),
    (
        Column("source", "str", "", "what was counted"),
        Column("preset", "str", "", "the recipe"),
        Column("l1", "str", "", "target L1"),
        Column("selected_true", "Int64", "features", "selected with the true labels, all bands, before any cap"),
        Column("selected_shuffled", "float64", "features", "mean number selected over shuffles of the labels"),
        Column("shuffles", "Int64", "shuffles", "shuffles of the labels"),
    ),
)

VALIDATION_P = Table(
    "validation_p",
    ("source", "preset", "limit"),
    (
        Column("source", "str", "", "what was counted"),
        Column("preset", "str", "", "the recipe"),
        Column("limit", "float64", "probability", "a: the share of p-values at or under it is a if p is uniform"),
        Column("share", "float64", "probability", "share of the p-values of shuffled labels at or under it"),
        Column("n", "Int64", "p-values", "p-values of the first shuffles"),
    ),
)

VALIDATION_PLANTED = Table(
    "validation_planted",
    ("source", "preset", "by", "group"),
    (
        Column("source", "str", "", "what was counted"),
        Column("preset", "str", "", "the recipe"),
        Column(
            "by",
            "str",
            "",
            "what the rows of the simulated corpus are grouped by: all, rate ratio, base rate, overdispersion, learners, sizes, checker recall",
        ),
        Column("group", "str", "", "the group"),
        Column("planted", "Int64", "cells", "planted over-uses (L1 x band x feature) that a checker can see"),
        Column("found", "Int64", "cells", "those selected as over-uses"),
        Column("power", "float64", "probability", "found / planted; empty without planted ones"),
        Column("findings", "Int64", "features", "selected features of the plan, both directions"),
        Column(
            "false_findings",
            "Int64",
            "features",
            "those whose direction is not that of the L1's expected contrast with the reference",
        ),
        Column("false_share", "float64", "probability", "false_findings / findings; 0 without findings"),
    ),
    ranked=True,
)

ACROSS_EFFECTS = Table(
    "across_effects",
    ("source", "preset", "l1", "cefr", "feature"),
    (
        Column("source", "str", "", "what was counted"),
        Column("preset", "str", "", "the recipe"),
        Column("l1", "str", "", "target L1, in both corpora"),
        Column("cefr", "str", "", "band"),
        Column("feature", "str", "", "category id, testable in both corpora"),
        Column("effect_here", "float64", "see measure", "effect in the corpus"),
        Column("effect_there", "float64", "see measure", "effect in the other corpus"),
        Column(
            "measure",
            "str",
            "",
            "log_ratio: natural logarithm of the rate ratio; effect: difference of mean rates, per 1,000 words",
        ),
        Column("selected", "str", "", "here, there, both or neither: which corpus's inventory holds it"),
    ),
)

SAMPLE_PLAN = Table(
    "sample_plan",
    ("ratio", "learners"),
    (
        Column("ratio", "float64", "", "rate ratio of the L1 to each other L1"),
        Column("base_rate", "float64", "per 1,000 words", "rate of the other L1s"),
        Column("words", "float64", "words", "words of a learner"),
        Column(
            "shape", "float64", "", "shape of the gamma distribution of learners' rates (variance = mean^2 / shape)"
        ),
        Column("l1s", "Int64", "L1s", "L1s of the corpus"),
        Column("alpha", "float64", "probability", "threshold of one two-sided test"),
        Column("learners", "Int64", "learners", "learners per L1"),
        Column(
            "needed", "boolean", "", "whether this is the number that the closed form gives for the power asked for"
        ),
        Column("power_closed", "float64", "probability", "normal approximation"),
        Column("power_simulated", "float64", "probability", "share of simulated corpora in which the test finds it"),
        Column("simulations", "Int64", "corpora", "simulated corpora"),
    ),
)

EXPLANATION = Table(
    "explanation",
    ("step", "quantity"),
    (
        Column("step", "Int64", "", "order of the calculation"),
        Column("quantity", "str", "", "what"),
        Column("target", "str", "", "its value for the L1, or for the comparison"),
        Column("reference", "str", "", "its value for the reference; empty for the comparison"),
        Column("how", "str", "", "how to get it by hand"),
    ),
)

EXPLAINED_UNITS = Table(
    "explained_units",
    ("stratum", "l1", "unit"),
    (
        Column(
            "unit", "str", "", "learner, by pseudonym; where learners are not known the text's id after the word text"
        ),
        Column("l1", "str", "", "its native language"),
        Column(
            "stratum", "str", "", "its set of bands (and prompts) in all bands; empty where the test knows no strata"
        ),
        Column("informative", "boolean", "", "whether the stratum has units of two L1s or more"),
        Column("words", "Int64", "words", "of its texts of the band"),
        Column("occurrences", "Int64", "occurrences", "of the feature in them"),
        Column("rate", "float64", "per 1,000 words", "1000 * occurrences / words"),
        Column("stratum_mean", "float64", "per 1,000 words", "mean rate of the stratum's units, over all L1s"),
        Column("deviation", "float64", "per 1,000 words", "rate - stratum_mean; empty in strata with one L1"),
        Column(
            "by_prompt",
            "str",
            "",
            'occurrences and words on each prompt of the band, as JSON: {"prompt": [occurrences, words]}',
        ),
        Column("fold", "Int64", "", "replicate of the log ratio's jackknife from which the unit is left out"),
    ),
)

INVENTORY_DIFF = Table(
    "inventory_diff",
    ("l1", "cefr", "change", "feature"),
    (
        Column("l1", "str", "", "L1 as the inventories name it"),
        Column("cefr", "str", "", "band; AB where one side has one list for all bands, so that the other's are merged"),
        Column("change", "str", "", "kept, moved, turned (other direction), gained or lost"),
        Column("feature", "str", "", "category id"),
        Column("rank_a", "Int64", "", "rank in the first inventory; empty when gained"),
        Column("rank_b", "Int64", "", "rank in the second inventory; empty when lost"),
        Column("direction_a", "str", "", "direction in the first"),
        Column("direction_b", "str", "", "direction in the second"),
    ),
)


def _ratio(name: str, unit: str, meaning: str, source: str) -> tuple[Column, ...]:
    return (
        Column(name, "float64", unit, meaning, source),
        Column(f"{name}_low", "float64", unit, "lower end of its 95 % interval, bootstrap of learners within L1s"),
        Column(f"{name}_high", "float64", unit, "upper end of its 95 % interval"),
    )


AUDIT = Table(
    "audit",
    ("scope", "category", "l1", "comparison"),
    (
        Column(
            "scope",
            "str",
            "",
            "errors: the counted families on both sides; errors against everything: a match of them may hit any edit, an edit of them be hit by any match; everything: all matches against all edits",
        ),
        Column("category", "str", "", "category id; empty for all"),
        Column("label", "str", "", "its label"),
        Column("l1", "str", "", "L1 of the learners; empty for all"),
        Column("comparison", "str", "", "overlap or exact; with ', same category' the categories must agree too"),
        Column("matches", "Int64", "matches", "matches of the category"),
        Column("matches_hit", "Int64", "matches", "those that hit a gold edit"),
        *_ratio("precision", "share", "share of matches that hit an edit", "matches_hit / matches"),
        *_ratio(
            "false_alarms", "per 1,000 words", "matches that hit no edit", "1000 * (matches - matches_hit) / words"
        ),
        Column("edits", "Int64", "edits", "gold edits of the category"),
        Column("edits_hit", "Int64", "edits", "those that a match hits"),
        *_ratio("recall", "share", "share of edits that are hit", "edits_hit / edits"),
        Column("words", "Int64", "words", "words of the audited texts"),
        Column("texts", "Int64", "texts", "audited texts"),
        Column("learners", "Int64", "learners", "their learners; a text of unknown learner is one"),
        Column("reason", "str", "", "why a value is empty"),
    ),
)

AUDIT_RECALL = Table(
    "audit_recall",
    ("category",),
    (
        Column("category", "str", "", "category id"),
        Column("label", "str", "", "its label"),
        Column("l1s", "Int64", "L1s", "L1s with an edit of the category"),
        Column("edits", "Int64", "edits", "gold edits of the category, of learners with a known L1"),
        Column("recall", "float64", "share", "recall over all L1s (overlap, any category)"),
        Column("lowest", "str", "", "L1 with the lowest recall, among those with 5 edits"),
        Column("highest", "str", "", "L1 with the highest recall, among those with 5 edits"),
        Column("statistic", "float64", "", "chi-square of hits over L1s"),
        Column(
            "p", "float64", "probability", "share of permutations of the learners' L1s that reach it, (c + 1) / (m + 1)"
        ),
        Column("q", "float64", "probability", "p adjusted over categories (Benjamini-Hochberg)"),
        Column("m", "Int64", "tests", "categories that were tested"),
        Column("reason", "str", "", "why it was not tested"),
    ),
)

AUDIT_CONFUSION = Table(
    "audit_confusion",
    ("match_category", "edit_category"),
    (
        Column("match_category", "str", "", "category of the match"),
        Column("edit_category", "str", "", "category of the gold edit; empty if it has none"),
        Column("pairs", "Int64", "pairs", "overlapping pairs"),
        Column("same", "boolean", "", "whether the categories agree (equal, or one above the other)"),
    ),
)

AUDIT_TYPES = Table(
    "audit_types",
    ("category",),
    (
        Column("category", "str", "", "category of the matches; empty for all"),
        Column("label", "str", "", "its label"),
        Column("matches", "Int64", "matches", "mapped matches in annotated texts"),
        Column("paired", "Int64", "matches", "those that overlap a gold edit"),
        Column("typed", "Int64", "matches", "those that overlap an edit whose type is neither OTHER nor UNK"),
        Column("same_class", "Int64", "matches", "typed matches with an edit of the same word class (VERB, DET, ...)"),
        Column(
            "same_type", "Int64", "matches", "typed matches with an edit of a type of the category (VERB:SVA, DET, ...)"
        ),
        Column("same_full", "Int64", "matches", "the same with the operation (R:VERB:SVA, M:DET, ...)"),
        Column("share_class", "float64", "share", "agreement on the word class", "same_class / typed"),
        Column("share_type", "float64", "share", "agreement on the type", "same_type / typed"),
        Column("share_full", "float64", "share", "agreement on type and operation", "same_full / typed"),
        Column("share_of_paired", "float64", "share", "OTHER and UNK held to disagree", "same_type / paired"),
        Column("reason", "str", "", "why a share is empty"),
    ),
)

CHECKER_AGREEMENT = Table(
    "checker_agreement",
    ("scope", "value"),
    (
        Column("scope", "str", "", "all, without spelling, spelling, lt_category, category or rule"),
        Column("value", "str", "", "the checker's category, the category id or the rule; empty for the first three"),
        Column("label", "str", "", "its label"),
        Column("first", "Int64", "matches", "different matches of the first checker"),
        Column("second", "Int64", "matches", "different matches of the second checker"),
        Column("both", "Int64", "matches", "matches of both, equal in rule id, start and end"),
        Column("only_first", "Int64", "matches", "matches of the first alone"),
        Column("only_second", "Int64", "matches", "matches of the second alone"),
        Column("union", "Int64", "matches", "different matches of either", "both + only_first + only_second"),
        Column("agreement", "float64", "share", "share of matches that both have", "both / union"),
        Column("reason", "str", "", "why the agreement is empty"),
    ),
)

PREDICTION_POWERED = Table(
    "prediction_powered",
    ("l1", "cefr", "category"),
    (
        Column("l1", "str", "", "L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("category", "str", "", "category id"),
        Column("label", "str", "", "its label"),
        Column("gold_learners", "Int64", "learners", "learners of the cell with annotated texts"),
        Column("other_learners", "Int64", "learners", "learners of the cell without"),
        Column("gold", "float64", "per 1,000 words", "mean rate of gold edits, annotated learners"),
        Column(
            "gold_low",
            "float64",
            "per 1,000 words",
            "lower end of its 95 % interval, from the annotated learners alone",
        ),
        Column("gold_high", "float64", "per 1,000 words", "upper end of it"),
        Column("observed", "float64", "per 1,000 words", "mean rate of matches, learners without annotation"),
        Column("rectifier", "float64", "per 1,000 words", "mean of gold rate less match rate, annotated learners"),
        Column("estimate", "float64", "per 1,000 words", "prediction-powered rate", "observed + rectifier"),
        Column(
            "se",
            "float64",
            "per 1,000 words",
            "its standard error",
            "sqrt(var(matches) / others + var(gold - matches) / annotated)",
        ),
        Column("low", "float64", "per 1,000 words", "lower end of its 95 % interval, normal"),
        Column("high", "float64", "per 1,000 words", "upper end of it"),
        Column("reason", "str", "", "why there is no estimate"),
    ),
)

EXAMPLES = Table(
    "examples",
    ("l1", "cefr", "feature", "example"),
    (
        Column("l1", "str", "", "L1 of the inventory row"),
        Column("cefr", "str", "", "CEFR band of the inventory row"),
        Column("feature", "str", "", "category id"),
        Column("label", "str", "", "its label"),
        Column("example", "Int64", "", "number of the example, from 1; each of another learner"),
        Column("corpus", "str", "", "corpus of the text"),
        Column("before", "str", "", "what stands before the match, cut at words; begins with an ellipsis if cut"),
        Column("found", "str", "", "the text of the match"),
        Column("after", "str", "", "what follows; ends with an ellipsis if cut"),
        Column("words", "Int64", "words", "words of the example, counted against the licence's limit"),
    ),
)

CORRECTED_RATES = Table(
    "corrected_rates",
    ("l1", "cefr", "category"),
    (
        Column("l1", "str", "", "L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("category", "str", "", "category id"),
        Column("label", "str", "", "its label"),
        Column("words", "Int64", "words", "words of all checked texts of the cell"),
        Column("matches", "Int64", "matches", "matches in them"),
        Column("observed", "float64", "per 1,000 words", "rate of matches", "1000 * matches / words"),
        Column("false_alarms", "float64", "per 1,000 words", "matches that hit no gold edit of the category"),
        Column("recall", "float64", "share", "gold edits that a match of the category hits"),
        Column("recall_low", "float64", "share", "lower end of its 95 % interval, bootstrap of learners"),
        Column(
            "corrected", "float64", "per 1,000 words", "estimated rate of errors", "(observed - false_alarms) / recall"
        ),
        Column("corrected_low", "float64", "per 1,000 words", "lower end of its 95 % interval, through all steps"),
        Column("corrected_high", "float64", "per 1,000 words", "upper end of its 95 % interval"),
        Column("gold", "str", "", "where false alarms and recall come from, and what that assumes"),
        Column("gold_learners", "Int64", "learners", "learners with gold edits there"),
        Column("gold_edits", "Int64", "edits", "gold edits of the category there"),
        Column("reason", "str", "", "why there is no corrected rate"),
    ),
)

CORPORA_COMPARISON = Table(
    "corpora_comparison",
    ("l1", "cefr", "feature"),
    (
        Column("l1", "str", "", "target L1"),
        Column("cefr", "str", "", "band"),
        Column("feature", "str", "", "category id"),
        Column("corpora", "Int64", "corpora", "corpora in which it could be tested"),
        Column("same_sign", "boolean", "", "whether the effect has one sign in all of them"),
        Column("direction", "str", "", "over or under: the direction with more evidence"),
        Column(
            "p_conjunction",
            "float64",
            "probability",
            "p of: it is there in fewer than two corpora",
            "Benjamini and Heller 2008",
        ),
        Column("q", "float64", "probability", "p_conjunction adjusted by BH over the table"),
        Column("m", "Int64", "tests", "size of the family"),
        Column(
            "mean",
            "float64",
            "natural logarithm",
            "mean log rate ratio over corpora, from four with an interval on",
            "random effects (DerSimonian and Laird 1986); a corpus's standard error = half-width of its 95 % interval / 1.96",
        ),
        Column(
            "ci_low",
            "float64",
            "natural logarithm",
            "lower end of its 95 % interval",
            "Hartung and Knapp 2001, factor at least 1; t with corpora - 1 df",
        ),
        Column("ci_high", "float64", "natural logarithm", "upper end of it"),
        Column(
            "predicted_low",
            "float64",
            "natural logarithm",
            "lower end of the 95 % prediction interval for a new corpus",
            "Higgins, Thompson and Spiegelhalter 2009; t with corpora - 2 df",
        ),
        Column("predicted_high", "float64", "natural logarithm", "upper end of it"),
        Column("tau2", "float64", "", "variance of the effect between corpora"),
    ),
)

LEVEL_INTERACTION = Table(
    "level_interaction",
    ("l1", "feature"),
    (
        Column("l1", "str", "", "L1"),
        Column("feature", "str", "", "category id"),
        Column("units_low", "Int64", "units", "the L1's learners (texts, without learner ids) at the lower level"),
        Column("units_high", "Int64", "units", "the same at the higher level"),
        Column("log_ratio_low", "float64", "natural logarithm", "contrast with the other L1s at the lower level"),
        Column("log_ratio_high", "float64", "natural logarithm", "the same at the higher level"),
        Column("difference", "float64", "natural logarithm", "high - low"),
        Column("se", "float64", "natural logarithm", "jackknife over learners, who leave both levels at once"),
        Column("ci_low", "float64", "natural logarithm", "lower end of the 95 % interval of the difference"),
        Column("ci_high", "float64", "natural logarithm", "upper end of it"),
        Column("p", "float64", "probability", "two-sided, Student's t"),
        Column("q", "float64", "probability", "adjusted by BH over the table"),
        Column("m", "Int64", "tests", "size of the family"),
        Column("reason", "str", "", "why there is no p; empty where there is one"),
    ),
)

USAGE_RATES = Table(
    "usage_rates",
    ("l1", "cefr", "feature"),
    (
        Column("l1", "str", "", "target L1, ISO 639"),
        Column("cefr", "str", "", "CEFR band"),
        Column("feature", "str", "", "usage feature"),
        Column("label", "str", "", "its label"),
        Column("per", "str", "", "what it is counted against: nouns, clauses, prepositions, ..."),
        Column("occurrences_target", "Int64", "occurrences", "occurrences in the target's texts"),
        Column("occurrences_reference", "Int64", "occurrences", "occurrences in the reference's texts"),
        Column("opportunities_target", "Int64", "places", "opportunities in the target's texts"),
        Column("opportunities_reference", "Int64", "places", "opportunities in the reference's texts"),
        Column("rate_target", "float64", "per 1,000 opportunities", "mean over units"),
        Column("rate_reference", "float64", "per 1,000 opportunities", "mean over units"),
        Column(
            "effect", "float64", "per 1,000 opportunities", "difference of mean rates", "rate_target - rate_reference"
        ),
        Column("ci_low", "float64", "per 1,000 opportunities", "lower end of the effect's 95 % interval"),
        Column("ci_high", "float64", "per 1,000 opportunities", "upper end of the effect's 95 % interval"),
        Column(
            "p", "float64", "probability", "Welch's t-test; beside the deciding test of l1_tests, adjusted for nothing"
        ),
        Column("reason", "str", "", "why there is no comparison"),
    ),
)

#: All tables by name.
ALL = {
    t.name: t
    for t in (
        TEXTS,
        EDITS,
        MATCHES,
        CHECKED,
        COUNTS,
        UNITS,
        MATCH_SUMMARY,
        L1_TESTS,
        L1_INVENTORY,
        RATINGS,
        VARIETIES,
        FEATURES,
        DIALECT_CLUSTERS,
        K_SELECTION,
        DIALECT_INVENTORY,
        DISTANCES,
        NEIGHBOURS,
        CLUSTERINGS,
        STABILITY,
        COMEMBERSHIP,
        MEMBERSHIP,
        AGREEMENT,
        TREE,
        EWAVE_DIFF,
        FEATURE_PROFILE,
        VARIETY_PROFILE,
        COVERAGE,
        DISTINCTIVE,
        SHARED_CORE,
        MANTEL,
        PERFORMANCE,
        INFLUENCE,
        DIFFICULTY,
        DIFFICULTY_POINTS,
        CROSSWALK,
        RESEMBLANCE,
        EXPORT_REPORT,
        AUDIT,
        AUDIT_RECALL,
        AUDIT_CONFUSION,
        AUDIT_TYPES,
        CHECKER_AGREEMENT,
        CORRECTED_RATES,
        PREDICTION_POWERED,
        EXAMPLES,
        USAGE_RATES,
        PLANTED,
        VALIDATION,
        VALIDATION_L1,
        VALIDATION_P,
        VALIDATION_PLANTED,
        ACROSS_EFFECTS,
        SAMPLE_PLAN,
        EXPLANATION,
        EXPLAINED_UNITS,
        INVENTORY_DIFF,
        CORPORA_COMPARISON,
        LEVEL_INTERACTION,
    )
}
