"""Time checking against the plain language-tool-python loop, sentence by sentence, in the same run.

    .venv/bin/python scripts/bench_checking.py CORPUS [--words 4000] [--pairs 5] [--csv FILE]

CORPUS is any that miner reads (default: the bundled sample, which is simulated: no learner wrote it). The loop is given
the same texts, cut into sentences beforehand; LingoTweaker computes suggestions and is held against a loop that does,
LanguageTool computes none and is held against a loop that does not. All sides are warm; runs are interleaved in pairs,
and the ratio is the median over the pairs. That matches are those of each text checked alone is verified, not assumed.
Nothing is asserted about time: machines differ, and a machine that does something else at the same time differs from itself.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import psutil

from miner.checkers import Checker, check_texts, engines, open_checker
from miner.checkers.local_server import require_installation
from miner.checkers.provision import java_command
from miner.corpora import read_corpus
from miner.store import open_store
from miner.text import n_words, split_sentences, view

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "corpora" / "sample"
#: Does the engine compute suggestions (which miner drops)? The loop does the same.
SUGGESTS = {"lingotweaker": True, "languagetool": False}


def chosen(path: Path, words: int) -> pd.DataFrame:
    """Return texts spread over the corpus with about so many words."""
    texts = read_corpus(path).texts[["text_id", "text"]]
    texts = texts.assign(n_words=[n_words(t) for t in texts["text"]]).sort_values("text_id", ignore_index=True)
    step = max(1, int(texts["n_words"].sum() / words))
    return texts.iloc[::step].reset_index(drop=True)


@contextmanager
def language_tool_python_of(*, suggestions: bool) -> Iterator[Any]:
    """Give language-tool-python as people use it: its own server, one client."""
    import language_tool_python

    os.environ["LTP_PATH"] = str(require_installation().jar.parent.parent)
    os.environ["PATH"] = str(Path(java_command()).parent) + os.pathsep + os.environ["PATH"]
    config = None if suggestions else {"suggestionsEnabled": False}
    tool = language_tool_python.LanguageTool("en-US", config=config)
    try:
        yield tool
    finally:
        tool.close()


class Took(NamedTuple):
    """Seconds by the clock, and of the processors (this process and all that it started)."""

    wall: float
    cpu: float


def timed(work: Callable[[], Any]) -> Took:
    """Return how long the work takes."""
    wall, cpu = time.perf_counter(), _cpu()
    work()
    return Took(time.perf_counter() - wall, _cpu() - cpu)


def _cpu() -> float:
    me = psutil.Process()
    times = [p.cpu_times() for p in (me, *me.children(recursive=True))]
    return sum(t.user + t.system for t in times)


def verified(texts: pd.DataFrame, checker: Checker, tool: Any) -> int:
    """Return how many matches there are; stop if they are not those of each text alone.

    LanguageTool's are also compared with what language-tool-python itself says of each whole text.
    """
    together = check_texts(texts, checker).matches
    alone = pd.concat([check_texts(texts.iloc[[i]], checker).matches for i in range(len(texts))])
    if _rows(together) != _rows(alone):
        sys.exit(f"{checker.engine}: checked together, texts have other matches than alone")
    if checker.name == "languagetool":
        by_id = {i: t for i, t in zip(texts["text_id"], texts["text"], strict=True) if view(t).text == t}
        theirs = [(i, m.offset, m.offset + m.error_length, m.rule_id) for i, t in by_id.items() for m in tool.check(t)]
        ours = together[together["text_id"].isin(by_id)][["text_id", "start", "end", "rule_id"]]
        if _rows(ours) != sorted(theirs):
            sys.exit(f"{checker.engine}: language-tool-python finds other matches in the same texts")
    return len(together)


def _rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return sorted(frame.itertuples(index=False, name=None))


def against_the_loop(name: str, texts: pd.DataFrame, pairs: int) -> list[dict[str, object]]:
    """Time an engine and the loop in turns."""
    words = int(texts["n_words"].sum())
    seen = [view(t).text for t in texts["text"]]
    sentences = [s[a:b] for s in seen for a, b in split_sentences(s)]
    with language_tool_python_of(suggestions=SUGGESTS[name]) as tool, open_checker(name) as checker:

        def loop() -> int:
            return sum(len(tool.check(s)) for s in sentences)

        n = verified(texts, checker, tool)
        check_texts(texts, checker)
        loop()
        times = [(timed(loop), timed(lambda: check_texts(texts, checker))) for _ in range(pairs)]
    ratios = [a.wall / b.wall for a, b in times]
    print(
        f"{name}: {n} matches, the same as of each text alone; ratios {', '.join(f'{r:.1f}' for r in ratios)}",
        flush=True,
    )
    what = "language-tool-python, sentence by sentence"
    return [
        _row(what, "sentence", "", "warm engine", words, _median([a for a, _ in times]), 1.0),
        _row(name, "text", "all", "warm engine", words, _median([b for _, b in times]), statistics.median(ratios)),
    ]


def by_state(name: str, texts: pd.DataFrame) -> Iterator[dict[str, object]]:
    """Time an engine with 1 and 2 workers, by mode, with an empty cache, half of it and all of it."""
    words = int(texts["n_words"].sum())
    for jobs in (1, 2):
        with open_checker(name, jobs=jobs) as checker:
            check_texts(texts, checker)
            for mode in ("text", "sentence"):
                with ExitStack() as stack:
                    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                    cold = stack.enter_context(open_store(folder / "cold"))
                    half = stack.enter_context(open_store(folder / "half"))
                    check_texts(texts.iloc[::2].reset_index(drop=True), checker, mode=mode, store=half)
                    for state, store in (("cold cache", cold), ("resumed at half", half), ("warm cache", cold)):
                        took = timed(lambda: check_texts(texts, checker, mode=mode, store=store))  # noqa: B023
                        yield _row(name, mode, jobs, state, words, took, None)


def _median(times: list[Took]) -> Took:
    return Took(statistics.median(t.wall for t in times), statistics.median(t.cpu for t in times))


def _row(
    what: str, mode: str, workers: object, state: str, words: int, took: Took, ratio: float | None
) -> dict[str, object]:
    row: dict[str, object] = {"what": what, "mode": mode, "workers": workers, "state": state}
    return row | {
        "seconds": round(took.wall, 2),
        "words_per_s": round(words / took.wall),
        "words_per_cpu_s": round(words / max(took.cpu, 1e-2)),
        "times_the_loop": ratio and round(ratio, 1),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("corpus", type=Path, nargs="?", default=SAMPLE)
    parser.add_argument("--words", type=int, default=4_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--engine", choices=tuple(SUGGESTS), action="append", default=None)
    parser.add_argument("--loop-only", action="store_true", help="leave out the table of workers, modes and caches")
    parser.add_argument("--csv", type=Path, default=None)
    args = parser.parse_args()
    texts = chosen(args.corpus, args.words)
    if args.corpus == SAMPLE:
        print("The bundled sample is simulated: its figures say little about real texts; name a corpus")
    words = int(texts["n_words"].sum())
    load = f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores before the start"
    print(f"{len(texts)} texts, {words} words; {load}", flush=True)
    here = [info.name for info in engines() if info.find() and info.name in (args.engine or SUGGESTS)]
    rows: list[dict[str, object]] = []
    for name in here:
        rows += against_the_loop(name, texts, args.pairs)
        if not args.loop_only:
            rows += by_state(name, texts)
    table = pd.DataFrame(rows)
    print(table.to_string(index=False, na_rep=""))
    if args.csv:
        table.to_csv(args.csv, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
