"""The command ``miner export``, and that a run tells of its exports in the same words."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from miner.commands import main
from miner.commands.summary import summarise
from miner.run.folder import read_run
from miner.store.frames import write_csv
from miner.tables import L1_INVENTORY, conform


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows = [
        dict.fromkeys(L1_INVENTORY.names)
        | {"l1": l1, "cefr": cefr, "rank": rank, "feature": f, "label": f, "family": "errors", "direction": "over"}
        | {"texts_target": 40, "learners_target": 40}
        for rank, (l1, cefr, f) in enumerate(
            [
                ("nan", "A", "MISSING_VERB"),
                ("zh", "A", "MISSING_VERB"),
                ("zh", "B", "MISSING_VERB"),
                ("zh", "B", "EITHER_OF_NUMBER"),
            ],
            1,
        )
    ]
    folder = tmp_path / "run"
    folder.mkdir()
    write_csv(pd.DataFrame(conform(rows, L1_INVENTORY)), folder / "l1_inventory.csv")
    return folder


def test_features_and_pairs_are_both_named(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(run), "--to", "trans-env", "--out", str(tmp_path / "o")]) == 0
    told = capsys.readouterr().err
    first = "Export trans-env: 1 of 2 different features are served (3 of 4 pairs of a variety or L1 and a feature)"
    assert first in told
    assert "L1s without a name in trans-env, written by their code: nan" in told
    facts = read_run(tmp_path / "o")["export"]
    assert (facts["pairs"], facts["pairs_served"], facts["features"], facts["features_served"]) == (4, 3, 2, 1)
    outcome = SimpleNamespace(learner=None, dialects=None, exports={"trans-env": facts}, out=tmp_path)
    lines = summarise(outcome)  # type: ignore[arg-type]
    assert first in lines
    assert "  L1s without a name in trans-env, written by their code: nan" in lines
