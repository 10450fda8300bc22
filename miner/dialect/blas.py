"""One BLAS thread where results must repeat to the last bit, without looking for the libraries each time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401 (loads SciPy's own BLAS, which the controller must see)
from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Limit linear algebra to one thread inside a ``with`` block."""
    limited: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limited


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
