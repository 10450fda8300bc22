"""Property tests look at the same examples in every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("same-examples", derandomize=True, deadline=None, database=None)
settings.load_profile("same-examples")
