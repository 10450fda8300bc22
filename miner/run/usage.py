"""Usage features of corpora in one call, for notebooks: the same stages as a study with ``families = ["usage"]``."""

from __future__ import annotations

from collections.abc import Sequence

from miner.corpora import Corpus, Policies
from miner.errors import require_one_of
from miner.learner import DEFAULT_PRESET, L1Preset, get_preset
from miner.run.executor import LocalExecutor
from miner.run.learner import LearnerResult, run_learner
from miner.run.sources import USAGE_FAMILIES, UsageSource, require_families
from miner.run.tools import Tools
from miner.signature import DEFAULT_SEED
from miner.store import MemoryStore, Store


def mine_usage(
    corpora: Sequence[Corpus],
    *,
    preset: str | L1Preset = DEFAULT_PRESET,
    families: Sequence[str] = ("usage",),
    store: Store | None = None,
    policies: Policies | None = None,
    jobs: int = 1,
    seed: int = DEFAULT_SEED,
) -> LearnerResult:
    """Mine what learners use.

    Parameters
    ----------
    corpora : sequence of Corpus
        Mined together.
    preset : str or L1Preset
        The recipe of tests and selection.
    families : sequence of {"usage", "topic", "format"}
        Grammar alone by default. Each family is tested by itself; in the inventory they follow each other.
    store : Store, optional
        Keeps the results of stages.
    policies : Policies, optional
        What happens to flagged texts.
    jobs : int
        Processes.
    seed : int
        Of permutations and half-samples.

    Returns
    -------
    LearnerResult
        ``rates`` are the same comparisons per opportunity; ``family`` says usage, topic or format.

    Raises
    ------
    EmptyInput, EngineMissing, OptionError, MinerError
        As the stages do.
    """
    kept = store if store is not None else MemoryStore()
    for family in families:
        require_one_of(family, USAGE_FAMILIES, what="A family of usage features")
    source = UsageSource(require_families(families))
    with Tools(kept, jobs=jobs) as tools:
        executor = LocalExecutor(kept, tools)
        return run_learner(
            corpora, sources=[source], preset=get_preset(preset), executor=executor, policies=policies, seed=seed
        )
