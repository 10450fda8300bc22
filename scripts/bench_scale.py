"""Time and memory of whole runs against their size: cold, warm, half done before, and on a cluster of one and two workers.

    .venv/bin/python scripts/bench_scale.py [--sizes 1000 10000 100000] [--words 60] [--cluster 4000] [--csv FILE]

The texts are random words in sentences that hardly ever repeat (no learner wrote them), so the cache of one run helps
no other. Peak memory is that of miner and all its children together, sampled; shared pages are counted once (PSS) where the
system tells them. Nothing is asserted about time: machines differ, and a machine that does something else differs from itself.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pandas as pd
import psutil

L1S = ("ar", "de", "es", "fr", "it", "ja", "pt", "ru", "tr", "zh")
NOUNS = [
    "teacher",
    "city",
    "garden",
    "river",
    "letter",
    "machine",
    "window",
    "music",
    "market",
    "doctor",
    "bridge",
    "village",
    "kitchen",
    "island",
    "summer",
]
VERBS = ["sees", "paints", "likes", "leaves", "visits", "builds", "cleans", "finds", "opens", "follows"]
WORDS = ["old", "new", "green", "quiet", "large", "small", "careful", "strange", "famous", "modern", "heavy", "bright"]


def sentence(rng: random.Random) -> str:
    """Return a sentence of about twelve words, now and then with an error that a rule knows."""
    a, b, c = (rng.choice(NOUNS) for _ in range(3))
    x, y, z = (rng.choice(WORDS) for _ in range(3))
    verb = rng.choice(VERBS)
    verb = verb.removesuffix("s") if rng.random() < 0.1 else verb
    return f"The {x} {a} {verb} a {y} {b} near the {z} {c} number {rng.randrange(10**6)}."


def write_corpus(path: Path, texts: int, words: int) -> int:
    """Write a corpus of random texts; return its words."""
    rng = random.Random(texts)
    n = 0
    rows = []
    for i in range(texts):
        body = " ".join(sentence(rng) for _ in range(max(1, round(words / 13))))
        n += len(body.split())
        rows.append(
            (f"t{i:07}", body, L1S[i % len(L1S)], ("A2", "B1")[i // len(L1S) % 2], f"w{i // 20:06}-{i % len(L1S)}")
        )
    frame = pd.DataFrame(rows, columns=["text_id", "text", "l1", "cefr", "learner"])
    frame.to_csv(path, index=False)
    return n


class Watch:
    """Peak memory of a process and its children, in GB."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._process = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """Return the peak."""
        self._over.set()
        self._thread.join()
        return self.peak

    def _look(self) -> None:
        while not self._over.wait(0.5):
            total = 0
            try:
                family = [self._process, *self._process.children(recursive=True)]
            except psutil.Error:
                return
            for process in family:
                try:
                    info = process.memory_full_info()
                    total += getattr(info, "pss", info.rss)
                except psutil.Error:
                    continue
            self.peak = max(self.peak, total / 1e9)


def run(corpus: Path, out: Path, *options: str) -> tuple[float, float]:
    """Mine a corpus with the published recipe; return seconds and peak memory."""
    roles = ["--text", "text", "--l1", "l1", "--cefr", "cefr", "--learner", "learner", "--preset", "welch"]
    command = [sys.executable, "-m", "miner", "mine", str(corpus), "--out", str(out), *roles, *options]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    watch = Watch(process.pid)
    _, err = process.communicate()
    seconds, peak = time.perf_counter() - started, watch.stop()
    if process.returncode:
        sys.exit(err.decode())
    return seconds, peak


def sizes(folder: Path, texts: list[int], words: int) -> list[dict[str, object]]:
    """Return a row for each size and state of the cache."""
    rows: list[dict[str, object]] = []
    for n in texts:
        corpus, cache = folder / f"texts-{n}.csv", folder / f"cache-{n}"
        total = write_corpus(corpus, n, words)
        for state in ("cold", "warm", "resumed"):
            options = ["--cache", str(cache)]
            if state == "resumed":
                options = ["--cache", str(folder / f"half-{n}")]
                run(corpus, folder / "half", *options, "--limit", str(n // 2))
            seconds, peak = run(corpus, folder / "out", *options)
            row = {"texts": n, "words": total, "state": state, "seconds": seconds, "peak_GB": peak}
            rows.append({**row, "words_per_second": total / seconds, "load": os.getloadavg()[0]})
            tell(rows[-1])
    return rows


def cluster(folder: Path, n: int, words: int) -> list[dict[str, object]]:
    """Return a row for one and for two workers of a local Dask cluster, of one thread each."""
    from distributed import LocalCluster

    corpus = folder / f"cluster-{n}.csv"
    total = write_corpus(corpus, n, words)
    rows: list[dict[str, object]] = []
    for workers in (1, 2):
        with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, silence_logs=50) as found:
            options = ["--scheduler", found.scheduler_address, "--no-cache", "--limit"]
            run(corpus, folder / "out", *options, "500")  # engines start
            seconds, peak = run(corpus, folder / "out", *options, str(n))
        row = {"texts": n, "words": total, "state": f"cluster, {workers} workers", "seconds": seconds, "peak_GB": peak}
        rows.append({**row, "words_per_second": total / seconds, "load": os.getloadavg()[0]})
        tell(rows[-1])
    return rows


def tell(row: dict[str, object]) -> None:
    """Print a row."""
    print("  ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()), flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[1_000, 10_000, 100_000], help="texts of each run")
    parser.add_argument("--words", type=int, default=60, help="words of a text, about")
    parser.add_argument("--cluster", type=int, default=4_000, help="texts of the runs on a cluster; 0: none")
    parser.add_argument("--csv", type=Path, default=None, help="write the table there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = sizes(Path(name), args.sizes, args.words)
        rows += cluster(Path(name), args.cluster, args.words) if args.cluster else []
    frame = pd.DataFrame(rows)
    print(frame.to_string(index=False, float_format=lambda v: f"{v:.4g}"))
    if args.csv:
        frame.to_csv(args.csv, index=False)


if __name__ == "__main__":
    main()
