"""miner plan with extreme numbers: a range message that names the wrong one, or a finite plan."""

import itertools

import numpy as np
import pytest

from miner.commands import main
from miner.evaluate import closed_power, learners_needed


@pytest.mark.parametrize(
    ("options", "named"),
    [
        *((["--ratio", r], "rate ratio") for r in ("1e300", "1e-300", "0", "-1", "nan", "inf", "1", "1.0000001")),
        (["--ratio", "2", "--ratio", "2.0"], "The rate ratio 2 is given twice"),
        *((["--base", b], "The base rate") for b in ("1e300", "1e-300", "0", "-2", "nan", "inf")),
        *((["--words", w], "The number of words") for w in (str(10**30), "0", "-5", "nan")),
        *((["--shape", s], "The gamma shape") for s in ("1e300", "1e-9", "0", "nan")),
        *((["--l1s", k], "The number of L1s") for k in ("1", "0", "-3", str(10**30))),
        *((["--alpha", a], "The threshold alpha") for a in ("1e-300", "0", "1", ".9999", "nan", "-.1")),
        *((["--power", p], "The power") for p in ("0", "1", "nan", "1e-9", ".001")),
        *((["--simulations", n], "The number of simulations") for n in ("-1", str(10**30))),
    ],
)
def test_number_out_of_range_is_named(options, named, capsys):
    assert main(["plan", "--simulations", "0", *options]) == 1
    told = capsys.readouterr().err
    assert "defect" not in told
    assert named in told
    others = {"base rate", "gamma shape", "L1s", "words of a learner", "simulations"}
    assert sum(o in told for o in others) <= 1


@pytest.mark.parametrize("ratio", [0.001, 0.999, 1.001, 1000.0])
def test_ends_of_the_ranges_give_a_finite_plan(ratio):
    ends = ((1e-6, 1000.0), (1.0, 1e7), (0.01, 1e6), (2, 10_000), ((1e-10, 0.8), (0.5, 0.6), (1e-10, 0.999999)))
    for base, words, shape, l1s, (alpha, power) in itertools.product(*ends):
        n = learners_needed(ratio, base, words, shape, l1s, alpha, power)
        assert 2 <= n < 2**62
        found = closed_power(n, ratio, base, words, shape, l1s, alpha)
        assert power <= found <= 1
        assert np.isfinite(found)


def test_simulation_at_the_most_occurrences_is_finite(capsys):
    ends = ["--ratio", "1000", "--base", "1000", "--words", "1e7", "--simulations", "20"]
    for shape in (".01", "1e6"):
        assert main(["plan", *ends, "--shape", shape]) == 0
        assert "nan" not in capsys.readouterr().out.lower()
