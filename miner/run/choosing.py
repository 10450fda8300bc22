"""What a study chooses: its recipe, what is counted, and who works on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from miner.categories import load_exclusions, load_taxonomy
from miner.checkers import Mode, engines, open_checker
from miner.corpora import Corpus, policies_of
from miner.errors import OptionError
from miner.learner import L1Preset, get_preset
from miner.run.admitting import ids_in_run
from miner.run.executor import Executor, LocalExecutor
from miner.run.learner import Steps
from miner.run.sources import (
    ERRORS,
    GOLD,
    PAIRS,
    USAGE_FAMILIES,
    CheckerSource,
    EditSource,
    Source,
    UsageSource,
    edits_of,
    require_families,
)
from miner.run.study import Study
from miner.run.tools import Tools
from miner.store import MemoryStore, Store

#: Tells people what happens; commands print it.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Work:
    """How a study is worked on; none of it changes a result.

    Parameters
    ----------
    executor : Executor
        Runs the stages; its store keeps their results.
    tools : Tools
        Open engines of this process.
    jobs : int, optional
        Threads, connections or processes.
    allow_remote : bool
        Let texts go to a checking server on another machine.
    tell, steps : callable, optional
        For messages and progress.
    """

    executor: Executor
    tools: Tools
    jobs: int | None = None
    allow_remote: bool = False
    tell: Tell = lambda _: None
    steps: Steps = lambda _: nullcontext()


@contextmanager
def work_here(store: Store | None = None, *, jobs: int | None = None) -> Iterator[Work]:
    """Give work in this process; engines that it opened are closed at the end.

    Parameters
    ----------
    store : Store, optional
        Keeps results for later runs, e.g. ``miner.open_store("cache")``; default: in memory, for this call.
    jobs : int, optional
        Threads, connections or processes.
    """
    kept = store if store is not None else MemoryStore()
    with Tools(kept, jobs=jobs) as tools:
        yield Work(LocalExecutor(kept, tools), tools, jobs)


def preset_of(study: Study) -> L1Preset:
    """Return the recipe of the study with its options."""
    options = dict(study.l1)
    for name in ("mode", "overlap"):
        value = getattr(study, name)
        if value is not None:
            if name in options:
                msg = f"The study gives '{name}' twice: at the top and in [l1]; leave one out"
                raise OptionError(msg)
            options[name] = value
    return get_preset(study.preset, **options)


def parameters_of(study: Study, preset: L1Preset) -> dict[str, Any]:
    """Return all of a study that decides the result, for ``run.json`` and the sidecars."""
    # Paths are left out: where a corpus lies does not decide the result, its content does (see `inputs`).
    given = {k: v for k, v in asdict(study).items() if k not in ("corpora", "server", "seed", "l1", "mode", "overlap")}
    given["distances"] = {k: v for k, v in given["distances"].items() if k not in ("performance", "difficulty")}
    given["preset"] = preset.as_dict()
    given["policies"] = asdict(policies_of(study.policies))
    if any(c.language for c in study.corpora):
        given["languages"] = [c.language or study.language for c in study.corpora]
    for key in ("ratings", "taxonomy", "exclude"):
        given[key] = given[key] and Path(given[key]).name
    return given


def sources_of(study: Study, corpora: list[Corpus], preset: L1Preset, work: Work, stack: ExitStack) -> Iterator[Source]:
    """Yield what the study counts; a checker that is opened is closed by the stack."""
    families = require_families(study.families)
    exclude = load_exclusions(study.exclude)
    if ERRORS in families and study.checker in (GOLD, PAIRS):
        taxonomy = load_taxonomy(study.taxonomy or "miner-core")
        edits, ledger = edits_of(corpora, ids_in_run(corpora))
        yield EditSource(edits, taxonomy, exclude, pairs=study.checker == PAIRS, ledgers=(ledger,))
    elif ERRORS in families:
        taxonomy = load_taxonomy(study.taxonomy or "trans-env")
        options: dict[str, Any] = {
            "name": study.checker,
            "server": study.server,
            "allow_remote": work.allow_remote,
        }
        own = [spec.language or study.language for spec in study.corpora]
        languages = dict(zip((c.name for c in corpora), own, strict=True))
        opened = {}
        known = [info.languages for info in engines()]
        # Rates of different engines cannot be compared: the one for all is chosen for the variety that fewest know.
        for language in sorted(set(languages.values()), key=lambda v: (sum(v in own for own in known), v)):
            opened[language] = stack.enter_context(open_checker(**options, language=language, jobs=work.jobs))
            work.executor.use(opened[language])
            options["name"] = opened[language].name
        mode: Mode = "sentence" if preset.mode == "sentence" else "text"
        checkers = {name: opened[language] for name, language in languages.items()}
        yield CheckerSource(checkers, taxonomy, exclude, mode, preset.overlap, options)
    usage = tuple(f for f in families if f in USAGE_FAMILIES)
    if usage:
        yield UsageSource(usage)
