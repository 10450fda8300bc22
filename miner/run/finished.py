"""Finished runs side by side: were they made alike, and of different corpora?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from miner.errors import InputError
from miner.signature import Signature


def made_how(run: Path, tests: pd.DataFrame) -> dict[str, str]:
    """Return how a run's tests were made: ``test``, and where its sidecar tells, ``preset`` and ``corpus``.

    Parameters
    ----------
    run : Path
        Folder of the run.
    tests : DataFrame
        Its :data:`miner.tables.L1_TESTS`.
    """
    parts = {"test": "+".join(sorted(tests["test"].dropna().unique()))}
    sidecar = run / "l1_tests.json"
    if sidecar.is_file():
        try:
            signed = Signature.parse(str(json.loads(sidecar.read_text(encoding="utf-8"))["signature"])).parts
        except (ValueError, KeyError, TypeError) as err:
            msg = f"{sidecar} holds no signature ({type(err).__name__}); mine the corpus again"
            raise InputError(msg) from err
        parts |= {k: signed[k] for k in ("preset", "corpus") if k in signed}
    return parts


def require_alike(made: Mapping[str, Mapping[str, str]]) -> None:
    """Refuse runs of different recipes, and two runs of one corpus.

    Raises
    ------
    InputError
    """
    for part, told in (("test", "tests"), ("preset", "recipes")):
        values = {run: parts[part] for run, parts in made.items() if parts.get(part)}
        if len(set(values.values())) > 1:
            listing = "; ".join(f"{run}: {value}" for run, value in values.items())
            msg = f"Runs are compared that were made alike, and these have different {told}: {listing}. Mine them with one recipe"
            raise InputError(msg)
    corpora = [parts["corpus"] for parts in made.values() if parts.get("corpus")]
    twice = sorted({c for c in corpora if corpora.count(c) > 1})
    if twice:
        msg = f"Each corpus counts once: {', '.join(twice)} is in several of the runs. Name runs of different corpora"
        raise InputError(msg)
