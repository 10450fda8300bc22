"""Studies, stages, executors and the folders that runs write."""
