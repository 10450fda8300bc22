"""The crosswalk of learner categories and eWAVE features, and what it is used for."""

from __future__ import annotations

import pandas as pd
import pytest
from scipy.stats import hypergeom

from miner.categories import load_taxonomy
from miner.dialect import crosswalk, read_ratings, resemblance
from miner.errors import OptionError


def inventory(categories, l1="xx", direction="over"):
    frame = pd.DataFrame({"feature": categories, "l1": l1, "cefr": "A", "direction": direction})
    return frame.assign(rank=range(1, len(frame) + 1))


@pytest.mark.parametrize("taxonomy", ["miner-core", "trans-env"])
def test_every_id_exists(taxonomy):
    frame = crosswalk(taxonomy)
    assert set(frame["category"]) <= set(load_taxonomy(taxonomy).categories["id"])
    assert set(frame["feature_id"]) <= set(read_ratings().features["feature_id"])
    assert frame["note"].ne("").all()
    assert frame["area"].ne("").all()


def test_examples_that_correspond():
    pairs = {(f, c): r for f, c, r in crosswalk()[["feature_id", "category", "relation"]].itertuples(index=False)}
    assert pairs[("62", "MISSING_DETERMINER")] == "category wider"
    assert pairs[("57", "SINGULAR_FOR_PLURAL")] == "category wider"
    assert pairs[("154", "DOUBLE_NEGATION")] == "same"
    assert pairs[("165", "QUESTION_FORM")] == "partial"
    # A trans-env category that stands for two of miner-core's is wider than either.
    merged = crosswalk("trans-env").set_index(["feature_id", "category"])["relation"]
    assert merged[("208", "MISSING_PREPOSITION")] == "category wider"


def test_relations_can_be_narrowed():
    assert set(crosswalk(relations=("same",))["relation"]) == {"same"}
    with pytest.raises(OptionError, match="did you mean 'partial'"):
        crosswalk(relations=("partially",))


def test_resemblance_by_hand(tmp_path):
    file = tmp_path / "v.csv"
    # Features 42 (missing object), 154 (double negation), 208 (missing to).
    file.write_text("variety_id,42,154,208\nScE,A,D,X\nIrE,A,A,D\nWelE,D,D,D\n", encoding="utf-8")
    frame = resemblance(inventory(["MISSING_OBJECT", "DOUBLE_NEGATION", "SPELLING"]), read_ratings(file))
    by = frame.set_index("variety_id")
    assert frame["variety_id"].iloc[0] == "IrE"
    assert by.loc["IrE", "jaccard"] == 1
    assert by.loc["ScE", ["shared", "rated", "variety_categories", "l1_categories"]].tolist() == [1, 2, 1, 2]
    assert by.loc["ScE", "jaccard"] == 0.5
    assert by.loc["WelE", "shared"] == 0


def test_resemblance_on_ewave_counts_and_p():
    frame = resemblance(inventory(["MISSING_ARTICLE", "SINGULAR_FOR_PLURAL", "MISSING_SUBJECT"]))
    assert len(frame) == 77
    row = frame.iloc[0]
    want = hypergeom.sf(row["shared"] - 1, row["rated"], row["variety_categories"], row["l1_categories"])
    assert row["p"] == pytest.approx(want)
    assert frame["jaccard"].is_monotonic_decreasing


def test_under_used_categories_do_not_count_and_none_is_an_error():
    with pytest.raises(OptionError, match="None of the inventory's over-used categories"):
        resemblance(inventory(["MISSING_ARTICLE"], direction="under"))
