"""Plots: tables in, axes out; nothing is shown, no global state, and every plot's numbers are a table one can get."""

from miner.plots.audit import audit_data, plot_audit
from miner.plots.biplot import loading_data, plot_biplot
from miner.plots.consensus import comembership_matrix, plot_comembership, plot_stability
from miner.plots.difficulty import difficulty_data, difficulty_points, plot_difficulty, read_difficulty
from miner.plots.findings import plot_across, plot_planted
from miner.plots.gallery import DRAWN_TABLES, Drawn, Picture, draw_run, inlined, save_picture
from miner.plots.inventory import inventory_data, plot_inventories, plot_inventory, reference_name
from miner.plots.k_selection import k_data, plot_elbow, plot_k_selection, plot_silhouette
from miner.plots.labels import place_labels
from miner.plots.performance import line_band, performance
from miner.plots.ranks import spearman
from miner.plots.rates import plot_rates, rates_data
from miner.plots.saving import png_bytes, save, svg_text
from miner.plots.scatter import plot_performance
from miner.plots.scores import match_scores, read_scores, scores_origin
from miner.plots.style import figure_of
from miner.plots.supported_tree import plot_supported_tree, supported_tree_data
from miner.plots.tree import distance_matrix, plot_dendrogram, plot_distances, tree
from miner.plots.validation import auc_data, plot_auc, plot_selected, plot_shuffled_p
from miner.plots.varieties import map_data, plot_from_reference, plot_varieties, reference_data
from miner.plots.wheel import plot_wheels, wheel_data
from miner.plots.world import plot_world, world_data

__all__ = [
    "DRAWN_TABLES",
    "Drawn",
    "Picture",
    "auc_data",
    "audit_data",
    "comembership_matrix",
    "difficulty_data",
    "difficulty_points",
    "distance_matrix",
    "draw_run",
    "figure_of",
    "inlined",
    "inventory_data",
    "k_data",
    "line_band",
    "loading_data",
    "map_data",
    "match_scores",
    "performance",
    "place_labels",
    "plot_across",
    "plot_auc",
    "plot_audit",
    "plot_biplot",
    "plot_comembership",
    "plot_dendrogram",
    "plot_difficulty",
    "plot_distances",
    "plot_elbow",
    "plot_from_reference",
    "plot_inventories",
    "plot_inventory",
    "plot_k_selection",
    "plot_performance",
    "plot_planted",
    "plot_rates",
    "plot_selected",
    "plot_shuffled_p",
    "plot_silhouette",
    "plot_stability",
    "plot_supported_tree",
    "plot_varieties",
    "plot_wheels",
    "plot_world",
    "png_bytes",
    "rates_data",
    "read_difficulty",
    "read_scores",
    "reference_data",
    "reference_name",
    "save",
    "save_picture",
    "scores_origin",
    "spearman",
    "supported_tree_data",
    "svg_text",
    "tree",
    "wheel_data",
    "world_data",
]
