# `make demo` and `make test` do everything, set-up included. PYTHON chooses the interpreter (3.11 or newer).

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
  $$python -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= .demo/reading-list
# System packages are installed where that is allowed: by root, where there is apt-get.
INSTALL := test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get -qq update && apt-get -qq install -y
# A variable that keeps bytecode from being written makes every start twice as slow.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: help demo test lint types layers check bench clean

help:
	@echo "make demo    try dctx on the bundled example"
	@echo "make test    run the whole suite"
	@echo "make check   lint, types and layer contracts"
	@echo "make bench   measure against floors and peers"
	@echo "make clean   remove what these made"

$(BIN)/.ready: pyproject.toml
	@command -v git >/dev/null || $(INSTALL) git || \
	  { echo "git is missing: install it with your system's package manager."; exit 1; }
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(NEW_ENOUGH)' || \
	  { echo "Python 3.11 or newer is needed; name one with PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(INSTALL) python3-venv || \
	  { echo "Python's venv module is missing; on Debian: apt-get install python3-venv."; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	$(BIN)/python -m compileall -q director_ctx
	@touch $@

demo: $(BIN)/.ready
	@rm -rf $(DEMO) && mkdir -p $(dir $(DEMO))
	@$(BIN)/python examples/make_example.py $(DEMO)
	@sh examples/demo.sh $(abspath $(BIN)) $(DEMO)

# Root may read and write everything, so as root the suite gives these powers up: permissions are tested too.
test: $(BIN)/.ready
	@as=""; without="-dac_override,-dac_read_search"; \
	if [ "$$(id -u)" = 0 ] && setpriv --bounding-set=$$without --inh-caps=$$without true 2>/dev/null; then \
	  as="setpriv --bounding-set=$$without --inh-caps=$$without"; fi; \
	exec $$as $(BIN)/python -m pytest -n auto $(PYTEST)

lint: $(BIN)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.ready
	$(BIN)/mypy

layers: $(BIN)/.ready
	$(BIN)/lint-imports

check: lint types layers

bench: $(BIN)/.ready
	$(BIN)/python -m benchmarks $(BENCH)

clean:
	rm -rf $(VENV) .demo .bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
