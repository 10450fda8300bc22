"""The folder that a command writes: complete or not at all, described by ``run.json``."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from miner import __version__
from miner.errors import OutputError, listed
from miner.ledger import Ledger
from miner.run.appending import MOST_CSV_ROWS, Appender
from miner.signature import Signature
from miner.store.frames import DIGITS, rounded, write_csv, write_parquet
from miner.tables import Table, conform

if TYPE_CHECKING:
    import pandas as pd

RUN_FILE = "run.json"
#: Facts of the run that say nothing about how a table was made.
_NOT_IN_SIDECARS = ("signatures", "writer", "command", "exports")
_PACKAGES = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "scikit-learn",
    "statsmodels",
    "lingotweaker",
    "lingotweaker-data-en",
    "language-tool-python",
)


class OutFolder:
    """A context manager: files go to a hidden sibling folder, which takes the place of ``out`` when all went well.

    Parameters
    ----------
    out : Path or str
        The folder to make. If it exists it must be empty or written by miner, with nothing else in it; it is then
        replaced in one rename.
    command : str
        The command, for ``run.json``.
    parameters : mapping
        All that decides the result (no paths, no numbers of workers); goes into every sidecar.
    seed : int, optional
        The seed, if the command draws random numbers.

    Raises
    ------
    OutputError
        If ``out`` holds files that miner did not write, or cannot be written. Nothing is changed then.
    """

    def __init__(
        self, out: Path | str, *, command: str, parameters: Mapping[str, Any], seed: int | None = None
    ) -> None:
        self.out = Path(out).absolute()
        self._facts: dict[str, Any] = {"command": command, "parameters": dict(parameters)}
        if seed is not None:
            self._facts["seed"] = seed
        self._accounts: list[dict[str, Any]] = []
        self._inputs: dict[str, str] = {}
        self._signatures: dict[str, str] = {}
        self._tables: dict[str, dict[str, Any]] = {}
        self._timing: dict[str, Any] = {}
        self._started = time.time()

    def __enter__(self) -> Self:
        refuse_foreign(self.out)
        self._remove_stale()
        self._temp = self.out.parent / f".{self.out.name}.miner-{os.getpid()}-{time.monotonic_ns()}"
        try:
            self._temp.mkdir(parents=True)
        except OSError as err:
            msg = f"The output folder {self.out} cannot be made ({err.strerror}); give another --out"
            raise OutputError(msg) from err
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            try:
                self._finish()
                self._swap()
            except OSError as err:
                msg = f"The output folder {self.out} could not be written ({err.strerror}); nothing was replaced"
                raise OutputError(msg) from err
            finally:
                shutil.rmtree(self._temp, ignore_errors=True)
        else:
            shutil.rmtree(self._temp, ignore_errors=True)

    def table(
        self, frame: pd.DataFrame, table: Table, signature: Signature, *, csv: bool | None = None
    ) -> pd.DataFrame:
        """Write a table as Parquet and CSV and return it as written (12 significant digits)."""
        frame = rounded(conform(frame, table))
        write_parquet(frame, self._temp / f"{table.name}.parquet")
        if csv or (csv is None and len(frame) <= MOST_CSV_ROWS):
            write_csv(frame, self._temp / f"{table.name}.csv")
        self._declare(table, signature, len(frame))
        return frame

    @contextmanager
    def stream(self, table: Table) -> Iterator[Appender]:
        """Give an appender for a table too large to be held; its parts come sorted, one after the other.

        The signature is given to :meth:`Appender.sign` before the end.
        """
        with Appender(table, self._temp) as appender:
            yield appender
        if appender.signature is None:
            msg = f"The table {table.name} was written without a signature"
            raise OutputError(msg)
        self._declare(table, appender.signature, appender.rows)

    def _declare(self, table: Table, signature: Signature, rows: int) -> None:
        self._signatures[table.name] = str(signature)
        self._tables[table.name] = {
            "table": table.name,
            "signature": str(signature),
            "rows": rows,
            "key": list(table.key),
            "columns": [
                {"name": c.name, "dtype": c.dtype, "unit": c.unit, "meaning": c.meaning, "source": c.source}
                for c in table.columns
            ],
        }

    def path(self, name: str) -> Path:
        """Return where a further file of that name goes (made by the caller)."""
        target = self._temp / name
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def account(self, *ledgers: Ledger) -> None:
        """Record what steps read, kept and dropped."""
        self._accounts.extend(ledger.as_dict() for ledger in ledgers)

    def input(self, name: str, content_hash: str) -> None:
        """Record the hash of an input's sorted content."""
        self._inputs[name] = content_hash

    def facts(self, **facts: Any) -> None:
        """Record facts about the run that decide or describe the result (engine, choices made)."""
        self._facts.update(facts)

    def timing(self, **values: Any) -> None:
        """Record facts outside byte equality: seconds, cache hits, workers."""
        self._timing.update(values)

    def run_facts(self) -> dict[str, Any]:
        """Return what ``run.json`` says so far, for the report."""
        return {
            "writer": "miner",
            "miner": __version__,
            **self._facts,
            "inputs": dict(sorted(self._inputs.items())),
            "accounts": self._accounts,
            "signatures": dict(sorted(self._signatures.items())),
            "versions": package_versions(),
        }

    def _finish(self) -> None:
        shared = {k: v for k, v in self.run_facts().items() if k not in _NOT_IN_SIDECARS}
        for name, facts in self._tables.items():
            write_json({**facts, **shared}, self._temp / f"{name}.json")
        files = {
            str(p.relative_to(self._temp)): {"bytes": p.stat().st_size, "sha256": _sha256(p)}
            for p in sorted(self._temp.rglob("*"))
            if p.is_file()
        }
        now = time.time()
        timing = {"started": _iso(self._started), "seconds": round(now - self._started, 3), **self._timing}
        host = {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()}
        write_json({**self.run_facts(), "files": files, "timing": timing, "host": host}, self._temp / RUN_FILE)

    def _swap(self) -> None:
        refuse_foreign(self.out)
        old = self._temp.with_name(self._temp.name + ".old")
        if self.out.exists():
            self.out.rename(old)
        try:
            self._temp.rename(self.out)
        except OSError:
            if old.exists():
                old.rename(self.out)
            raise
        shutil.rmtree(old, ignore_errors=True)

    def _remove_stale(self) -> None:
        # Left by a process that was killed: named with its id, which is no longer alive.
        for stale in self.out.parent.glob(f".{_glob_escape(self.out.name)}.miner-*"):
            pid = stale.name.split(".miner-")[-1].split("-")[0]
            if not (pid.isdecimal() and _alive(int(pid))):
                if stale.name.endswith(".old") and not self.out.exists():
                    stale.rename(self.out)  # killed between the two renames: the old result is still whole
                else:
                    shutil.rmtree(stale, ignore_errors=True)


def read_run(folder: Path | str) -> dict[str, Any]:
    """Return the ``run.json`` of a folder that miner wrote.

    Raises
    ------
    OutputError
        If the folder is not one of miner's.
    """
    path = Path(folder) / RUN_FILE
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        facts = None
    if not isinstance(facts, dict) or facts.get("writer") != "miner":
        msg = f"{folder} is not a folder that miner wrote: no readable {RUN_FILE} in it. Give the --out folder of a run"
        raise OutputError(msg)
    return facts


def refuse_foreign(out: Path) -> None:
    """Raise OutputError if ``out`` exists and holds anything that miner did not write."""
    if not out.exists():
        return
    if not out.is_dir():
        msg = f"--out {out} is a file; expected a folder. Give another name"
        raise OutputError(msg)
    present = sorted(str(p.relative_to(out)) for p in out.rglob("*") if not p.is_dir())
    if not present:
        return
    try:
        known = {RUN_FILE, *read_run(out)["files"]}
    except (OutputError, KeyError, TypeError) as err:
        msg = f"--out {out} exists and was not written by miner; it is left as it is. Give another --out, or remove it first"
        raise OutputError(msg) from err
    foreign = [p for p in present if p not in known]
    if foreign:
        msg = f"--out {out} holds files that miner did not write ({listed(foreign, most=3)}); move them or give another --out"
        raise OutputError(msg)


def write_json(data: Any, path: Path) -> None:
    """Write JSON with a stable layout; floats have 12 significant digits, undefined ones are null."""
    path.write_text(json.dumps(_plain(data), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):  # NumPy's float64 too
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value.item() if hasattr(value, "item") else str(value)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _glob_escape(name: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
