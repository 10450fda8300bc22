"""Learner corpora to tables: one reader per format, one record type, an account of every text."""

from miner.corpora.adjusting import ScoreTable, read_score_table
from miner.corpora.annotators import annotators, select_annotator
from miner.corpora.corrected import apply_edits
from miner.corpora.describing import Description, describe
from miner.corpora.hygiene import (
    Policies,
    apply_policies,
    examine,
    left_out,
    looked_at,
    policies_of,
    policy_account,
    to_look_for,
    with_flags,
)
from miner.corpora.languages import Languages, parse_languages
from miner.corpora.levels import Level, parse_level
from miner.corpora.manifest import Manifest, read_manifest, write_manifest
from miner.corpora.reading import Corpus, label_notes, read_corpus, require_l1
from miner.corpora.registry import Format, known_formats

__all__ = [
    "Corpus",
    "Description",
    "Format",
    "Languages",
    "Level",
    "Manifest",
    "Policies",
    "ScoreTable",
    "annotators",
    "apply_edits",
    "apply_policies",
    "describe",
    "examine",
    "known_formats",
    "label_notes",
    "left_out",
    "looked_at",
    "parse_languages",
    "parse_level",
    "policies_of",
    "policy_account",
    "read_corpus",
    "read_manifest",
    "read_score_table",
    "require_l1",
    "select_annotator",
    "to_look_for",
    "with_flags",
    "write_manifest",
]
