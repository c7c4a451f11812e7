# What people run. `make simulate` is the first (or `make plan`, which needs no engines), then `make test` and `make check`.

PYTHON ?= $(shell command -v python3 || command -v python)
STACK ?= dev
BIN := .venv/bin
SOURCES := eks_accelerators
FURTHER := promtool prometheus keda-operator keda-metrics-server keda-admission-webhooks cluster-autoscaler karpenter jobset-controller lws-controller

.PHONY: simulate plan test test-all crash-matrix check environment engines definitions lint-workflows generated benchmarks clean

simulate: environment ## Deploy a stack on simulated AWS, real engine and scheduler included: STACK=dev
	@# A preview before the first deployment needs no cluster; afterwards its engines are there.
	@tools/engines.sh $(if $(filter preview,$(ARGS)),pulumi)
	@$(BIN)/accel simulate $(STACK) $(ARGS)

plan: environment ## What a stack would create, what it costs and what is wrong with it: STACK=dev
	@$(BIN)/accel plan $(STACK)

test: environment ## The tests to run after every change: docs/tests.md says which
	@$(BIN)/pytest -n auto -m "not thorough" $(ARGS)

test-all: environment ## All tests, with many more examples of each property; those that `make test` leaves out: ARGS="-m thorough"
	@MANY_EXAMPLES=1 $(BIN)/pytest -n auto $(ARGS)

crash-matrix: environment engines ## Every operation of the stack prod fails, and every one is what an engine is killed after
	@CRASH_MATRIX=all $(BIN)/pytest -n auto tests/simulator/crashes $(ARGS)

check: environment ## Style, types, the floors, and what is generated
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy -p eks_accelerators
	@$(BIN)/mypy __main__.py
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m eks_accelerators.settings.schema --check
	@$(BIN)/python -m eks_accelerators.settings.component_arguments --check
	@$(BIN)/python -m eks_accelerators.settings.component_exports --check
	@$(BIN)/python -m eks_accelerators.components.components_page --check
	@$(BIN)/python -m eks_accelerators.settings.rules_page --check
	@$(BIN)/python -m eks_accelerators.settings.reference_page --check
	@$(BIN)/python -m eks_accelerators.capacity.preflight.checks_page --check
	@$(BIN)/python -m eks_accelerators.verification.codes_page --check
	@$(BIN)/python -m eks_accelerators.monitoring.metrics_page --check
	@$(BIN)/python -m eks_accelerators.monitoring.alerts_page --check
	@$(BIN)/python -m eks_accelerators.simulator.resource_types_file --check
	@$(BIN)/python -m eks_accelerators.simulator.models_page --check
	@$(BIN)/python -m eks_accelerators.simulator.faults_page --check
	@$(BIN)/python -m eks_accelerators.accel.sharing.picture --check
	@$(BIN)/python -m eks_accelerators.accel.reports.json_page --check

generated: environment ## Write what is made from the code: the schema of a stack file, its reference, the pages of rules, checks, metrics, alerts, models, JSON, a picture
	@$(BIN)/python -m eks_accelerators.settings.schema
	@$(BIN)/python -m eks_accelerators.settings.component_arguments
	@$(BIN)/python -m eks_accelerators.settings.component_exports
	@$(BIN)/python -m eks_accelerators.components.components_page
	@$(BIN)/python -m eks_accelerators.settings.rules_page
	@$(BIN)/python -m eks_accelerators.settings.reference_page
	@$(BIN)/python -m eks_accelerators.capacity.preflight.checks_page
	@$(BIN)/python -m eks_accelerators.verification.codes_page
	@$(BIN)/python -m eks_accelerators.monitoring.metrics_page
	@$(BIN)/python -m eks_accelerators.monitoring.alerts_page
	@$(BIN)/python -m eks_accelerators.simulator.resource_types_file
	@$(BIN)/python -m eks_accelerators.simulator.models_page
	@$(BIN)/python -m eks_accelerators.simulator.faults_page
	@$(BIN)/python -m eks_accelerators.accel.sharing.picture
	@$(BIN)/python -m eks_accelerators.accel.reports.json_page

benchmarks: environment engines ## Ratios of CPU time, each to a floor in the same run
	@$(BIN)/python benchmarks/plan.py
	@$(BIN)/python benchmarks/simulate.py
	@$(BIN)/python benchmarks/preflight.py
	@$(BIN)/python benchmarks/blocks.py

environment: .venv/.made
	@# Compiled, also where Python is told to write no bytecode: uncompiled packages cost seconds at every start.
	@$(BIN)/python -m compileall -q $(SOURCES) __main__.py

.venv/.made: requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=..." >&2; exit 2; }
	@echo "Making the environment in .venv: about a minute the first time ..." >&2
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --compile -r requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

engines: ## What a simulation runs, into .tools: downloaded, or built with Go; it says how long that takes; HELM=1 for helm too, MORE=1 for promtool, Prometheus, KEDA, node autoscalers, the controllers of JobSet and LeaderWorkerSet, and the published definitions of what is written
	@tools/engines.sh
	@$(if $(HELM),tools/engines.sh helm)
	@$(if $(MORE),tools/engines.sh $(FURTHER))
	@$(if $(MORE),tools/definitions.sh)

definitions: ## The published definitions of what is written, into .tools: those that can be had here, for tests; the rest is named
	@tools/definitions.sh || true

lint-workflows: .tools/actionlint ## GitHub workflows
	@.tools/actionlint -shellcheck= -pyflakes=

.tools/actionlint: tools/actionlint/go.mod tools/actionlint/go.sum
	@command -v go > /dev/null || { echo "Go is needed to build actionlint" >&2; exit 2; }
	@cd tools/actionlint && go build -o ../../.tools/actionlint github.com/rhysd/actionlint/cmd/actionlint

clean: ## Everything that was made here
	rm -rf .venv .tools .simulations .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
