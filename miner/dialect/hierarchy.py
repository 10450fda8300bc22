"""Hierarchical clustering of varieties, and how often each branch comes back in resamples."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from miner.dialect.kmeans import canonical
from miner.errors import StatisticsError, require_one_of

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Linkage = Literal["average", "complete", "ward"]
#: A bracket would end a Nexus comment.
_NO_BRACKETS = str.maketrans("[]", "()")
LINKAGES = ("average", "complete", "ward")


def joins(distance: Floats, method: Linkage = "average") -> Floats:
    """Return SciPy's linkage of a square distance matrix.

    Parameters
    ----------
    distance : ndarray, shape (n, n)
        Symmetric, complete. Rounded to 12 digits, so that ties do not depend on noise; among tied pairs the first in
        id order joins first.
    method : {"average", "complete", "ward"}
        ``average`` (UPGMA) is dialectometry's usual choice; ``ward`` assumes Euclidean distances.

    Raises
    ------
    StatisticsError
        If a distance is undefined (two varieties that share no rated feature).
    """
    require_one_of(method, LINKAGES, what="The 'linkage' option")
    if np.isnan(distance).any():
        n = int(np.isnan(distance).sum() // 2)
        msg = f"{n} pairs of varieties have no distance (no shared rated feature); leave one of each out, or use missing='impute-neighbour'"
        raise StatisticsError(msg)
    symmetric = np.round((distance + distance.T) / 2, 12)
    np.fill_diagonal(symmetric, 0.0)
    return np.asarray(linkage(squareform(symmetric, checks=False), method=method))


def cut(tree: Floats, k: int) -> Labels:
    """Return the canonical labels of the k branches of a tree; fewer where joins tie at the cut."""
    return canonical(np.asarray(fcluster(tree, k, criterion="maxclust")))


def clades(tree: Floats) -> list[frozenset[int]]:
    """Return the leaves under each join, in the order of the joins; the last is the root."""
    n = len(tree) + 1
    below: list[frozenset[int]] = [frozenset([i]) for i in range(n)]
    for left, right, *_ in tree:
        below.append(below[int(left)] | below[int(right)])
    return below[n:]


def support(tree: Floats, resampled: list[Floats]) -> Floats:
    """Return for each join the share of resampled trees that have a branch with exactly its leaves, shape (n - 1,)."""
    wanted = clades(tree)
    found = [set(clades(t)) for t in resampled]
    return np.array([np.mean([c in f for f in found]) if found else np.nan for c in wanted])


def newick(tree: Floats, names: list[str], supports: Floats | None = None) -> str:
    """Return the tree in Newick form: quoted names, branch lengths, support in per cent as labels of inner nodes."""
    n = len(tree) + 1
    text = [quoted(name) for name in names]
    height = [0.0] * n
    for node, (left, right, at, _) in enumerate(tree):
        label = "" if supports is None or node == len(tree) - 1 else f"{100 * supports[node]:.0f}"
        # Half the joining distance: two leaves that join at d are d apart along the tree.
        parts = [f"{text[int(c)]}:{at / 2 - height[int(c)]:.12g}" for c in (left, right)]
        text.append(f"({','.join(parts)}){label}")
        height.append(float(at) / 2)
    return text[-1] + ";\n"


def quoted(name: str) -> str:
    """Return a name as Newick and Nexus quote it: in single quotes, inner ones doubled."""
    return "'" + name.replace("'", "''") + "'"


def nexus(distance: Floats, names: list[str], *, comment: str = "") -> str:
    """Return a distance matrix as Nexus with taxa and distances blocks, as SplitsTree reads it; ``comment`` goes on top.

    Raises
    ------
    StatisticsError
        If a distance is undefined.
    """
    if np.isnan(distance).any():
        msg = "A Nexus distance matrix must be complete, but some pairs share no rated feature; use missing='impute-neighbour'"
        raise StatisticsError(msg)
    labels = [quoted(n) for n in names]
    note = f"[{comment.translate(_NO_BRACKETS)}]\n" if comment else ""
    taxa = "\n".join(f"    [{i}] {label}" for i, label in enumerate(labels, start=1))
    rows = "\n".join(
        f"    {label} " + " ".join(f"{v:.12g}" for v in row) for label, row in zip(labels, distance, strict=True)
    )
    return (
        f"#NEXUS\n{note}BEGIN TAXA;\n  DIMENSIONS NTAX={len(names)};\n  TAXLABELS\n{taxa}\n  ;\nEND;\n"
        f"BEGIN DISTANCES;\n  DIMENSIONS NTAX={len(names)};\n  FORMAT LABELS=LEFT DIAGONAL TRIANGLE=BOTH;\n  MATRIX\n{rows}\n  ;\nEND;\n"
    )


def as_rows(tree: Floats, supports: Floats) -> list[dict[str, Any]]:
    """Return a row per join: its number, the two parts (leaves from 0, joins from n), height, size, support."""
    n = len(tree) + 1
    return [
        {
            "join": n + i,
            "left": int(a),
            "right": int(b),
            "height": float(h),
            "size": int(s),
            "support": float(supports[i]),
        }
        for i, (a, b, h, s) in enumerate(tree)
    ]
