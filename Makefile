# Everything a newcomer types. Each target sets up what it needs, uv and Python 3.13 included.
UV := ./scripts/uv
RUN := $(UV) run --frozen
SCAN := $(RUN) detect-secrets-hook --no-verify --baseline scripts/checks/secrets.json
# Images of containers often forbid compiled modules: each of the stack's processes would compile everything again.
export PYTHONDONTWRITEBYTECODE :=
PORT ?= 8000
SAMPLES ?= 1

.DEFAULT_GOAL := help
.PHONY: help run test quick check format types frontend wheel release build deploy admin-token rehearse bench long faults fuzz hostile mutations secrets audit soak clean

help: ## Print the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Run the whole stack on this machine: http://localhost:8000 (PORT=…, SAMPLES=0: without sample runs)
	@./scripts/install-bubblewrap
	@$(UV) sync --quiet --frozen --inexact --no-default-groups --group local --group science --group frontend
	@$(RUN) --no-sync python scripts/translation.py
	@$(RUN) --no-sync python scripts/frontend/build_frontend.py --lenient
	@exec $(RUN) --no-sync laurel local --port $(PORT) $(if $(filter 0,$(SAMPLES)),--no-samples)

test: ## Run the tests, but those that docs/tests.md lists
	@./scripts/install-bubblewrap
	@./scripts/install-chromium
	$(RUN) python scripts/frontend/build_frontend.py
	$(RUN) pytest --numprocesses auto

long: ## Run what `make test` leaves out and no other target runs: built packages, Godot, every look of a page
	@./scripts/install-bubblewrap
	@./scripts/install-chromium
	@./scripts/install-godot
	$(RUN) python scripts/frontend/build_frontend.py
	$(RUN) pytest --ignore tests/faults -m long --numprocesses auto

quick: ## Lint and the tests to run between two edits: 40 seconds
	$(RUN) ruff check
	HYPOTHESIS_PROFILE=quick $(RUN) pytest tests/unit tests/golden --numprocesses auto --quiet

check: ## Lint, types, architecture, words and templates: what CI checks before it tests
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) lint-imports
	$(RUN) python scripts/checks/house_rules.py
	$(RUN) python scripts/checks/check_template.py
	git ls-files -z -- ':!uv.lock' ':!*package-lock.json' | xargs -0 $(SCAN)
	$(RUN) python scripts/frontend/build_frontend.py --check

format: ## Format the code and fix what can be fixed
	$(RUN) ruff check --fix
	$(RUN) ruff format
	$(RUN) python scripts/frontend/build_frontend.py --format

types: ## Generate the TypeScript types of snapshots and API
	$(RUN) python scripts/frontend/generate_types.py

frontend: ## Build the site into frontend/dist/
	$(RUN) python scripts/frontend/build_frontend.py

wheel: frontend ## Build the package, with the whole stack, which the site serves: frontend/dist/command/
	$(RUN) python scripts/frontend/build_wheel.py

release: wheel ## Make what a release uploads into release/: the wheel, changes and checksums
	@test -z "$$(git status --porcelain)" || { echo "no release: commit first what is not committed"; exit 1; }
	@rm -rf release && mkdir release && cp frontend/dist/command/*.whl CHANGELOG.md release/
	@cd release && sha256sum *.whl CHANGELOG.md | tee SHA256SUMS

build: ## Build functions and layers for AWS into .aws-sam/, for both architectures
	$(RUN) python scripts/build_lambda.py

deploy: ## Check the account, then deploy: STAGE=prod or dev, DRY_RUN=1 to change nothing, PARAMETERS="NAME=VALUE …"
	@test -n "$(STAGE)" || { echo "name the stage: make deploy STAGE=dev"; exit 1; }
	@$(RUN) python scripts/deployment/deploy.py $(STAGE) $(if $(DRY_RUN),--dry-run) \
		$(addprefix --parameter ,$(PARAMETERS))

admin-token: ## Replace the token with which this machine operates a stage: STAGE=dev or prod
	@test -n "$(STAGE)" || { echo "name the stage: make admin-token STAGE=dev"; exit 1; }
	@$(RUN) python scripts/deployment/deploy.py $(STAGE) --replace-token

rehearse: ## Deploy to a new account of an AWS emulator with roles, and test what was deployed: minutes
	@./scripts/install-bubblewrap
	$(RUN) python -m tests.rehearsal.rehearse

bench: ## Measure speed, each time beside a peer
	@$(RUN) python scripts/translation.py
	$(RUN) python bench/script_runs.py
	$(RUN) python bench/frontend.py
	$(RUN) python bench/growth.py
	$(RUN) python bench/load.py
	$(RUN) python bench/final.py
	$(RUN) python bench/cost.py
	$(RUN) python scripts/build_lambda.py
	$(RUN) python bench/cold_start.py

faults: ## Let every call of two stories fail, and deliver late, twice and out of order: minutes
	$(RUN) pytest tests/faults -m "long or not long" --numprocesses auto

fuzz: ## Try the API, every reader and every scorer with much more made-up input, and the whole hostile corpus under load
	@./scripts/install-bubblewrap
	HYPOTHESIS_PROFILE=fuzz $(RUN) pytest tests -m "hypothesis or fuzz" --numprocesses auto

hostile: ## Run all hostile evaluation scripts, one by one, four at once, as in a Lambda; and what strangers try: minutes
	@./scripts/install-bubblewrap
	HYPOTHESIS_PROFILE=fuzz $(RUN) pytest tests/hostile tests/integration tests/unit -m hostile --numprocesses auto

secrets: ## Look for credentials in the whole history
	@git log --all --patch --no-color > .history.patch; $(SCAN) .history.patch; found=$$?; rm .history.patch; exit $$found

audit: ## Ask OSV and npm for known vulnerabilities of what the locks name; needs a network
	$(UV) audit --frozen
	$(UV) audit --frozen --project scripts/sam
	$(UV) audit --frozen --project scripts/checks/linters
	$(UV) audit --frozen --project tests/rehearsal/ministack
	$(RUN) npm --prefix frontend audit

soak: export LAUREL_SOAK_SECONDS ?= 600
soak: export LAUREL_SOAK_SEED ?= $(shell shuf --input-range 0-999999 --head-count 1)
soak: ## Kill workers of the running stack for ten minutes while results flow, then compare all that is stored (LAUREL_SOAK_SECONDS=…; LAUREL_SOAK_RESTARTS=20: kill the stack)
	@./scripts/install-bubblewrap
	$(RUN) pytest tests/faults/test_soak.py -m long --capture no

mutations: ## Remove guards in a copy of the tree, one by one: each must turn a test red
	$(RUN) pytest tests/faults/mutate.py --numprocesses auto

clean: ## Remove what was built and the logs of the local stack; keeps the environment, and what the stack keeps
	rm -rf .aws-sam release .laurel/log .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache frontend/dist
