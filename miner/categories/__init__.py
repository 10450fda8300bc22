"""Error categories: taxonomies as data tables and the mapping of a checker's rules to them."""

from miner.categories.catalogue import Catalogue, load_catalogue
from miner.categories.coverage import Coverage, coverage
from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.mapping import Categorised, categorise
from miner.categories.taxonomy import Assigned, Taxonomy, load_taxonomy, taxonomy_names
from miner.categories.views import VIEWS, errant_types, view

__all__ = [
    "VIEWS",
    "Assigned",
    "Catalogue",
    "Categorised",
    "Coverage",
    "Exclusions",
    "Taxonomy",
    "categorise",
    "coverage",
    "errant_types",
    "load_catalogue",
    "load_exclusions",
    "load_taxonomy",
    "taxonomy_names",
    "view",
]
