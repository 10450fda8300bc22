"""Worker processes end with the process that started them, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from miner import processes
from miner.errors import EngineError

psutil = pytest.importorskip("psutil", reason="looks for orphan processes with psutil")

_PARENT = """
import time
from miner.processes import mapped

if __name__ == "__main__":
    print(sorted(mapped(abs, [-1, -2], jobs=2)), flush=True)
    time.sleep(60)
"""


def test_results_come_in_order_and_a_failure_is_raised() -> None:
    try:
        assert list(processes.mapped(abs, range(-5, 0), jobs=2)) == [5, 4, 3, 2, 1]
        with pytest.raises(ValueError, match="invalid literal"):
            list(processes.mapped(int, ["1", "x"], jobs=2))
        assert list(processes.mapped(int, ["1", "2"], jobs=2)) == [1, 2]
        with pytest.raises(EngineError, match="ended before its work was done"):
            list(processes.mapped(os._exit, [1], jobs=2))
        assert list(processes.mapped(int, ["1", "2"], jobs=2)) == [1, 2]
    finally:
        processes.close()
    assert list(processes.mapped(int, ["3"], jobs=1)) == [3]


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
def test_workers_of_a_killed_process_end(tmp_path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT, encoding="utf-8")
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline().strip() == "[1, 2]"
    workers = psutil.Process(parent.pid).children(recursive=True)
    assert len(workers) >= 2
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []
