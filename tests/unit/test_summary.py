"""The lines at the end of a run: what passed its q and was not selected all the same."""

from __future__ import annotations

import pandas as pd

from miner.commands.summary import _nearly


def test_thresholds_that_stop_what_q_lets_pass():
    failed = ["", "q", "q ratio", "ratio", "replication", "ratio replication", None]
    tests = pd.DataFrame({"status": ["tested"] * 6 + ["untestable"], "failed": failed})
    assert _nearly(tests) == ["  not selected though q is below alpha: 3 rows fail ratio 2, replication 2"]


def test_nothing_is_said_where_nothing_was_stopped():
    tests = pd.DataFrame({"status": ["tested", "tested", "untestable"], "failed": ["", "q ratio", ""]})
    assert _nearly(tests) == []
