"""The published recipe on eWAVE, and that its result follows the ratings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from miner.dialect import distances, mine_dialects, read_ratings
from miner.dialect.published import paper_dialects
from miner.errors import InputError

# Trans-EnV, appendix C.1.2: the 18 dialects, by eWAVE id, and the number of their features rated A, counted in eWAVE's
# own values.csv.
PAPER_A = {
    "15": 28, "3": 24, "59": 5, "23": 25, "8": 36, "19": 19, "9": 8, "60": 15, "6": 11,
    "7": 9, "4": 15, "64": 15, "13": 35, "18": 22, "2": 7, "20": 31, "74": 11, "5": 13,
}  # fmt: skip
SMALL = {"starts": 400, "ks": (2,)}


@pytest.fixture(scope="module")
def result():
    return mine_dialects(read_ratings(), "trans-env", ks=(2, 5))


def test_the_eighteen_dialects(result):
    chosen = result.clusters[result.clusters["in_dialect_set"]]
    assert dict(zip(chosen["variety_id"], chosen["n_a"], strict=True)) == PAPER_A
    assert set(chosen["variety"]) == set(paper_dialects()["ewave_name"])
    assert result.facts["cluster_size"] == 21
    assert result.warnings == ()


def test_the_three_members_left_out_have_reasons(result):
    left = result.clusters[result.clusters["reason"].ne("")].set_index("variety_id")["reason"]
    assert sorted(left.index, key=int) == ["14", "16", "17"]
    assert "reference point" in left["14"]
    assert "Urban" in left["16"]


def test_inventory_is_the_features_rated_a(result):
    assert len(result.inventory) == 329
    assert result.inventory["feature_id"].nunique() == 104
    assert set(result.inventory["rating"]) == {"A"}
    assert result.inventory.groupby("variety_id").size().to_dict() == PAPER_A


def test_components_and_inertias(result):
    # 39 components; 933.913 with the anchors together and 932.632 without: found independently with NumPy alone.
    assert result.facts["components"] == 39
    assert result.facts["inertia"] == pytest.approx(933.913, abs=5e-4)
    assert result.facts["inertia_without_anchors"] <= 932.6325
    assert result.k_selection.set_index("k").loc[5, "inertia"] <= 932.6325


def test_rarity_among_plain_starts(result):
    # Independent NumPy search, 6,000 starts: 2 % exactly this cluster, 28-32 % all 18 together.
    assert 0.01 <= result.facts["share_of_plain_starts_with_exactly_this_cluster"] <= 0.04
    assert 0.25 <= result.facts["share_of_plain_starts_with_the_set_in_one_cluster"] <= 0.35


def test_uncentred():
    uncentred = mine_dialects(read_ratings(), centred=False, ks=())
    assert uncentred.facts["components"] == 30
    assert uncentred.facts["inertia_without_anchors"] <= 834.4145
    assert any("not the published one" in w for w in uncentred.warnings)


def test_another_seed_finds_the_same_set(result):
    other = mine_dialects(read_ratings(), seed=7, ks=(), starts=2_000)
    pd.testing.assert_frame_equal(other.clusters, result.clusters)


def test_one_changed_rating_moves_the_inertia(result):
    # Scottish English, feature 1: B -> A.
    changed = mine_dialects(read_ratings().with_rating("2", "1", "A"), ks=(), starts=1_000)
    assert changed.facts["inertia"] != pytest.approx(result.facts["inertia"], abs=1e-6)
    assert changed.signature.parts["ratings"] != result.signature.parts["ratings"]
    assert (changed.inventory["variety_id"] == "2").sum() == PAPER_A["2"] + 1


def test_one_changed_rating_changes_the_set(result):
    # Hong Kong English, feature 132 as D: the partition that keeps four more varieties with the anchors is then the
    # better one. That one rating decides was found by comparing the leading partitions' sums of squares with NumPy.
    changed = mine_dialects(read_ratings().with_rating("Hong Kong English", "132", "D"), ks=(), starts=2_000)
    before = set(result.clusters.loc[result.clusters["in_dialect_set"], "variety"])
    after = set(changed.clusters.loc[changed.clusters["in_dialect_set"], "variety"])
    joined = {"Channel Islands English", "Chicano English", "Falkland Islands English", "Orkney and Shetland English"}
    assert after - before == joined
    assert before <= after
    assert "Falkland Islands English" in changed.warnings[0]


def test_the_set_follows_the_ratings():
    # Welsh English gets the ratings of Tok Pisin and the reverse: the two change places in every way but the name,
    # and the anchor drags other varieties along.
    ratings = read_ratings()
    welsh, tok_pisin = ratings.variety_index("Welsh English"), ratings.variety_index("Tok Pisin")
    ratings.grid[[welsh, tok_pisin]] = ratings.grid[[tok_pisin, welsh]]
    moved = mine_dialects(ratings, **SMALL)
    members = set(moved.clusters[moved.clusters["in_dialect_set"]]["variety"])
    assert members != set(paper_dialects()["ewave_name"])
    assert any("not the published one" in w for w in moved.warnings)


def test_a_table_without_the_anchors_is_refused(cases):
    with pytest.raises(InputError, match="no rated variety 'Urban African American Vernacular English'"):
        mine_dialects(read_ratings(cases / "ewave" / "e07_values.csv"))


def test_row_order_of_the_file_changes_nothing(tmp_path, result):
    long = read_ratings().ratings.rename(
        columns={"variety_id": "Language_ID", "feature_id": "Parameter_ID", "rating": "Value"}
    )
    long.sample(frac=1, random_state=np.random.RandomState(4)).to_csv(tmp_path / "ewave-3.0.csv", index=False)
    again = mine_dialects(read_ratings(tmp_path / "ewave-3.0.csv"), ks=(2, 5))
    pd.testing.assert_frame_equal(again.clusters, result.clusters)
    pd.testing.assert_frame_equal(again.k_selection, result.k_selection)
    assert str(again.signature) == str(result.signature)


def test_multi_value_distances():
    # Multi-VALUE, section 4 (1/.6/.3, X and ? as 0), over 235 features of today's CLDF; computed by hand from values.csv.
    frame = distances(read_ratings(), "manhattan", "multi-value").set_index("variety")["distance"]
    want = {
        "Chicano English": 0.1409,
        "Colloquial Singapore English (Singlish)": 0.2855,
        "Indian English": 0.2745,
        "Urban African American Vernacular English": 0.2438,
    }
    assert frame[list(want)].round(4).to_dict() == want
    assert frame["Colloquial American English"] == 0


def test_zero_vector_as_reference_point():
    frame = distances(read_ratings(), "manhattan", "binary", "zero", missing="zero").set_index("variety_id")
    counts = read_ratings().counts().set_index("variety_id")
    attested = counts[["n_a", "n_b", "n_c"]].sum(axis=1)
    np.testing.assert_allclose(frame["distance"], (attested / 235)[frame.index])
    assert (frame["n_unrated"] == (counts["n_x"] + counts["n_unknown"])[frame.index]).all()
