"""Parts of the main job, for many machines: what it would take, one shard of it, and all shards together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from miner.corpora import policies_of
from miner.errors import OptionError
from miner.run.admitting import admitted_texts
from miner.run.choosing import Work, parameters_of, preset_of, sources_of
from miner.run.estimating import Estimate, estimate
from miner.run.executor import LocalExecutor
from miner.run.folder import OutFolder
from miner.run.job import Outcome, read_corpora, run_study
from miner.run.shards import COMMAND, FILE, RecordingStore, Shard, require_same_study, take_shards, write_shard
from miner.run.stage import split
from miner.run.study import Study


def estimate_study(study: Study, work: Work) -> list[Estimate]:
    """Return what each source of the study would take; nothing is written.

    Raises
    ------
    OptionError
        If the study has no corpora.
    """
    _require_corpora(study, "estimate")
    preset, policies = preset_of(study), policies_of(study.policies)
    with ExitStack() as stack:
        corpora = read_corpora(study, None, work.tell)
        sources = list(sources_of(study, corpora, preset, work, stack))
        return estimate(corpora, sources, work.executor, policies, jobs=work.jobs, seed=study.seed)


def run_shard(study: Study, out: Path, shard: Shard, *, work: Work) -> int:
    """Check, parse and count the partitions of one shard and write them; return how many texts they hold.

    Raises
    ------
    MinerError
        With the reason; nothing is written then.
    """
    _require_corpora(study, "share out")
    preset, policies = preset_of(study), policies_of(study.policies)
    with (
        OutFolder(out, command=COMMAND, parameters=parameters_of(study, preset), seed=study.seed) as folder,
        ExitStack() as stack,
    ):
        corpora = read_corpora(study, folder, work.tell)
        store = RecordingStore(work.executor.store)
        executor = LocalExecutor(store, work.tools)
        recorded = replace(work, executor=executor)
        sources = list(sources_of(study, corpora, preset, recorded, stack))
        texts, _, _ = admitted_texts(corpora, policies, executor)
        parts = shard.of(split(texts))
        n = sum(map(len, parts))
        for source in sources:
            work.tell(f"{source.called}: {n} of {len(texts)} texts (shard {shard.i} of {shard.n})")
            with work.steps(source.called.split()[0].lower()) as progress:
                executor.watch(progress, n)
                for _ in source.counted(executor, parts):
                    pass
        write_shard(folder.path(FILE), store)
        folder.facts(shard={"i": shard.i, "n": shard.n, "texts": n})
    return n


def merge_shards(study: Study, folders: Sequence[Path], out: Path, *, work: Work) -> Outcome:
    """Run the study with the results of its shards: the same tables, to the byte, as one run.

    A partition that a shard could not finish (texts on which the engine failed) is checked again here.

    Raises
    ------
    InputError
        If shards are missing or of another study; see :func:`miner.run.shards.take_shards`.
    """
    take_shards(folders, work.executor.store)
    corpora = read_corpora(study, None, lambda _: None)
    inputs = {c.name: c.fingerprint for c in corpora}
    parameters = json.loads(json.dumps(parameters_of(study, preset_of(study)), default=str))
    require_same_study(folders[0], parameters, inputs, study.seed)
    return run_study(study, out, work=work)


def _require_corpora(study: Study, what: str) -> None:
    if not study.corpora:
        msg = f"The study has no corpora, so there is nothing to {what}: dialects take seconds. Run it as it is"
        raise OptionError(msg)
