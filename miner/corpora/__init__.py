"""Learner corpora to tables: one reader per format, one record type, an account of every text."""

from miner.corpora.languages import Languages, parse_languages
from miner.corpora.levels import Level, parse_level
from miner.corpora.manifest import Manifest, read_manifest, write_manifest
from miner.corpora.reading import Corpus, read_corpus
from miner.corpora.registry import Format, formats

__all__ = [
    "Corpus",
    "Format",
    "Languages",
    "Level",
    "Manifest",
    "formats",
    "parse_languages",
    "parse_level",
    "read_corpus",
    "read_manifest",
    "write_manifest",
]
