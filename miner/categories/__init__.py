"""Error categories: taxonomies as data tables and the mapping of a checker's rules to them."""

from miner.categories.catalogue import Catalogue, load_catalogue
from miner.categories.coverage import Coverage, coverage
from miner.categories.errant import Retyped, errant_version, retype
from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.gold import CategorisedEdits, categorise_edits
from miner.categories.mapping import Categorised, categorise
from miner.categories.taxonomy import Assigned, Taxonomy, load_taxonomy, taxonomy_names
from miner.categories.views import VIEWS, errant_types, view

__all__ = [
    "VIEWS",
    "Assigned",
    "Catalogue",
    "Categorised",
    "CategorisedEdits",
    "Coverage",
    "Exclusions",
    "Retyped",
    "Taxonomy",
    "categorise",
    "categorise_edits",
    "coverage",
    "errant_types",
    "errant_version",
    "load_catalogue",
    "load_exclusions",
    "load_taxonomy",
    "retype",
    "taxonomy_names",
    "view",
]
