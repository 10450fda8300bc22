"""What commands say: messages to stderr, data to stdout, progress only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["table", "csv", "json", "latex"]
#: Called with (done, total) as work proceeds.
Progress = Callable[[int, int], None]


def say(*words: object) -> None:
    """Print a message for people to stderr."""
    print(*words, file=sys.stderr, flush=True)


@contextmanager
def progress(label: str, unit: str = "texts") -> Iterator[Progress | None]:
    """Give a callback that draws a progress bar; None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=label, unit=f" {unit}", leave=False, dynamic_ncols=True, file=sys.stderr) as bar:

        def advance(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield advance


def emit(frame: pd.DataFrame, form: Format = "table") -> None:
    """Print a frame to stdout; ``table`` shows floats with four significant digits, the other forms all twelve."""
    if form == "csv":
        text = frame.to_csv(index=False, float_format="%.12g", lineterminator="\n")
    elif form == "json":
        text = frame.to_json(orient="records", force_ascii=False, double_precision=12, indent=1) + "\n"
    elif form == "latex":
        text = latex(frame)
    else:
        text = plain(frame)
    sys.stdout.write(text)
    sys.stdout.flush()


def plain(frame: pd.DataFrame) -> str:
    """Return the frame as aligned plain text; missing values are blank."""
    if frame.empty:
        return "(no rows)\n"
    rows = [list(frame.columns), *([_cell(v) for v in row] for row in frame.itertuples(index=False))]
    widths = [max(len(r[i]) for r in rows) for i in range(len(frame.columns))]
    numeric = [frame[c].dtype.kind in "iuf" for c in frame.columns]
    lines = [
        "  ".join(v.rjust(w) if n else v.ljust(w) for v, w, n in zip(row, widths, numeric, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def latex(frame: pd.DataFrame) -> str:
    """Return the frame as a LaTeX ``tabular`` with booktabs rules."""
    escape = str.maketrans(
        {c: f"\\{c}" for c in "&%$#_{}"}
        | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
    )
    lines = [" & ".join(str(c).translate(escape) for c in frame.columns) + r" \\", r"\midrule"]
    lines += [" & ".join(_cell(v).translate(escape) for v in row) + r" \\" for row in frame.itertuples(index=False)]
    spec = "".join("r" if frame[c].dtype.kind in "iuf" else "l" for c in frame.columns)
    return "\n".join([rf"\begin{{tabular}}{{{spec}}}", r"\toprule", *lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _cell(value: object) -> str:
    import pandas as pd

    if value is None or value is pd.NA or (isinstance(value, float) and value != value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
