# One machine needs Python 3.11+ and make; everything else is set up here, inside .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := UV_COMPILE_BYTECODE=1 VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/uv
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-emit-find-links

.PHONY: run test check bench console wheel lock format clean help

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

run: console ## set up and start Weft on http://127.0.0.1:8700
	$(BIN)/weft serve

test: $(VENV)/.dev ## run the whole test suite
	$(BIN)/python -m pytest

check: $(VENV)/.dev ## format, lint, types, contracts, style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_house.py

format: $(VENV)/.dev ## put the code in shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

console: $(VENV)/.run ## build the page at / (Node comes from the Python index where npm is missing)
	@$(BIN)/python tools/build_console.py

bench: $(VENV)/.dev ## measure; ratios come from one run
	$(BIN)/python -m bench

wheel: $(VENV)/.run ## build a wheel that holds the console, into dist/
	@$(BIN)/python tools/build_console.py --required
	$(UV) build --quiet --wheel --out-dir dist

lock: $(VENV)/.uv ## resolve the dependencies anew; the locks name no host
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove the environment and the caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Weft needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.9"
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements.lock pyproject.toml
	@echo "installing what Weft needs …"
	@test -e $(VENV)/.dev || $(UV) pip install --quiet --require-hashes -r requirements.lock
	@test -e $(VENV)/.dev || $(UV) pip install --quiet --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.uv requirements-dev.lock pyproject.toml
	$(UV) pip install --quiet --require-hashes -r requirements-dev.lock
	$(UV) pip install --quiet --no-deps -e .
	@touch $@
