# `make demo` and `make test` do everything, set-up included. PYTHON chooses the interpreter (3.11 or newer).

NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
  $$python -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$python && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
DEMO ?= .demo/reading-list
# Every file that development installs, with its hash. `make test LOCK=` goes without it: where an index lacks one of them.
LOCK ?= requirements-dev.txt
EDITABLE := --editable . --group dev
# The agent clients that the tests run offline; DCTX_CLIENTS names another folder that has them.
CLIENTS := .clients
CLAUDE := 2.1.197
CODEX := 0.169.0
GEMINI := 0.61.0
COPILOT := 1.0.102
OPENCODE := 1.18.33
# It brings a Claude Code of its own, 2.1.326.
SDK := 0.2.183
# The judge of the server of tools, and the Node that it needs.
NODE := 22.23.3
INSPECTOR := 2.12.0
# The judge of whether everybody can read the page.
AXE := 4.14.1
# The judge of the provider that chats are tested with.
LANGCHAIN_OPENAI := 1.7.3
CLIENTS_READY := $(CLIENTS)/.ready-$(CLAUDE)-$(CODEX)-$(GEMINI)-$(COPILOT)-$(OPENCODE)-$(SDK)-$(INSPECTOR)
# System packages are installed where that is allowed: by root, where there is apt-get.
INSTALL := sh -c 'test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get -qq update && apt-get -qq install -y "$$@"' install
# A variable that keeps bytecode from being written makes every start twice as slow.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# With -j, each says what it has to say in one piece, where make can do that.
MAKEFLAGS += $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

.PHONY: help demo docs plugin test proof attack clients chromium judges lint types layers workflows check lock dist sbom bench clean

help:
	@echo "make demo    try dctx on the bundled example"
	@echo "make docs    write the page of commands and the pictures anew, and build the documents as a site"
	@echo "make plugin  make the plugin for Claude Code in build/plugin"
	@echo "make test    run every test that needs no client, browser or database server"
	@echo "make proof   run the others, with real clients, Chromium and PostgreSQL; fetches what they need"
	@echo "make attack  run the attacks of tests/attack alone, and print their figures"
	@echo "make clients fetch the agent clients that tests run offline; make proof does it too"
	@echo "make chromium install the browser that tests use, where that is allowed; make proof does it too"
	@echo "make check   lint, types, layer contracts and workflows"
	@echo "make lock    write requirements-dev.txt anew, with the newest versions that pyproject.toml allows"
	@echo "make dist    build the wheel and the source archive"
	@echo "make sbom    write down what the wheel brings along, as CycloneDX"
	@echo "make bench   measure against floors and peers"
	@echo "make clean   remove what these made"

$(BIN)/.ready: pyproject.toml $(LOCK)
	@command -v git >/dev/null || $(INSTALL) git || \
	  { echo "git is missing: install it with your system's package manager."; exit 1; }
	@test -n "$(PYTHON)" && $(PYTHON) -c '$(NEW_ENOUGH)' || \
	  { echo "Python 3.11 or newer is needed; name one with PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || $(INSTALL) python3-venv || \
	  { echo "Python's venv module is missing; on Debian: apt-get install python3-venv."; exit 1; }
	@test -d $(VENV) || \
	  echo "Installing what development needs into $(VENV), once: about 830 MB on disk, a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet $(if $(LOCK),--require-hashes -r $(LOCK),--upgrade 'pip>=25.1') || \
	  { echo "Not installed. Where an index lacks a file of $(LOCK), \`make LOCK= ...\` goes without it."; exit 1; }
	@$(if $(LOCK),$(BIN)/python -m pip install --quiet --no-index $(EDITABLE) --no-build-isolation 2> /dev/null || \
	  echo "$(LOCK) is behind pyproject.toml: the rest comes without hashes. \`make lock\` renews it.")
	$(BIN)/python -m pip install --quiet $(EDITABLE) $(if $(LOCK),--no-build-isolation)
	$(BIN)/python -m compileall -q director_ctx
	@touch $@

demo: $(BIN)/.ready
	@rm -rf $(DEMO) && mkdir -p $(dir $(DEMO))
	@PATH="$(abspath $(BIN)):$$PATH" dctx demo --keep $(DEMO)
	@echo "Here, dctx is $(abspath $(BIN))/dctx."

# Each is made in build/ and moved into place, so that a script that fails leaves all as it was.
docs: $(BIN)/.ready
	@mkdir -p build
	@$(BIN)/python docs/site/commands.py > build/commands.md && mv build/commands.md docs/commands.md
	@for name in demo status; do $(BIN)/python docs/pictures/make.py $$name > build/$$name.svg && \
	  mv build/$$name.svg docs/pictures/ || exit 1; done
	@$(BIN)/python docs/site/build.py build/site

# A folder that a marketplace can name; the same version makes the same bytes.
plugin: $(BIN)/.ready
	@rm -rf build/plugin
	@$(BIN)/python docs/plugin/make_plugin.py build/plugin
	@echo "For one session: claude --plugin-dir build/plugin"

# Without npm or a network the tests that need them say so and are skipped.
clients: $(if $(DCTX_CLIENTS),,$(CLIENTS_READY) $(CLIENTS)/.axe-$(AXE) $(CLIENTS)/.langchain-$(LANGCHAIN_OPENAI))

$(CLIENTS)/.langchain-$(LANGCHAIN_OPENAI): | $(BIN)/.ready
	@mkdir -p $(CLIENTS)
	@$(BIN)/python -m pip install --quiet --upgrade --no-deps --target $(CLIENTS)/langchain langchain-openai==$(LANGCHAIN_OPENAI) && \
	  touch $@ || echo "langchain-openai could not be fetched (a network is needed): chats are not judged by it."

$(CLIENTS)/.axe-$(AXE):
	@mkdir -p $(CLIENTS)
	@npm install --silent --no-audit --no-fund --fetch-retries=1 --prefix $(CLIENTS)/axe axe-core@$(AXE) > /dev/null 2>&1 && \
	  touch $@ || echo "axe-core could not be fetched (npm and a network are needed): pages are not judged by it."

$(CLIENTS_READY): | $(BIN)/.ready
	@echo "Fetching Claude Code, Codex, Gemini CLI, Copilot CLI and OpenCode into $(CLIENTS), once:"
	@echo "about 1.7 GB on disk, two to six minutes. Tests run them offline; nothing is installed outside of this folder."
	@mkdir -p $(CLIENTS)
	@npm install --silent --no-audit --no-fund --fetch-retries=1 --prefix $(CLIENTS) @anthropic-ai/claude-code@$(CLAUDE) \
	  @openai/codex@$(CODEX) @google/gemini-cli@$(GEMINI) @github/copilot@$(COPILOT) > /dev/null 2>&1 && \
	  node $(CLIENTS)/node_modules/@anthropic-ai/claude-code/install.cjs > /dev/null 2>&1; npm=$$?; \
	npm install --silent --no-audit --no-fund --fetch-retries=1 --prefix $(CLIENTS)/opencode opencode-ai@$(OPENCODE) \
	  > /dev/null 2>&1; npm=$$npm$$?; \
	npm install --silent --no-audit --no-fund --fetch-retries=1 --prefix $(CLIENTS)/mcp node@$(NODE) \
	  @modelcontextprotocol/inspector@$(INSPECTOR) > /dev/null 2>&1 && \
	  (cd $(CLIENTS)/mcp/node_modules/node && node installArchSpecificPackage.js) > /dev/null 2>&1; npm=$$npm$$?; \
	$(BIN)/python -m pip install --quiet --upgrade --no-deps --target $(CLIENTS)/sdk claude-agent-sdk==$(SDK); \
	if [ $$npm$$? = 0000 ]; then touch $@; else \
	  echo "Not all could be fetched (npm and a network are needed): tests that need them are skipped."; fi

# Where it may not be installed, the tests that need it say so and are skipped.
chromium:
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do \
	  command -v $$name >/dev/null && exit 0; done; \
	if [ -z "$(NO_CHROMIUM)" ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium on this system, once, because you are root and there is none:"; \
	  echo "apt-get fetches about 100 MB, 400 MB on disk, a minute. \`make proof NO_CHROMIUM=1\` goes without it."; \
	  $(INSTALL) chromium >/dev/null && exit 0; fi; \
	echo "No Chromium is here; on Debian: apt-get install chromium. Tests that need one are skipped."

# Programs by which the manual page is judged, and shells that clients may have.
judges:
	@for name in groff mandoc zsh fish; do \
	  command -v $$name >/dev/null && continue; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing $$name on this system, once, because you are root: a few megabytes, some seconds."; \
	    $(INSTALL) $$name >/dev/null && continue; fi; \
	  echo "$$name is not here; on Debian: apt-get install $$name. Tests that need it are skipped."; done

# Root may read and write everything, so as root the suite gives these powers up: permissions are tested too.
# Each worker keeps to its own files, whose servers start once, and takes over from another when it is done. One more than there
# are processors, because who waits for a server or a process leaves its processor to another.
SUITE = as=""; without="-dac_override,-dac_read_search"; \
	if [ "$$(id -u)" = 0 ] && setpriv --bounding-set=$$without --inh-caps=$$without true 2>/dev/null; then \
	  as="setpriv --bounding-set=$$without --inh-caps=$$without"; fi; \
	exec $$as $(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist worksteal

test: $(BIN)/.ready
	@echo "Testing everything but real clients, a browser and PostgreSQL, which \`make proof\` does:"
	@echo "about seven minutes on two cores, and nothing more is fetched."
	@$(SUITE) -m "not proof" $(PYTEST)

# What only a real client, browser or database server can show.
proof: $(BIN)/.ready clients chromium judges
	@echo "Testing with real clients, offline, with a real browser and with PostgreSQL: about five minutes on two cores."
	@$(SUITE) -m proof $(PYTEST)

# Of both kinds, the attacks alone: what was tried, and how much of it came through.
attack: $(BIN)/.ready clients
	@$(SUITE) tests/attack -q $(PYTEST)

lint: $(BIN)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(BIN)/.ready
	$(BIN)/mypy

layers: $(BIN)/.ready
	$(BIN)/lint-imports

# What a workflow may do, and whose code it runs; nothing is asked of a network.
workflows: $(BIN)/.ready
	$(BIN)/zizmor --quiet --no-progress --offline --pedantic .github

check: lint types layers workflows

# For every Python and system at once. No address of an index is in it, so that any index that has the files will do.
lock: $(BIN)/.ready
	$(BIN)/uv pip compile --quiet --no-config --upgrade --universal --python-version 3.11 --generate-hashes \
	  --custom-compile-command 'make lock' --group dev pyproject.toml -o requirements-dev.txt

dist: $(BIN)/.ready
	rm -rf dist
	$(BIN)/hatchling build -d dist

# Of the wheel in dist/, in an environment with nothing else: what whoever installs it today gets.
sbom: $(if $(wildcard dist/*.whl),$(BIN)/.ready,dist)
	rm -rf build/sbom
	$(PYTHON) -m venv --without-pip build/sbom
	$(BIN)/python -m pip --python build/sbom install --quiet --only-binary :all: dist/*.whl
	rm build/sbom/lib/python*/site-packages/director_ctx-*.dist-info/direct_url.json # where it lay on this machine
	$(BIN)/cyclonedx-py environment --output-reproducible --output-file dist/director-ctx.cdx.json build/sbom

bench: $(BIN)/.ready
	$(BIN)/python -m benchmarks $(BENCH)

clean:
	rm -rf $(VENV) $(CLIENTS) .demo .bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
