# make          environment, quick run, page
# make paper    the whole reproduction
# make comparison  which method to use: all of them, and what people would take instead, on all data sets
# make compare CONFIG=mine.yaml  your methods and data: what the file has under `compare`
# make verify   a sample of the cells again, compared bit by bit with figures/digests.csv; SHARE=0.05 SEED=1
# make test     lint and tests; make test-long: those that take longer
# make test-robust  a dozen kills, full disks, damaged files, 100,000 spoilt inputs: some 15 minutes
# make test-slurm   the quick run through a Slurm of one node, and the same scores locally; installs Slurm, as root
# make docs     the site, docs/_build/html; its examples run, and links inside it are checked
# Everything here is a call of pip, snakemake, ruff, mypy or pytest that works just as well by hand.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

SHARE ?= 0.05
SEED ?= 1

.PHONY: quick paper comparison compare verify test test-long test-robust test-slurm lint docs lock clean

quick: $(READY)
	$(BIN)/snakemake --cores all --configfile config/quick.yaml
	@echo "The page: $(CURDIR)/quick/index.html"

paper: $(READY)
	$(BIN)/snakemake --cores all
	@echo "The page: $(CURDIR)/figures/index.html"

comparison: $(READY)
	$(BIN)/snakemake --cores all comparison
	@echo "The page: $(CURDIR)/figures/comparison/index.html"

compare: $(READY)
	@$(BIN)/python -m labelknn_papers.plan.config $(CONFIG)
	$(BIN)/snakemake --cores all --configfile $(CONFIG) -- compare

verify: $(READY)
	$(BIN)/python workflow/scripts/verify.py --share $(SHARE) --seed $(SEED)

test: $(READY) lint
	@# By file, in the order of tests/conftest.py: kernels are compiled once.
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test-long: $(READY)
	$(BIN)/python -m pytest -n 2 --dist load -m long

test-robust: $(READY)
	$(BIN)/python -m pytest -s -m robust tests/robustness

test-slurm: $(READY)
	tests/slurm/run.sh

docs: $(READY)
	$(BIN)/sphinx-build -W --keep-going --quiet -j 2 docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "The site: $(CURDIR)/docs/_build/html/index.html"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@# The two that take longest, side by side.
	$(BIN)/snakemake --lint & other=$$!; $(BIN)/mypy; status=$$?; wait $$other && exit $$status
	$(BIN)/snakefmt --check Snakefile workflow

# Only after a change of the dependencies in pyproject.toml; with uv from a ready environment, or from elsewhere.
UV ?= $(BIN)/uv
COMPILE := pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
    --custom-compile-command "make lock"
lock:
	$(UV) $(COMPILE) --fork-strategy fewest --all-extras pyproject.toml -o requirements.lock
	echo uv | $(UV) $(COMPILE) - -o envs/uv.lock

clean:
	rm -rf $(VENV) $(filter-out data/README.md,$(wildcard data/*)) quick logs .snakemake $(addprefix docs/,_build api gallery results)

$(READY): requirements.lock envs/uv.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("labelknn needs Python 3.11 or newer; call: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	@# uv, where it can be had from the package index, takes a fifth of pip's time; it gets the index that pip is told of.
	index=$$($(BIN)/pip config get global.index-url 2>/dev/null || true); \
	{ $(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r envs/uv.lock \
	  && $${index:+env UV_DEFAULT_INDEX=$$index} $(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --require-hashes \
	     -r requirements.lock; } \
	|| $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@# Compiled here, on all cores, also where PYTHONDONTWRITEBYTECODE would have every job compile what it imports.
	-@$(BIN)/python -m compileall -q -q -j 0 -x '/tests/' $(VENV)/lib
	@touch $@
