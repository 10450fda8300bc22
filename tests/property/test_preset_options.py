"""Any value of any option gives a recipe that holds what it declares, or a message that names option, expectation and value."""

from __future__ import annotations

import json
import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from miner.commands.options import get_pairs
from miner.errors import OptionError
from miner.learner import PRESETS, L1Preset, get_preset
from miner.signature import Signature

OPTIONS = [f.name for f in fields(L1Preset) if f.name != "name"]
WHOLE = (
    "cap",
    "min_units",
    "min_errors",
    "min_users",
    "min_prompts",
    "permutations",
    "further_permutations",
    "stability_pairs",
    "stability_best",
)
REAL = ("alpha", "min_ratio", "max_top_share", "min_replication", "prior_units", "stability_share")
NO_LIMIT = ("cap", "stability_best")
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 1200),
    st.integers(),
    st.sampled_from([10**9 + 1, 10**400, -(10**6000), 1e99, -1.0, 0.0, 2.5, 3.0, math.nan, math.inf, -math.inf]),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["A", "AB", "none", "true", "bh", "equal", "permutation", "a|b", "x" * 10_000]),
    st.lists(st.one_of(st.sampled_from("ABC"), st.integers(), st.none()), max_size=4),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
    st.sampled_from([np.int64(3), np.float64(0.5), np.float32(0.25), np.bool_(True), np.nan, b"A", object(), {"A"}]),
    st.sampled_from([np.arange(2), np.array(["none", "A"])]),
)


def _holds_what_it_declares(recipe: L1Preset) -> None:
    for name in OPTIONS:
        value = getattr(recipe, name)
        if name in WHOLE:
            assert type(value) is int or (value is None and name in NO_LIMIT)
        elif name in REAL:
            assert type(value) is float
            assert math.isfinite(value)
        elif name == "gate":
            assert type(value) is bool
        elif name == "bands":
            assert value
            assert value == tuple(sorted(set(value)))
        else:
            assert type(value) is str
    json.dumps(recipe.as_dict(), allow_nan=False)
    signature = Signature.of("l1", preset=recipe.name)
    assert Signature.parse(str(signature)) == signature


@pytest.mark.parametrize("option", OPTIONS)
@given(value=ODD, preset=st.sampled_from(sorted(PRESETS)))
def test_a_recipe_or_a_message(option, value, preset):
    try:
        recipe = get_preset(preset, **{option: value})
    except OptionError as err:
        message = str(err)
        assert f"'{option}'" in message or f"{option}=" in message
        assert "Got " in message
        assert f"'{preset}+" not in message
        assert len(message) < 500
    else:
        _holds_what_it_declares(recipe)


@given(values=st.dictionaries(st.sampled_from(OPTIONS), ODD, max_size=4))
def test_the_class_checks_as_the_function_does(values):
    try:
        recipe = L1Preset(name="own", **values)
    except OptionError as err:
        message = str(err)
        assert "'own'" in message
    else:
        _holds_what_it_declares(recipe)


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        ("alpha=abc", r"'alpha' option of preset 'welch' must be a number above 0 and below 1\. Got 'abc'"),
        ("alpha=nan", r"'alpha'.*Got nan"),
        ("alpha=true", r"'alpha'.*Got True"),
        ("cap=nan", r"'cap'.*must be a whole number from 1 to 1,000,000,000, or none\. Got nan"),
        ("cap=true", r"'cap'.*Got True"),
        ("min_units=2.5", r"'min_units'.*whole number from 2 to.*Got 2\.5"),
        ("min_users=-1", r"'min_users'.*Got -1"),
        ("gate=abc", r"'gate'.*must be true or false\. Got 'abc'"),
        ("gate=1", r"'gate'.*Got 1"),
        ("bands=-1", r"'bands'.*one or more of 'A', 'B', 'C'\. Got -1"),
        ("bands=[]", r"'bands'.*Got \[\]"),
        ("bands=[['A']]", r"'bands'.*Got \[\['A'\]\]"),
        ("permutations=1e99", r"'permutations'.*Got 1e\+99"),
        ("permutations=98", r"'permutations'.*from 99 to.*Got 98"),
        ("stability_best=abc", r"'stability_best'.*Got 'abc'"),
        ("stability_best=-1", r"'stability_best'.*Got -1"),
        ("stability_best=true", r"'stability_best'.*Got True"),
        ("min_ratio=nan", r"'min_ratio'.*Got nan"),
        ("min_ratio=inf", r"'min_ratio'.*Got inf"),
        ("prior_units=[1]", r"'prior_units'.*Got \[1\]"),
        ("max_top_share=true", r"'max_top_share'.*above 0 and at most 1\. Got True"),
        ("stability_share=0.5", r"'stability_share'.*above 0\.5 and at most 1\. Got 0\.5"),
        ("test=5", r"'test'.*must be one of 'student', 'welch', 'permutation'\. Got 5"),
        ("mode=x", r"'mode' option of preset 'welch' must be one of 'text', 'sentence'\. Got 'x'"),
        ("order=bound", r"preset 'welch'.*order='bound'.*test='permutation'.*Got test='welch'"),
        ("contrast=equal", r"preset 'welch'.*contrast='equal'.*test='permutation'.*Got test='welch'"),
        ("correction=max-t", r"preset 'welch'.*correction='max-t'.*test='permutation'.*Got test='welch'"),
    ],
)
def test_a_pair_of_the_command_line_is_refused_with_what_is_expected(pair, told):
    with pytest.raises(OptionError, match=told):
        get_preset("welch", **get_pairs([pair], "--option"))


def test_one_recipe_has_one_name_however_its_values_are_written():
    assert get_preset("welch", min_ratio=2).name == get_preset("welch", min_ratio=2.0).name == "welch+min_ratio=2"
    assert get_preset("welch", bands="BA") == get_preset("welch", bands=["A", "B"]) == get_preset("welch", bands="AB")
    assert get_preset("trans-env", cap="none") == get_preset("trans-env", cap=None)
    assert get_preset("trans-env", cap="none").cap is None
    assert get_preset("welch", alpha=np.float64(0.01)).name == "welch+alpha=0.01"


@pytest.mark.parametrize("name", ["", "a|b", "a\nb", 5, None])
def test_a_name_can_stand_in_a_signature(name):
    with pytest.raises(OptionError, match="name of a preset.*Got"):
        L1Preset(name=name)


@pytest.mark.parametrize("preset", [5, None, ["welch"], "x" * 10_000])
def test_a_preset_is_a_name_or_a_recipe(preset):
    with pytest.raises(OptionError, match="preset must be one of 'trans-env', 'welch', 'predictive', 'robust'"):
        get_preset(preset)
