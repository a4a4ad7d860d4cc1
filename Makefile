# Everything starts here: `make lab` opens the lab in the browser, `make play` plays Bluff in the terminal, `make test` runs every test.
# All of them set up .venv first.
PYTHON ?= python3
# Another JAX than the newest that feint takes: make test JAX=0.8.0, in a new clone or after make clean.
JAX ?=
BIN := .venv/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

.PHONY: lab play system test test-slow lint format docs wheels playthroughs clean

# Ctrl-C closes the lab, and saves a game at the keyboard, with 130, which is no error of make's.
lab: .venv/web
	@trap : INT; $(BIN)/feint lab --open || test $$? -eq 130

play: .venv/installed
	@trap : INT; $(BIN)/feint play bluff || test $$? -eq 130

# A browser and a PostgreSQL for the tests of the lab, where they are missing and the system is Debian's.
system:
	@if command -v apt-get >/dev/null && { ! command -v chromium >/dev/null || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; }; then \
		echo "Installing chromium and postgresql ..."; \
		export DEBIAN_FRONTEND=noninteractive; as=$$(test $$(id -u) -eq 0 || echo sudo); \
		$$as apt-get update -qq && $$as apt-get install -qq -y --no-install-recommends chromium postgresql >/dev/null; \
	fi

test: system .venv/ready # three at once keep two cores busy: one or another waits for a server
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-slow: system .venv/ready
	FEINT_OPTIMISED=1 $(BIN)/python -m pytest -m slow

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The pages of docs/ as a site, in site/; a warning, such as a link that leads nowhere, is an error.
docs: .venv/documented
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# What is published: a wheel and the source, in dist/.
wheels: .venv/built
	$(BIN)/python -m build --quiet --outdir dist .

# The recorded games of tests/playthroughs, made anew after a change of rules: look at the diff before committing it.
playthroughs: .venv/ready
	$(BIN)/python -m tests.playthroughs

# pip is the last thing a new environment gets, so an interrupted set-up starts over.
.venv/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "feint needs Python 3.11 or newer; another one is chosen by: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Setting up feint in .venv (a minute or two, once) ..."
	@test -x $(BIN)/pip || $(PYTHON) -m venv --clear .venv
	@$(PIP) --upgrade pip
	@$(PIP) -e . $(if $(JAX),jax==$(JAX))
	@touch $@

.venv/web: .venv/installed
	@echo "Setting up what the lab needs ..."
	@$(PIP) -e '.[web]' $(if $(JAX),jax==$(JAX))
	@touch $@

.venv/ready: .venv/installed
	@echo "Setting up what tests and lint need ..."
	@$(PIP) -e '.[test,lint]' $(if $(JAX),jax==$(JAX))
	@touch $@

.venv/documented: .venv/installed
	@echo "Setting up what the pages need ..."
	@$(PIP) -e '.[docs]' $(if $(JAX),jax==$(JAX))
	@touch $@

.venv/built: .venv/installed
	@$(PIP) build
	@touch $@

clean:
	rm -rf .venv build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
