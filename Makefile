# Everything starts here: `make play` plays Bluff, `make test` runs every test. Both set up .venv first.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: play test test-slow lint format playthroughs clean

play: .venv/installed
	@$(BIN)/feint play bluff

test: .venv/ready
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: .venv/ready
	$(BIN)/python -m pytest -m slow

lint: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The recorded games of tests/playthroughs, made anew after a change of rules: look at the diff before committing it.
playthroughs: .venv/ready
	$(BIN)/python -m tests.playthroughs

.venv/installed: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Setting up feint in .venv (a minute or two, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/ready: .venv/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test,lint]'
	@touch $@

clean:
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache
