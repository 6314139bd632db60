# make capture URL=https://example.com/ [PDF=capture.pdf] [LEVELS=2] [ARGS="--same-path"]
# make quick | test | lint | format | clean

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help capture quick test lint format clean

VENV ?= .venv
BIN := $(VENV)/bin

# A misspelt variable, such as `make capture url=...`, would silently capture the example site.
VARIABLES := URL PDF LEVELS ARGS VENV PYTHON
GIVEN := $(foreach name,$(.VARIABLES),$(if $(findstring command line,$(origin $(name))),$(name)))
UNKNOWN := $(filter-out $(VARIABLES),$(GIVEN))
$(if $(UNKNOWN),$(error unknown variable $(firstword $(UNKNOWN)); the variables are $(VARIABLES)))

# The URL is used literally (a $ in it is not a make variable) and reaches the shell through the environment only.
override URL := $(value URL)
export URL

ifeq ($(URL),)
PDF ?= example.pdf
LEVELS ?= all
else
PDF ?= capture.pdf
LEVELS ?= 1
endif
export PDF LEVELS

# The first interpreter with version 3.11 or later; a machine may also have an older python3.
define FIND_PYTHON
for python in $(PYTHON) python3.11 python3 python3.12 python3.13 python3.14; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
	python=; \
done; \
if [ -z "$$python" ]; then \
	echo "wcspider needs Python 3.11 or later; on Debian: sudo apt-get install python3 python3-venv" >&2; \
	exit 1; \
fi; \
if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	echo "$$python cannot create an environment; on Debian: sudo apt-get install python3-venv" >&2; \
	exit 1; \
fi
endef

help:
	@sed -n '1,/^$$/s/^# //p' Makefile

capture: $(VENV)/.installed
ifeq ($(URL),)
	@$(BIN)/python examples/serve.py --run \
		$(BIN)/wcspider capture {url} "$$PDF" --levels "$$LEVELS" $(ARGS)
	@echo "The example site is in $$(realpath -- "$$PDF"); list its contents with: $(BIN)/wcspider list $$PDF"
else
	@$(BIN)/wcspider capture "$$URL" "$$PDF" --levels "$$LEVELS" $(ARGS)
endif

quick: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m "not slow" --ignore=tests/system $(ARGS)

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal $(ARGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An editable installation, so a change of the sources needs no new one: the stamps depend on the metadata only.
$(VENV)/.made:
	@$(FIND_PYTHON); "$$python" -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml setup.py
	@echo "Installing wcspider into $(VENV), which takes a minute or two"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml setup.py
	@echo "Installing wcspider and its test tools into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed
