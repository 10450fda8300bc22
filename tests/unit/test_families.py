"""Families of features in one table: their ids never collide, unknown ones are refused."""

from __future__ import annotations

import pytest

from miner.categories import load_catalogue, load_taxonomy, taxonomy_names
from miner.errors import OptionError
from miner.features import load_usage
from miner.run.opportunities import error_opportunities
from miner.run.sources import require_families


def test_no_usage_feature_is_called_like_an_error_category_or_a_rule() -> None:
    usage = set(load_usage().features["id"])
    for name in taxonomy_names():
        assert usage & set(load_taxonomy(name).categories["id"]) == set()
    assert usage & set(load_catalogue().rules["rule_id"]) == set()


def test_families_come_in_one_order_and_unknown_ones_are_refused() -> None:
    assert require_families(["usage", "errors"]) == ("errors", "usage")
    with pytest.raises(OptionError, match="did you mean 'usage'"):
        require_families(["usages"])
    for given in ([], ["usage", "usage"]):
        with pytest.raises(OptionError, match="each once"):
            require_families(given)


@pytest.mark.parametrize("name", ["trans-env", "miner-core"])
def test_opportunities_of_errors_name_what_exists(name) -> None:
    kinds = set(load_usage().opportunities["id"])
    found = error_opportunities(load_taxonomy(name))
    assert set(found.values()) <= kinds
    # By hand: an article is missing before a noun, agreement fails in a finite verb.
    expected = {
        "miner-core": ("MISSING_DETERMINER", "EXISTENTIAL_AGREEMENT"),
        "trans-env": ("MISSING_ARTICLE", "SUBJECT_VERB_MISMATCH"),
    }
    article, agreement = expected[name]
    assert (found[article], found[agreement]) == ("noun", "finite_verb")
