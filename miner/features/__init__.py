"""Usage features: what writers use, as named grammar patterns counted against their opportunities."""

from miner.features.catalogue import UsageCatalogue, load_examples, load_usage
from miner.features.extract import Usage, usage, usage_fingerprint
from miner.features.patterns import Pattern

__all__ = ["Pattern", "Usage", "UsageCatalogue", "load_examples", "load_usage", "usage", "usage_fingerprint"]
