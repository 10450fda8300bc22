"""Error categories: taxonomies as data tables and the mapping of a checker's rules to them."""

from miner.categories.catalogue import Catalogue, load_catalogue
from miner.categories.exclusions import Exclusions, load_exclusions
from miner.categories.mapping import Categorised, categorise
from miner.categories.taxonomy import Assigned, Taxonomy, load_taxonomy, taxonomy_names

__all__ = [
    "Assigned",
    "Catalogue",
    "Categorised",
    "Exclusions",
    "Taxonomy",
    "categorise",
    "load_catalogue",
    "load_exclusions",
    "load_taxonomy",
    "taxonomy_names",
]
