"""Contrasts, confounds and association on tables small enough to do by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from miner.corpora import read_corpus, require_l1
from miner.corpora.describing import bias_corrected_cramers_v, describe
from miner.errors import InputError


def corpus_of(tmp_path: Path, rows: list[dict]):
    path = tmp_path / "t.jsonl"
    path.write_text(
        "\n".join(json.dumps({"text": f"My text number {i}.", **r}) for i, r in enumerate(rows)), encoding="utf-8"
    )
    return read_corpus(path)


def test_empty_tables_have_no_association() -> None:
    for table in (np.zeros((0, 0)), np.ones((1, 4)), np.ones((4, 1))):
        value, reason = bias_corrected_cramers_v(table)
        assert np.isnan(value)
        assert reason


@pytest.mark.parametrize("seed", range(5))
def test_cramers_v_against_its_formula(seed: int) -> None:
    table = np.random.default_rng(seed).integers(1, 30, size=(3, 4)).astype(float)
    n, r, k = table.sum(), 3, 4
    phi2 = max(0, chi2_contingency(table, correction=False).statistic / n - (k - 1) * (r - 1) / (n - 1))
    r_, k_ = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    assert bias_corrected_cramers_v(table)[0] == pytest.approx(np.sqrt(phi2 / (min(r_, k_) - 1)))


def test_shared_strata_by_hand(tmp_path: Path) -> None:
    # Prompt p: four L1s share it. Prompt q: only fr.
    rows = [{"l1": x, "cefr": "B1", "prompt": "p", "learner": f"{x}1"} for x in ("fr", "de", "it", "es")]
    rows += [
        {"l1": "fr", "cefr": "B1", "prompt": "q", "learner": "fr1"},
        {"l1": "fr", "cefr": "B1", "prompt": "q", "learner": "fr2"},
    ]
    rows += [
        {"l1": "fr;de", "cefr": "B1", "prompt": "p", "learner": "z"},
        {"l1": "en", "cefr": "B1", "prompt": "p", "learner": "y"},
    ]
    found = describe(corpus_of(tmp_path, rows), language=False)
    shares = dict(zip(found.confounds["l1"], found.confounds["shared_share"], strict=True))
    # fr1 has one of two texts in a shared stratum, fr2 none: (1/2 + 0) / 2.
    assert shares == {"de": 1.0, "es": 1.0, "fr": 0.25, "it": 1.0}
    fr = found.contrasts.set_index("l1").loc["fr"]
    assert (fr["texts"], fr["learners"], fr["learners_reference"], fr["other_l1s"], fr["possible"]) == (
        3,
        2,
        3,
        3,
        True,
    )
    assert found.contrasts.set_index("l1").loc["de", "reason"] == "fewer than 2 learners of the L1"


def test_mining_l1_needs_l1(tmp_path: Path, cases: Path) -> None:
    require_l1(corpus_of(tmp_path, [{"l1": "fr"}]))
    for rows in ([{"l1": ""}], [{"l1": "en"}], [{"l1": "fr;de"}]):
        with pytest.raises(InputError, match="L1s cannot be mined from"):
            require_l1(corpus_of(tmp_path, rows))
    with pytest.raises(InputError, match="no text has a known L1"):
        require_l1(read_corpus(cases / "corpora" / "universalcefr"))


def test_unknown_labels_are_listed(tmp_path: Path) -> None:
    rows = [
        {"l1": "Martian", "cefr": "Intermediate", "id": "a"},
        {"l1": "fr", "cefr": "", "id": "b"},
        {"l1": "Martian", "cefr": "B1", "id": "c"},
    ]
    found = describe(corpus_of(tmp_path, rows), language=False).findings
    listed = {f: (n, p) for f, n, p in found.itertuples(index=False)}
    assert listed["L1 label not known: Martian"] == (2, "a; c")
    assert listed["level label not known: Intermediate"] == (1, "a")
