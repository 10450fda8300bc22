"""The main job: a study in, a folder of tables, figures, exports and a report out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.categories import load_exclusions, load_taxonomy
from miner.checkers import Mode, open_checker
from miner.corpora import Corpus, label_notes, policies_of, read_corpus, require_l1
from miner.dialect import DialectResult, Ratings, read_ratings
from miner.errors import InputError, OptionError, listed
from miner.learner import L1Preset, get_preset
from miner.run.admitting import ids_in_run
from miner.run.dialect import DistanceResult, run_dialects, run_distances
from miner.run.executor import Executor
from miner.run.folder import OutFolder
from miner.run.learner import LearnerResult, Steps, run_learner
from miner.run.performance import write_scores
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
from miner.run.writing import draw, write_dialects, write_distances, write_exports, write_learner, write_report

if TYPE_CHECKING:
    import pandas as pd

#: Tells people what happens; commands print it.
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Work:
    """How a study is worked on; none of it changes a result.

    Parameters
    ----------
    executor : Executor
        Runs the stages; its store keeps their results.
    jobs : int, optional
        Threads, connections or processes.
    allow_remote : bool
        Let texts go to a checking server on another machine.
    tell, steps : callable, optional
        For messages and progress.
    """

    executor: Executor
    jobs: int | None = None
    allow_remote: bool = False
    tell: Tell = lambda _: None
    steps: Steps = lambda _: nullcontext()


@dataclass(frozen=True)
class Outcome:
    """What a study found; the tables are those that were written."""

    out: Path
    tables: Mapping[str, pd.DataFrame]
    learner: LearnerResult | None
    dialects: DialectResult | None
    exports: Mapping[str, Any]


def run_study(
    study: Study,
    out: Path,
    *,
    work: Work,
    command: str = "run",
) -> Outcome:
    """Run a study and write its folder.

    Parameters
    ----------
    study : Study
        Of :func:`miner.run.study.read_study`, or made in code.
    out : Path
        The folder to write; replaced in one step when all went well.
    work : Work
        Who does the work; never changes a result.
    command : str
        The command, for ``run.json``.

    Raises
    ------
    MinerError
        With the reason; nothing is written then.
    """
    preset, tell = _preset(study), work.tell
    with OutFolder(out, command=command, parameters=_parameters(study, preset), seed=study.seed) as folder:
        written: dict[str, pd.DataFrame] = {}
        learner = None
        if study.corpora:
            corpora = list(_corpora(study, folder, tell))
            learner = _learner(study, corpora, preset, folder, work)
            written |= write_learner(folder, learner)
        ratings, dialects, distances = _dialects(study, folder, tell)
        if dialects is not None:
            written |= write_dialects(folder, dialects)
        if distances is not None:
            written |= write_distances(folder, distances)
        scored, more = write_scores(folder, study.distances, ratings, distances, seed=study.seed)
        written |= scored
        tell("Drawing, exporting and writing the report")
        simulated = learner is not None and all(c["simulated"] for c in learner.facts["corpora"])
        pictures = draw(written, folder=folder, dialects=dialects, distances=distances, simulated=simulated, more=more)
        exports = write_exports(folder, written, study.exports, ratings)
        write_report(folder, study.name, written, pictures)
    return Outcome(Path(out), written, learner, dialects, exports)


def _preset(study: Study) -> L1Preset:
    options = dict(study.l1)
    for name in ("mode", "overlap"):
        value = getattr(study, name)
        if value is not None:
            if name in options:
                msg = f"The study gives '{name}' twice: at the top and in [l1]; leave one out"
                raise OptionError(msg)
            options[name] = value
    return get_preset(study.preset, **options)


def _parameters(study: Study, preset: L1Preset) -> dict[str, Any]:
    # Paths are left out: where a corpus lies does not decide the result, its content does (see `inputs`).
    given = {k: v for k, v in asdict(study).items() if k not in ("corpora", "server", "seed", "l1", "mode", "overlap")}
    given["distances"] = {k: v for k, v in given["distances"].items() if k not in ("performance", "difficulty")}
    given["preset"] = preset.as_dict()
    given["policies"] = asdict(policies_of(study.policies))
    for key in ("ratings", "taxonomy", "exclude"):
        given[key] = given[key] and Path(given[key]).name
    return given


def _corpora(study: Study, folder: OutFolder, tell: Tell) -> Iterator[Corpus]:
    names: set[str] = set()
    for spec in study.corpora:
        tell(f"Reading {spec.path}")
        corpus = read_corpus(
            spec.path,
            format=spec.format,
            roles=spec.roles,
            encoding=spec.encoding,
            on_bad_row=spec.on_bad_row,
            ambiguous_l1=spec.ambiguous_l1,
            scores=spec.scores,
            name=spec.name,
        )
        if corpus.name in names:
            msg = f"Two corpora of the study are called '{corpus.name}'; give one of them another name = \"...\""
            raise OptionError(msg)
        names.add(corpus.name)
        folder.input(corpus.name, corpus.fingerprint)
        for line in label_notes(corpus.ledger):
            tell(f"  {line}")
        yield corpus


def _learner(study: Study, corpora: list[Corpus], preset: L1Preset, folder: OutFolder, work: Work) -> LearnerResult:
    _require_some_l1(corpora)
    _refuse_mixture(corpora)
    with ExitStack() as stack:
        sources = list(_sources(study, corpora, preset, work, stack))
        checked = any(isinstance(s, CheckerSource) for s in sources)
        stream = stack.enter_context(folder.stream(tables.MATCHES)) if checked else None
        result = run_learner(
            corpora,
            sources=sources,
            preset=preset,
            executor=work.executor,
            policies=policies_of(study.policies),
            seed=study.seed,
            matches=stream.append if stream else None,
            steps=work.steps,
            tell=work.tell,
        )
        if stream is not None:
            stream.sign(result.signature)
    return result


def _sources(study: Study, corpora: list[Corpus], preset: L1Preset, work: Work, stack: ExitStack) -> Iterator[Source]:
    families = require_families(study.families)
    exclude = load_exclusions(study.exclude)
    if ERRORS in families and study.checker in (GOLD, PAIRS):
        taxonomy = load_taxonomy(study.taxonomy or "miner-core")
        yield EditSource(edits_of(corpora, ids_in_run(corpora)), taxonomy, exclude, pairs=study.checker == PAIRS)
    elif ERRORS in families:
        taxonomy = load_taxonomy(study.taxonomy or "trans-env")
        options: dict[str, Any] = {
            "name": study.checker,
            "language": study.language,
            "server": study.server,
            "allow_remote": work.allow_remote,
        }
        checker = stack.enter_context(open_checker(**options, jobs=work.jobs))
        work.executor.use(checker)
        mode: Mode = "sentence" if preset.mode == "sentence" else "text"
        yield CheckerSource(checker, taxonomy, exclude, mode, preset.overlap, {**options, "name": checker.name})
    usage = tuple(f for f in families if f in USAGE_FAMILIES)
    if usage:
        yield UsageSource(usage)


def _refuse_mixture(corpora: list[Corpus]) -> None:
    made = [c.name for c in corpora if c.simulated]
    if made and len(made) < len(corpora):
        real = [c.name for c in corpora if not c.simulated]
        msg = (
            f"The study mixes simulated corpora ({listed(made)}) with others ({listed(real)}): what came out would hold "
            "for neither. Mine them in two studies"
        )
        raise OptionError(msg)


def _require_some_l1(corpora: list[Corpus]) -> None:
    # One of several corpora may hold natives alone: they are the native reference.
    refusals = []
    for corpus in corpora:
        try:
            require_l1(corpus)
        except InputError as err:
            refusals.append(err)
    if len(refusals) == len(corpora):
        raise refusals[0]


def _dialects(
    study: Study, folder: OutFolder, tell: Tell
) -> tuple[Ratings | None, DialectResult | None, DistanceResult | None]:
    if study.ratings == "none":
        return None, None, None
    ratings = read_ratings(None if study.ratings == "bundled" else study.ratings)
    folder.input("ratings", ratings.fingerprint)
    folder.account(ratings.ledger)
    tell(f"Mining dialects from the ratings of {len(ratings.varieties)} varieties")
    dialects = run_dialects(ratings, study.dialects, seed=study.seed)
    return ratings, dialects, run_distances(ratings, study.distances)
