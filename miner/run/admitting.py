"""The texts of a run: all corpora put together, and what the policies leave out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from miner import tables
from miner.corpora import Corpus, Policies, left_out, policy_account, to_look_for, with_flags
from miner.errors import EmptyInput
from miner.ledger import Ledger
from miner.run.executor import Executor, LocalExecutor
from miner.run.stage import gathered, split
from miner.run.steps import LookAtTexts
from miner.store import MemoryStore

if TYPE_CHECKING:
    import pandas as pd

#: Ids that a corpus gives without regard to others: the same one in two corpora says nothing.
_OWN_IDS = ("text_id", "learner_id", "prompt_id", "meta_essay", "meta_part_of")


def admitted_texts(
    corpora: Sequence[Corpus], policies: Policies | None = None, executor: Executor | None = None
) -> tuple[pd.DataFrame, pd.DataFrame, list[Ledger]]:
    """Return the texts of all corpora that the policies keep, those they leave out (id, reason), and the account.

    Parameters
    ----------
    corpora : sequence of Corpus
    policies : Policies, optional
    executor : Executor, optional
        Looks at the language of the texts, partition by partition; default: here, and nothing is kept.

    Raises
    ------
    EmptyInput
        If no text is left.
    """
    import pandas as pd

    texts = put_together(corpora)
    policies = policies or Policies()
    looked = _looked_at(texts, policies, executor or LocalExecutor(MemoryStore()))
    reasons = left_out(looked, policies, examined=True)
    kept = texts[reasons == ""].reset_index(drop=True)
    skipped = pd.DataFrame({"text_id": texts["text_id"], "reason": reasons})[reasons != ""]
    ledger = policy_account(texts, reasons)
    if kept.empty:
        why = {r: n for lg in (*(c.ledger for c in corpora), ledger) for r, n in lg.dropped.items()}
        msg = f"No text is left: {why or 'the corpus is empty'}. `miner corpora describe` says what is in it"
        raise EmptyInput(msg)
    return kept, skipped, [ledger]


def put_together(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Return the texts of all corpora; with several, ids of texts, learners and prompts are prefixed with the corpus's name."""
    import pandas as pd

    return pd.concat([_prefixed(c) for c in corpora], ignore_index=True) if len(corpora) > 1 else corpora[0].texts


def ids_in_run(corpora: Sequence[Corpus]) -> list[pd.Series]:
    """Return, for each corpus, the text ids of the run by those of the corpus."""
    prefixes = [f"{c.name}/" if len(corpora) > 1 else "" for c in corpora]
    return [
        (p + c.texts["text_id"]).set_axis(c.texts["text_id"].to_numpy()) for c, p in zip(corpora, prefixes, strict=True)
    ]


def with_skipped(checked: pd.DataFrame, skipped: pd.DataFrame) -> pd.DataFrame:
    """Return the table ``checked`` with the texts that the policies left out, as skipped."""
    import pandas as pd

    rows = skipped.assign(status="skipped", reason="policy: " + skipped["reason"], n_matches=None)
    whole = pd.concat([checked, rows[checked.columns]], ignore_index=True) if len(rows) else checked
    return tables.conform(whole, tables.CHECKED)


def _looked_at(texts: pd.DataFrame, policies: Policies, executor: Executor) -> pd.DataFrame:
    look = to_look_for(texts, policies)
    if look is None or texts.empty:
        return texts
    found = gathered(executor.map(LookAtTexts(*look), split(texts)), "flags").set_index("text_id")["flags"]
    return with_flags(texts, texts["text_id"].map(found).fillna("").tolist())


def _prefixed(corpus: Corpus) -> pd.DataFrame:
    texts: pd.DataFrame = corpus.texts.copy(deep=False)
    for name in _OWN_IDS:
        if name in texts:
            known = texts[name].notna() & (texts[name] != "")
            texts[name] = texts[name].where(~known, corpus.name + "/" + texts[name])
    return texts
