"""The texts themselves: how many errors of each feature, which sentences, in which order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from miner.simulate.design import Design
from miner.simulate.plan import Plan
from miner.simulate.streams import choices, gamma, keys, poisson, uniforms
from miner.simulate.templates import Grammar, Template

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

#: Texts written at a time: bounds the memory, never the result.
CHUNK = 10_000
#: Places of the sentences without errors begin here, so that errors elsewhere in the text leave them as they are.
_FILL = 1_000_000


@dataclass(frozen=True)
class Written:
    """Texts with their numbers of words and sentences, shape (n_texts,), and errors, shape (n_texts, n_features)."""

    text: list[str]
    words: Ints
    sentences: Ints
    errors: Ints


def expected_rates(plan: Plan, design: Design) -> Floats:
    """Return each text's expected errors per 1,000 words, shape (n_texts, n_features), learners' factors apart."""
    return np.asarray(plan.base * plan.ratio[design.l1, design.band] * plan.prompt[design.prompt])


def draw_errors(plan: Plan, design: Design, *, seed: int) -> Ints:
    """Return the number of erroneous sentences of each feature in each text, shape (n_texts, n_features).

    Poisson with mean rate x words / 1000 x the learner's gamma factor for the feature.
    """
    feature = np.arange(len(plan.base))
    own = gamma(uniforms(seed, "learner", design.writer[:, None], feature), plan.shape)
    mean = expected_rates(plan, design) * own * design.words[:, None] / 1000
    return poisson(uniforms(seed, "errors", np.arange(len(mean))[:, None], feature), mean)


def write_texts(grammar: Grammar, plan: Plan, design: Design, *, seed: int) -> Written:
    """Write all texts.

    A text holds all its erroneous sentences (in short form if the long ones would exceed its length) and is filled
    with correct ones until its number of words is as near as can be to the one aimed at; only a text whose errors alone
    exceed it is longer. The sentences' order is random.
    """
    errors = draw_errors(plan, design, seed=seed)
    parts = [
        _write_chunk(grammar, design, errors, np.arange(start, min(start + CHUNK, len(errors))), seed)
        for start in range(0, len(errors), CHUNK)
    ]
    text = [t for part in parts for t in part[0]]
    words, sentences = (np.concatenate([p[i] for p in parts]) for i in (1, 2))
    return Written(text, words, sentences, errors)


def _write_chunk(
    grammar: Grammar, design: Design, errors: Ints, texts: Ints, seed: int
) -> tuple[list[str], Ints, Ints]:
    wrong = _wrong_sentences(grammar, design.words[texts], errors[texts])
    fill = _fill_sentences(grammar, design, texts, wrong, seed)
    row, kind, place, words = (np.concatenate([a, b]) for a, b in zip(wrong, fill, strict=True))
    sentence = _render(grammar, texts[row], design.prompt[texts[row]], kind, place, seed)
    order = np.lexsort((keys(seed, "order", texts[row], place), row))
    in_order = [sentence[i] for i in order.tolist()]
    counts = np.bincount(row, minlength=len(texts))
    ends = np.cumsum(counts).tolist()
    text = [" ".join(in_order[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    total = np.bincount(row, weights=words, minlength=len(texts)).astype(np.int64)
    return text, total, counts.astype(np.int64)


#: Sentences as four arrays: row of the text in the chunk, template, place in the text, words.
_Sentences = tuple[Ints, Ints, Ints, Ints]


def _wrong_sentences(grammar: Grammar, aimed: Ints, errors: Ints) -> _Sentences:
    n = len(grammar.features)
    row, feature = np.divmod(np.repeat(np.arange(errors.size), errors.ravel()), n)
    dense = (errors @ grammar.error_words[0]) > aimed
    kind = feature + n * dense[row]
    # A place is told by the feature and how often it has occurred: more errors of one leave those of others alone.
    cell_start = np.concatenate([[0], np.cumsum(errors.ravel())[:-1]])
    within = np.arange(len(row)) - cell_start[row * n + feature]
    return row, kind, feature * 10_000 + within, grammar.error_words.ravel()[kind]


def _fill_sentences(grammar: Grammar, design: Design, texts: Ints, wrong: _Sentences, seed: int) -> _Sentences:
    lengths = np.array([[t.words for t in templates] for templates in grammar.fill])
    filled = np.bincount(wrong[0], weights=wrong[3], minlength=len(texts))
    room = design.words[texts] - filled
    most = int(np.ceil(max(float(room.max(initial=0)), 1) / lengths.min())) + 1
    place = np.arange(most)
    pick = choices(lengths.shape[1], seed, "fill", texts[:, None], place)
    words = lengths[design.prompt[texts][:, None], pick]
    # A sentence enters if at least half of it has room: the length aimed at is met on average.
    row, column = np.nonzero(np.cumsum(words, axis=1) - words / 2 <= room[:, None])
    kind = 2 * len(grammar.features) + pick[row, column]
    return row, kind, _FILL + place[column], words[row, column]


def _render(grammar: Grammar, text: Ints, prompt: Ints, kind: Ints, place: Ints, seed: int) -> list[str]:
    templates = [[*_wrong(grammar), *fill] for fill in grammar.fill]
    code = prompt * len(templates[0]) + kind
    order = np.argsort(code, kind="stable")
    found: list[str] = [""] * len(code)
    starts = np.flatnonzero(np.diff(code[order], prepend=-1)).tolist()
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        these = order[start:end]
        p, k = divmod(int(code[these[0]]), len(templates[0]))
        made = templates[p][k].filled(grammar.words[p], seed, text[these], place[these])
        for i, sentence in zip(these.tolist(), made, strict=True):
            found[i] = sentence
    return found


def _wrong(grammar: Grammar) -> list[Template]:
    return [*(f.wrong for f in grammar.features), *(f.short for f in grammar.features)]
