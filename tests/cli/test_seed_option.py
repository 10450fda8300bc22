"""--seed is a whole number of 0 or more in every command that draws."""

import argparse

import pytest

from miner.commands import build_parser, main

PARSERS = next(a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
DRAWING = sorted(name for name, parser in PARSERS.items() if "--seed" in parser._option_string_actions)


def test_commands_that_draw_take_a_seed():
    assert {"compare", "mine", "plan", "run", "simulate", "validate"} <= {*DRAWING, "run"}


@pytest.mark.parametrize("command", DRAWING)
@pytest.mark.parametrize("seed", ["-1", "1.5", "x", "", "9" * 5000])
def test_seed_that_is_none_is_refused(command, seed, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--seed", seed])
    assert end.value.code == 2
    assert "argument --seed: expected a whole number of at least 0" in capsys.readouterr().err


def test_seed_0_is_one(capsys):
    assert main(["plan", "--simulations", "20", "--ratio", "2", "--seed", "0"]) == 0
    assert "Rate ratio 2" in capsys.readouterr().err
