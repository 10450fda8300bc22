"""Wide tables: a row per learner, a text in each of several columns (tasks); drafts and finals of one task told apart."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from miner.corpora.columns import columns_of
from miner.corpora.correction_markup import resolve_inline
from miner.corpora.records import Document, Drop, Edit, Note, Record
from miner.corpora.registry import Format, Options
from miner.corpora.roles import assign, plain
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import TableRow, kind_of, not_text
from miner.errors import InputError, listed

#: Columns that hold texts in a wide table, where no role says so.
_TASK = re.compile(
    r"(?:task|essay|exam|text|paragraph|writing|answer|practice)\b.*\d.*|practice paragraph|exam .*", re.IGNORECASE
)
#: A task of several steps, 'Task 1.2.1' and 'Task 1.2.2': the last number tells draft (1) and final (2).
_STEP = re.compile(r"(.*\d[._]\d+)[._]([12])")
_KSAUHS = {"learnerid", "mothersnativelanguage"}
_VERSIONS = {"1": "draft", "2": "final"}


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per filled text cell; empty cells are counted."""
    given = dict(options.roles)
    for member in source.members:
        kind = kind_of(member)
        if kind is None:
            continue
        columns = kind.columns(member, options.encoding)
        texts = _text_columns(columns, given.get("text", ""), member)
        others = {k: v for k, v in given.items() if k != "text"}
        roles = assign(
            [*columns, "text"] if "text" not in columns else columns,
            {**others, "text": "text" if "text" not in columns else texts[0]},
            place=member.name,
        )
        roles["text"] = ",".join(texts)
        options.roles.update(roles)
        empty = 0
        for row in kind.rows(member, options.encoding):
            if isinstance(row, Drop):
                yield row._replace(n=len(texts))
                continue
            if bad := not_text(row, {**roles, **dict(zip(texts, texts, strict=True))}, texts=texts):
                yield bad._replace(n=len(texts))
                continue
            for column in texts:
                if row.cells.get(column, "").strip():
                    yield _document(row, column, texts, roles)
                else:
                    empty += 1
        yield Note("cells without a text", member.name, empty)


def _text_columns(columns: Sequence[str], given: str, member: Member) -> list[str]:
    """Return the text columns: named (comma, ``*`` and ``?`` allowed), or recognised by their names."""
    if given:
        patterns = [p.strip() for p in given.split(",")]
        found = [c for c in columns if any(c == p or fnmatchcase(c, p) for p in patterns)]
        if not found:
            msg = f"{member.name}: no column fits the role text='{given}'; columns are {listed(list(columns), most=60)}"
            raise InputError(msg)
        return found
    return [c for c in columns if _TASK.fullmatch(c.strip())]


def _document(row: TableRow, column: str, texts: list[str], roles: dict[str, str]) -> Document:
    taken = {role: row.cells.get(name, "") for role, name in roles.items() if role != "text"}
    marked = resolve_inline(row.cells[column])
    step = _STEP.fullmatch(column.strip())
    paired = bool(step) and any(_STEP.fullmatch(c.strip()) and c != column and _task(c) == _task(column) for c in texts)
    task, version = (_task(column), _VERSIONS[step[2]]) if step and paired else (column.strip(), "")
    # A row is a learner, so that the id of a row is the learner's where no other is given.
    learner = (taken.get("learner") or taken.get("id") or "").strip()
    used = {*roles.values(), *texts}
    edits: list[Edit] = marked.edits
    return Document(
        text=marked.text,
        place=f"{row.place} '{column.strip()}'",
        # Ids of texts go into results; those of learners do not.
        text_id=f"{_pseudonym(learner)}#{column.strip()}" if learner else "",
        content=f"{column}\n{sorted(row.cells.items())}",
        l1_raw=taken.get("l1", ""),
        level_raw=taken.get("cefr", ""),
        learner_id=learner,
        prompt_id=task,
        country=taken.get("country", ""),
        site=taken.get("site", ""),
        task_type=re.sub(r"[\W\d_]+$", "", column.strip()).strip().casefold(),
        edits=edits,
        scheme="none",
        flags=(f"markup_left:{marked.left}",) if marked.left else (),
        meta={
            **{k: v for k, v in row.cells.items() if k not in used},
            "essay": f"{_pseudonym(learner)}/{task}" if version and learner else "",
            "version": version,
        },
    )


def _pseudonym(learner: str) -> str:
    return hashlib.blake2b(learner.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _task(column: str) -> str:
    step = _STEP.fullmatch(column.strip())
    return step[1] if step else column.strip()


def _tasks(columns: Sequence[str]) -> int:
    return 0 if "text" in columns else sum(bool(_TASK.fullmatch(c.strip())) for c in columns)


def sniff(source: Source) -> int:
    """A table with three or more task columns and none that is simply the text."""
    return 2 * any(_tasks(columns_of(m, "utf-8")) >= 3 for m in source.members)


def sniff_ksauhs(source: Source) -> int:
    """Such a table that asks for the mother's native language."""
    found = (columns_of(m, "utf-8") for m in source.members)
    return 3 * any(_tasks(columns) >= 3 and {plain(c) for c in columns} >= _KSAUHS for columns in found)


FORMATS = (
    Format(
        "ksauhs",
        "KSAUHS Learner Corpus (XLSX): drafts, finals, inline spelling corrections",
        read,
        sniff_ksauhs,
        "CC BY-NC 4.0",
        "https://doi.org/10.5281/zenodo.18941931",
        redistribute=True,
        takes_roles=True,
        checksum="sha256 efb6453e3139712a0b611b22defd8bec0627891c32af5619f045990172d6e071 (KSAUHS_Learner_Corpus.xlsx)",
    ),
    Format(
        "wide",
        "a table with one row a learner and tasks in columns",
        read,
        sniff,
        "as stated by its owner",
        "your own data",
        takes_roles=True,
    ),
)
