"""Simulated learner corpora: texts with errors planted at known rates, and the table of what was planted."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from miner.corpora import write_manifest
from miner.errors import OptionError
from miner.signature import Signature
from miner.simulate.design import BANDS, L1S, LEVELS, Design, make_design
from miner.simulate.plan import make_plan
from miner.simulate.planted import planted_table
from miner.simulate.readme import readme
from miner.simulate.templates import Grammar, load_grammar
from miner.simulate.writing import Ints, Written, write_texts
from miner.store.frames import rounded, write_csv
from miner.tables import TEXTS, conform

#: Shape of the gamma distribution of the learners' own factors, where none is given: their standard deviation is 1/2.
DISPERSION = 4.0
WORDS = 100
MOST_WORDS = 10_000
LEAST_VARIETY = 2
LICENCE = "CC0-1.0"
TEXT_FILE = "texts.csv"
#: Column of the table of texts for each role of the reader.
ROLES = {"id": "text_id", "l1": "l1", "cefr": "cefr", "learner": "learner", "prompt": "prompt", "text": "text"}


@dataclass(frozen=True)
class Simulated:
    """A simulated corpus.

    Parameters
    ----------
    name : str
        ``simulated-`` and how it was made.
    texts : DataFrame
        Table ``texts``.
    planted : DataFrame
        Table ``planted``.
    errors : DataFrame
        One row per text (in the order of ``texts``), one column per category: the number of errors written into it.
    parameters : mapping
        All that decides the corpus.
    """

    name: str
    texts: pd.DataFrame
    planted: pd.DataFrame
    errors: pd.DataFrame
    parameters: Mapping[str, object]

    @property
    def signature(self) -> Signature:
        """How the table of what was planted was made: name (of size and seed) and hash of all parameters."""
        content = json.dumps(dict(sorted(self.parameters.items()))).encode()
        mark = hashlib.blake2b(content, digest_size=4).hexdigest()
        return Signature.of("planted", corpus=f"{self.name}#{mark}", seed=self.parameters["seed"])


def simulate(
    texts: int,
    *,
    seed: int,
    null: bool = False,
    learners: int | None = None,
    words: int = WORDS,
    base: float | None = None,
    ratio: float | None = None,
    dispersion: float = DISPERSION,
    variety: int | None = None,
) -> Simulated:
    """Simulate a learner corpus of 10 L1s x bands A and B.

    Parameters
    ----------
    texts : int
        Texts in all, dealt out to the 20 cells in turn. A corpus with more texts begins with the same texts.
    seed : int
        Decides everything that is random; the same on every platform.
    null : bool
        Plant nothing: all L1s have the same rates.
    learners : int, optional
        Learners of each L1, half of them in each band. By default learners write 2, 3 and 4 texts in turn.
    words : int
        Mean words of a text; texts are within 35 % of it (longer only where a text's errors alone exceed it).
    base : float, optional
        Errors per 1,000 words of every feature where nothing is planted; by default each feature has its own rate.
    ratio : float, optional
        Rate ratio. With ``base`` or ``ratio`` each feature is planted in exactly one L1 (default ratio 2), else the
        bundled plan holds.
    dispersion : float
        Shape of the gamma distribution (mean 1) of each learner's factor for each feature; smaller: learners differ more.
    variety : int, optional
        Words that each slot of a sentence may be filled with (2 or more). With few, sentences repeat, also between corpora, so
        that many corpora are soon checked sentence by sentence with a store; all words by default.

    Returns
    -------
    Simulated

    Raises
    ------
    OptionError
        If a value is out of range, there are fewer texts than learners, or errors would leave no room for other words.

    Notes
    -----
    Errors of a feature in a text: Poisson(base x rate ratio x prompt factor x learner factor x words / 1000), each a
    sentence of its own; correct sentences, among them the features' correct variants, fill the text.
    """
    for name, value, least, most in (("--texts", texts, 1, 10_000_000), ("--words", words, 30, MOST_WORDS)):
        if not least <= value <= most:
            msg = f"{name} must be a whole number from {least:,} to {most:,}. Got {value}"
            raise OptionError(msg)
    if variety is not None and variety < LEAST_VARIETY:
        msg = f"--variety must be a whole number of at least {LEAST_VARIETY}: some sentences need two different words. Got {variety}"
        raise OptionError(msg)
    grammar = load_grammar() if variety is None else load_grammar().with_variety(variety)
    design = make_design(texts, seed=seed, words=words, prompts=len(grammar.prompts), learners=learners)
    plan = make_plan(grammar, seed=seed, null=null, base=base, ratio=ratio, dispersion=dispersion)
    written = write_texts(grammar, plan, design, seed=seed)
    parameters: dict[str, object] = {"texts": texts, "seed": seed, "words": words, "dispersion": float(dispersion)}
    given = (("learners", learners), ("base", base), ("ratio", ratio), ("variety", variety))
    parameters |= {k: v for k, v in given if v is not None}
    parameters |= {"null": True} if null else {}
    name = f"simulated-{'null-' if null else ''}{texts}-{seed}"
    return Simulated(
        name,
        _texts_table(grammar, design, written, name),
        rounded(planted_table(grammar, plan, design, written)),
        _errors_table(grammar, written.errors),
        parameters,
    )


def write_corpus(simulated: Simulated, folder: Path) -> None:
    """Write the corpus into a folder: texts.csv, corpus.toml, planted.csv and README.md, the same bytes every time."""
    (folder / TEXT_FILE).write_bytes(_csv_bytes(simulated.texts))
    write_csv(simulated.planted, folder / "planted.csv")
    write_manifest(
        folder,
        format="table",
        name=simulated.name,
        licence=LICENCE,
        redistribute=True,
        simulated=True,
        files=[TEXT_FILE],
        roles=ROLES,
    )
    (folder / "README.md").write_text(
        readme(simulated.name, simulated.parameters, simulated.texts, simulated.planted), encoding="utf-8", newline="\n"
    )


def _csv_bytes(texts: pd.DataFrame) -> bytes:
    columns = ("text_id", "l1", "cefr", "learner_id", "prompt_id", "text")
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(ROLES.values())
    writer.writerows(zip(*(texts[c].tolist() for c in columns), strict=True))
    return out.getvalue().encode()


def _texts_table(grammar: Grammar, design: Design, written: Written, name: str) -> pd.DataFrame:
    l1 = [L1S[i] for i in design.l1.tolist()]
    band = [BANDS[i] for i in design.band.tolist()]
    level = [LEVELS[b] for b in band]
    learner = [f"sim-{c}-{b}-{n + 1:05d}" for c, b, n in zip(l1, band, design.learner.tolist(), strict=True)]
    frame = pd.DataFrame(
        {
            "text_id": [f"sim{i + 1:08d}" for i in range(len(l1))],
            "corpus": name,
            "l1": l1,
            "l1_raw": l1,
            "l1_source": "declared",
            "level_raw": level,
            "level": level,
            "cefr": level,
            "band": band,
            "cefr_source": "corpus",
            "learner_id": learner,
            "prompt_id": [grammar.prompts[i] for i in design.prompt.tolist()],
            "text": written.text,
            "n_words": written.words,
            "n_sentences": written.sentences,
        }
    )
    empty = [c.name for c in TEXTS.columns if c.name not in frame]
    return conform(frame.assign(**dict.fromkeys(empty, None)), TEXTS)


def _errors_table(grammar: Grammar, errors: Ints) -> pd.DataFrame:
    return pd.DataFrame(np.asarray(errors), columns=[f.category for f in grammar.features])
