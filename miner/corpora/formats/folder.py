"""A folder of .txt files with a table about them (ICLE v3, VESPA and the like); columns by roles."""

from __future__ import annotations

from collections.abc import Iterator

from miner.corpora.columns import columns_of, is_table
from miner.corpora.plain_files import decoded, text_files, without_files
from miner.corpora.records import Document, Drop, Note, Record, used
from miner.corpora.registry import Format, Options
from miner.corpora.roles import assign, plain
from miner.corpora.sources import Member, Source
from miner.corpora.tabular import TableRow, kind_of, not_text
from miner.errors import InputError

_ID_COLUMNS = ("textid", "file", "filename", "fileid", "id", "text", "essay", "essayid", "document", "doc", "docid")


def read(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per .txt file, with what the table says about it."""
    found = _table(source, options)
    if found is None:
        msg = (
            f"{source.path}: no table whose ids are the names of the .txt files; give a CSV with a column of file names"
        )
        raise InputError(msg)
    table, column = found
    yield used(table.name)
    columns = columns_of(table, options.encoding)
    roles = assign(
        [*columns, "text"] if "text" not in columns else columns,
        {"text": "text", "id": column, **options.roles},
        place=table.name,
    )
    roles.pop("text", None)
    if "prompt" not in roles:
        roles.update(("prompt", c) for c in columns if plain(c) == "title")
    options.roles.update(roles)
    rows: dict[str, TableRow] = {}
    kind = kind_of(table)
    for row in kind.rows(table, options.encoding) if kind else ():
        if isinstance(row, Drop):
            yield row
        elif bad := not_text(row, roles, texts=()):
            yield bad
        elif (name := _stem(row.cells[column])) in rows:
            yield Drop("a file that is listed twice", row.place, bad=False, n=0)
            yield Note("files listed twice, the first line counts", row.place)
        elif name:
            rows[name] = row
    files = {m.stem: m for m in text_files(source)}
    for name, member in files.items():
        text = decoded(member, options)
        yield text if isinstance(text, Drop) else _document(text, member, rows.get(name), roles)
    yield from without_files({n: r.place for n, r in rows.items()}, set(files))


def _document(text: str, member: Member, row: TableRow | None, roles: dict[str, str]) -> Document:
    cells = row.cells if row else {}
    taken = {role: cells.get(c, "") for role, c in roles.items()}
    used = set(roles.values())
    return Document(
        text=text,
        place=member.name,
        text_id=member.stem,
        l1_raw=taken.get("l1", ""),
        level_raw=taken.get("cefr", ""),
        learner_id=taken.get("learner", ""),
        prompt_id=taken.get("prompt", ""),
        country=taken.get("country", ""),
        task_type=taken.get("task_type", ""),
        flags=() if row else ("not_in_table",),
        meta={k: v for k, v in cells.items() if k not in used},
    )


def _stem(name: str) -> str:
    return name.strip().replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".txt")


def _table(source: Source, options: Options) -> tuple[Member, str] | None:
    """Return the table, and its column, that names most .txt files."""
    stems = {m.stem for m in text_files(source)}
    best: tuple[int, Member, str] | None = None
    for member in source.members:
        if not stems or not is_table(member) or (kind := kind_of(member)) is None:
            continue
        columns = columns_of(member, options.encoding)
        wanted = [options.roles["id"]] if "id" in options.roles else [c for c in columns if plain(c) in _ID_COLUMNS]
        try:
            cells = [r.cells for r in kind.rows(member, options.encoding) if isinstance(r, TableRow)] if wanted else []
        except InputError:
            continue
        for column in wanted:
            hits = sum(_stem(c.get(column, "")) in stems for c in cells)
            if hits and (best is None or hits > best[0]):
                best = (hits, member, column)
    return None if best is None else best[1:]


def sniff(source: Source) -> int:
    """Text files, and a table that names some of them."""
    return int(_table(source, Options()) is not None)


def read_plain(source: Source, options: Options) -> Iterator[Record]:
    """Yield a document per .txt file; nothing is known about any of them."""
    for member in text_files(source):
        text = decoded(member, options)
        yield text if isinstance(text, Drop) else Document(text, member.name, text_id=member.name.removesuffix(".txt"))


def sniff_plain(source: Source) -> int:
    """Text files alone."""
    return int(bool(text_files(source)) and not any(is_table(m) for m in source.members))


FORMATS = (
    Format(
        "folder",
        "a folder of .txt files with a table about them",
        read,
        sniff,
        "as stated by its owner",
        "your own data; ICLE v3 and other corpora of the same portal come in such folders",
        takes_roles=True,
    ),
    Format(
        "texts",
        "text files and nothing about them (no L1, level or learner)",
        read_plain,
        sniff_plain,
        "as stated by its owner",
        "your own data",
        has_l1=False,
        keeps_empty=True,
    ),
)
