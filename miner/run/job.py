"""The main job: a study in, a folder of tables, figures, exports and a report out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from miner import tables
from miner.corpora import Corpus, label_notes, policies_of, read_corpus, require_l1
from miner.dialect import DialectResult, Ratings, read_ratings
from miner.errors import InputError, OptionError, listed
from miner.learner import L1Preset
from miner.run.choosing import Tell, Work, parameters_of, preset_of, sources_of, work_here
from miner.run.dialect import DistanceResult, run_dialects, run_distances
from miner.run.folder import OutFolder
from miner.run.learner import LearnerResult, run_learner
from miner.run.performance import write_scores
from miner.run.reducing import look_account, reduced
from miner.run.sources import CheckerSource
from miner.run.study import Study
from miner.run.writing import draw, write_dialects, write_distances, write_exports, write_learner, write_report

if TYPE_CHECKING:
    import pandas as pd


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
    work: Work | None = None,
    command: str = "run",
) -> Outcome:
    """Run a study and write its folder.

    Parameters
    ----------
    study : Study
        Of :func:`miner.run.study.read_study`, or made in code.
    out : Path
        The folder to write; replaced in one step when all went well.
    work : Work, optional
        Who does the work (never changes a result); default: this process, and nothing is kept for later runs. See
        :func:`miner.run.choosing.work_here`.
    command : str
        The command, for ``run.json``.

    Raises
    ------
    MinerError
        With the reason; nothing is written then.
    """
    if work is None:
        with work_here() as here:
            return run_study(study, out, work=here, command=command)
    preset, tell = preset_of(study), work.tell
    with OutFolder(out, command=command, parameters=parameters_of(study, preset), seed=study.seed) as folder:
        written: dict[str, pd.DataFrame] = {}
        learner = None
        if study.corpora:
            corpora = read_corpora(study, folder, tell)
            learner = _learner(study, corpora, preset, folder, work)
            written |= write_learner(folder, learner)
        ratings, dialects, distances = _dialects(study, folder, work)
        if dialects is not None:
            written |= write_dialects(folder, dialects)
        if distances is not None:
            written |= write_distances(folder, distances)
        scored, more = write_scores(
            folder, study.distances, ratings, distances, seed=study.seed, store=work.executor.store
        )
        written |= scored
        tell("Drawing, exporting and writing the report")
        simulated = learner is not None and all(c["simulated"] for c in learner.facts["corpora"])
        pictures = draw(
            written,
            folder=folder,
            dialects=dialects,
            distances=distances,
            simulated=simulated,
            more=more,
            store=work.executor.store,
        )
        exports = write_exports(folder, written, study.exports, ratings)
        write_report(folder, study.name, written, pictures, examples=learner.examples if learner else None)
    return Outcome(Path(out), written, learner, dialects, exports)


def read_corpora(study: Study, folder: OutFolder | None, tell: Tell) -> list[Corpus]:
    """Return the corpora of a study, or the part that it asks for; the folder records what was read.

    Raises
    ------
    InputError, OptionError
        As reading does; if no corpus has native languages; if simulated corpora are mixed with others.
    """
    whole = list(_corpora(study, folder, tell))
    _require_some_l1(whole)
    _refuse_mixture(whole)
    part = reduced(whole, limit=study.limit, sample=study.sample, seed=study.seed)
    if folder is not None and (study.limit or study.sample):
        folder.account(look_account(whole, part))
        tell(f"A quick look: {sum(len(c.texts) for c in part)} of {sum(len(c.texts) for c in whole)} texts")
    return part


def _corpora(study: Study, folder: OutFolder | None, tell: Tell) -> Iterator[Corpus]:
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
        if folder is not None:
            folder.input(corpus.name, corpus.fingerprint)
        for line in label_notes(corpus.ledger):
            tell(f"  {line}")
        yield corpus


def _learner(study: Study, corpora: list[Corpus], preset: L1Preset, folder: OutFolder, work: Work) -> LearnerResult:
    with ExitStack() as stack:
        sources = list(sources_of(study, corpora, preset, work, stack))
        checked = any(isinstance(s, CheckerSource) for s in sources)
        stream = stack.enter_context(folder.stream(tables.MATCHES)) if checked else None
        result = run_learner(
            corpora,
            sources=sources,
            preset=preset,
            executor=work.executor,
            policies=policies_of(study.policies),
            seed=study.seed,
            examples=study.examples,
            matches=stream.append if stream else None,
            steps=work.steps,
            tell=work.tell,
        )
        if stream is not None:
            stream.sign(result.signature)
    return result


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
    study: Study, folder: OutFolder, work: Work
) -> tuple[Ratings | None, DialectResult | None, DistanceResult | None]:
    if study.ratings == "none":
        return None, None, None
    ratings = read_ratings(None if study.ratings == "bundled" else study.ratings)
    folder.input("ratings", ratings.fingerprint)
    folder.account(ratings.ledger)
    work.tell(f"Mining dialects from the ratings of {len(ratings.varieties)} varieties")
    dialects = run_dialects(ratings, study.dialects, seed=study.seed, store=work.executor.store)
    return ratings, dialects, run_distances(ratings, study.distances)
