"""The main job: a study in, a folder of tables, figures, exports and a report out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner.categories import load_taxonomy
from miner.checkers import open_checker
from miner.corpora import Corpus, label_notes, policies_of, read_corpus, require_l1
from miner.dialect import DialectResult, Ratings, read_ratings
from miner.errors import InputError, OptionError, listed
from miner.learner import L1Preset, get_preset
from miner.run.dialect import DistanceResult, run_dialects, run_distances
from miner.run.folder import OutFolder
from miner.run.learner import LearnerResult, Progress, run_learner
from miner.run.performance import write_scores
from miner.run.study import Study
from miner.run.writing import draw, write_dialects, write_distances, write_exports, write_learner, write_report
from miner.store import Store

if TYPE_CHECKING:
    import pandas as pd

#: Tells people what happens; commands print it.
Tell = Callable[[str], None]
#: Gives a progress callback for a step of that name.
Steps = Callable[[str], AbstractContextManager["Progress | None"]]


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
    store: Store,
    jobs: int | None = None,
    allow_remote: bool = False,
    command: str = "run",
    tell: Tell = lambda _: None,
    steps: Steps = lambda _: nullcontext(),
) -> Outcome:
    """Run a study and write its folder.

    Parameters
    ----------
    study : Study
        Of :func:`miner.run.study.read_study`, or made in code.
    out : Path
        The folder to write; replaced in one step when all went well.
    store : Store
        Where results of checks and stages are kept.
    jobs : int, optional
        Threads or connections; never changes a result.
    allow_remote : bool
        Let texts go to a checking server on another machine.
    tell, steps : callable, optional
        For messages and progress.

    Raises
    ------
    MinerError
        With the reason; nothing is written then.
    """
    preset = _preset(study)
    with OutFolder(out, command=command, parameters=_parameters(study, preset), seed=study.seed) as folder:
        written: dict[str, pd.DataFrame] = {}
        learner = None
        if study.corpora:
            corpora = list(_corpora(study, folder, tell))
            learner = _learner(study, corpora, preset, store, jobs, allow_remote, tell, steps)
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
    for key in ("ratings", "taxonomy"):
        given[key] = Path(given[key]).name
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


def _learner(
    study: Study,
    corpora: list[Corpus],
    preset: L1Preset,
    store: Store,
    jobs: int | None,
    allow_remote: bool,  # noqa: FBT001 (passed on)
    tell: Tell,
    steps: Steps,
) -> LearnerResult:
    _require_some_l1(corpora)
    _refuse_mixture(corpora)
    taxonomy = load_taxonomy(study.taxonomy)
    with open_checker(
        study.checker, language=study.language, server=study.server, allow_remote=allow_remote, jobs=jobs
    ) as checker:
        n = sum(len(c.texts) for c in corpora)
        tell(f"Checking {n} texts with {checker.engine} (rules {checker.fingerprint}), {preset.mode} mode")
        with steps("checking") as progress:
            return run_learner(
                corpora,
                checker=checker,
                taxonomy=taxonomy,
                preset=preset,
                store=store,
                policies=policies_of(study.policies),
                seed=study.seed,
                progress=progress,
            )


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
