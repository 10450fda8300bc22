"""Converting takes no more memory for a large corpus than for a small one."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_RUN = """
import resource, sys
from miner.commands import main
assert main(["corpora", "convert", sys.argv[1], sys.argv[2], "--no-language"]) == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def made(path: Path, megabytes: int) -> Path:
    rng = random.Random(megabytes)
    sentences = [
        " ".join(rng.choices(["a", "cat", "sees", "the", "old", "house", "and", "goes"], k=12)) + "."
        for _ in range(500)
    ]
    with path.open("w", encoding="utf-8") as file:
        file.write("text,l1,cefr,learner\n")
        size, i = 0, 0
        while size < megabytes * 1_000_000:
            row = f"{i} {' '.join(rng.choices(sentences, k=30))},fr,B1,w{i // 3}\n"
            size += file.write(row)
            i += 1
    return path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peak memory is measured as Linux reports it")
def test_peak_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (10, 40):
        corpus = made(tmp_path / f"{megabytes}.csv", megabytes)
        run = subprocess.run(
            [sys.executable, "-c", _RUN, str(corpus), str(tmp_path / f"out{megabytes}")],
            capture_output=True,
            text=True,
            check=True,
        )
        peaks.append(int(run.stdout.split()[-1]) / 1024)
    # 30 MB more of texts, each held several times over in a table, would show.
    assert peaks[1] - peaks[0] < 25
