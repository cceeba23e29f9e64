# make demo: convert a shipped example.  make test: run every test.  Both set up .venv by themselves.
PYTHON ?= python3
# installed before accelerate and deepspeed, so that neither brings a torch of its own; a CPU build is enough
TORCH ?= torch==2.13.0
PYTEST_ARGS ?= -n auto --maxprocesses 4 --dist worksteal
BENCH_ARGS ?=
MATRIX_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq

.PHONY: demo test lint docs bench matrix clean

demo: $(VENV)/.installed
	$(BIN)/fsds convert examples/fsdp1.yaml --to deepspeed

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict

docs: $(VENV)/.installed
	$(BIN)/python -m fsds_convert._docs

bench: $(VENV)/.installed-test
	$(BIN)/python tests/benchmarks/run.py $(BENCH_ARGS)

# every kind of config trained with its conversion, into docs/results/dry-run.md; MATRIX_ARGS=--all takes hours
matrix: $(VENV)/.installed-test
	$(BIN)/python -m tests.dry_run.matrix $(MATRIX_ARGS)

clean:
	rm -rf $(VENV) build dist

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

# the stamps stand for an install of what pyproject.toml asks; the package itself is editable
$(VENV)/.installed: pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "installing fsds-convert into $(VENV)"
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "installing torch into $(VENV): takes minutes"
	$(PIP) install $(TORCH)
	@echo "installing the test extra (accelerate, deepspeed, transformers, pytest, ...) into $(VENV): takes minutes"
	$(PIP) install --editable '.[test]'
	@touch $(VENV)/.installed $@
