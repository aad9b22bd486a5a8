# Each target does its own set-up: a fresh machine needs Python 3.11+ and make.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin

.DEFAULT_GOAL := help
export PIP_DISABLE_PIP_VERSION_CHECK := 1
.PHONY: help demo eval test quick coverage run image checks lint types imports unit screenshots soak mutants translations lock bench bench-queue bench-workers bench-scale bench-loop bench-scan bench-process bench-pages bench-stream bench-live bench-flood bench-index bench-memory measure clean sample-pages pages animation

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.runtime  ## file sample documents in a sandbox (DEMO_LANG=de: German ones; DEMO_EXIT=1: without the dashboard)
	@$(BIN)/paperclerk demo $(if $(DEMO_EXIT),--exit)

# The key is passed by the environment, because everyone on the machine can see a command line.
eval: export PAPERCLERK_EVAL_AI__BASE_URL := $(EVAL_URL)
eval: export PAPERCLERK_EVAL_AI__MODEL := $(EVAL_MODEL)
eval: export PAPERCLERK_EVAL_AI__API_KEY := $(EVAL_KEY)
eval: $(VENV)/.runtime  ## measure how many documents are filed correctly (EVAL_URL=... EVAL_MODEL=... EVAL_KEY=...: by your model)
	@$(BIN)/python -m benchmarks.eval $(if $(EVAL_DOCUMENTS),--documents $(EVAL_DOCUMENTS)) $(if $(EVAL_ANSWERS),--answers $(EVAL_ANSWERS)) $(if $(EVAL_HELD_OUT),--held-out $(EVAL_HELD_OUT)) $(if $(EVAL_WRITE),--write "$(EVAL_WRITE)")

# mypy uses one core. Beside the tests, it fills the time in which they wait for servers.
test: $(VENV)/.dev  ## everything that CI runs
	@$(MAKE) --jobs 2 checks unit

checks: lint types imports

# Nothing that starts a server: no PostgreSQL, no sandbox. tests/conftest.py marks them.
quick: $(VENV)/.dev  ## tests without servers, the store on SQLite (under two minutes)
	$(BIN)/python -m pytest -n 2 -m quick tests/actions $(MEASURED)

MEASURED = tests/core tests/i18n tests/paperless_client tests/processor tests/scanner tests/store

# Tests start many processes. Without bytecode on disk, each would compile all of our code again.
unit quick coverage: export PYTHONDONTWRITEBYTECODE :=
# The databases of tests are kept in memory where there is enough: commits would wait for the disk. Tests
# also run programs from there.
MEMORY = $(shell grep ' /dev/shm ' /proc/mounts 2>/dev/null | grep -vq noexec \
	&& test "$$(df --output=avail /dev/shm | tail -1)" -gt 4000000 && echo /dev/shm || echo /tmp)
unit quick coverage: export TMPDIR ?= $(MEMORY)

run: $(VENV)/.runtime  ## start the daemon with the instances in ./config
	@$(BIN)/paperclerk run

image:  ## build the container image
	docker build --tag paperclerk .

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/hadolint Dockerfile
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec $(wildcard compose*.yaml)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(wildcard .github/workflows/*)
	$(BIN)/check-jsonschema --builtin-schema custom.github-workflows-require-timeout $(wildcard .github/workflows/*)
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

# Coverage takes 1.9 times the CPU time, so it is measured only for the packages below the actions, by
# their own tests, and on SQLite; they wait little. The other tests often wait for servers: five
# workers use that time.
unit: $(VENV)/.dev
	$(BIN)/python -m tests.browser.chromium
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n 3 --dist worksteal -m measured $(MEASURED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/python -m pytest -n 5 --dist worksteal -m "not measured" tests

coverage: $(VENV)/.dev  ## measure what all tests cover, in every package (half an hour)
	$(BIN)/coverage erase
	$(BIN)/coverage run --source $(PACKAGES) -m pytest -n 3 --dist worksteal tests
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

PACKAGES = core,paperless_client,store,scanner,processor,actions,i18n,dashboard,daemon,sandbox

pages: $(VENV)/.dev  ## check every page at five widths, in both languages and themes (minutes)
	$(BIN)/python -m pytest -n 2 tests/browser/all_variants.py

screenshots: $(VENV)/.dev  ## save pictures of every page to docs/pictures
	@$(BIN)/python -m tests.browser.screenshots

animation: $(VENV)/.dev  ## record the picture and the animation of the README in the demo
	@$(BIN)/python -m tests.browser.animation

sample-pages: $(VENV)/.dev  ## make the PDF and the picture of each sample document
	@$(BIN)/python -m tests.browser.sample_pages

soak: $(VENV)/.dev  ## kill the daemon 500 times, disturb four workers, then audit the result (minutes)
	@$(BIN)/python -m tests.kill.soak
	@$(BIN)/python -m tests.kill.workers_soak $(DOCS)

mutants: $(VENV)/.dev  ## remove each promise from a copy of the code: a test must fail (ONLY="claim undo": some)
	@$(BIN)/python -m tests.mutants $(ONLY)

bench: bench-queue bench-workers bench-loop bench-scan bench-process bench-pages bench-stream bench-live bench-index bench-memory  ## all benchmarks, with comparisons (ROUNDS=, ROWS=, DOCS=, SIZES=, SECONDS= for quick runs)

bench-queue: $(VENV)/.dev
	$(BIN)/python -m benchmarks.queue_rates $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ROWS),--sizes 1000,$(ROWS))

bench-workers: $(VENV)/.dev  ## one, four and eight worker processes on one queue, beside procrastinate
	$(BIN)/python -m benchmarks.worker_rates $(if $(ROUNDS),--rounds $(ROUNDS))

bench-scale: $(VENV)/.dev  ## what one PostgreSQL carries, simulated from measured costs
	$(BIN)/python -m benchmarks.scale

bench-loop: $(VENV)/.dev
	$(BIN)/python -m benchmarks.loop_time $(if $(DOCS),--documents $(DOCS))
	$(BIN)/python -m benchmarks.footprint $(if $(ROUNDS),--rounds $(ROUNDS))

bench-scan: $(VENV)/.dev  ## count the requests and bytes of a scan (SIZES=1000,10000 for a quick run)
	$(BIN)/python -m benchmarks.scan_cost $(if $(SIZES),--sizes $(SIZES))

bench-process: $(VENV)/.dev  ## count the requests, bytes and background tasks of a document
	$(BIN)/python -m benchmarks.process_cost $(if $(DOCS),--documents $(DOCS))

bench-pages: $(VENV)/.dev  ## compare pages with 1,000 and with 100,000 jobs (3 minutes)
	$(BIN)/python -m benchmarks.pages_time $(if $(ROUNDS),--rounds $(ROUNDS))

bench-stream: $(VENV)/.dev  ## compare the queue alone and with twenty open dashboards (6 minutes)
	$(BIN)/python -m benchmarks.followers $(if $(DOCS),--documents $(DOCS))

bench-live: $(VENV)/.dev  ## measure how soon four open pages show an event
	$(BIN)/python -m benchmarks.live_time

bench-flood: $(VENV)/.dev  ## send hundreds of incomplete requests to a busy daemon (8 minutes)
	$(BIN)/python -m benchmarks.flood $(if $(SECONDS),--seconds $(SECONDS))

bench-index: $(VENV)/.dev  ## compare the archive index with plain FTS5, a model call and a bare crawl (DOCS=2000 for a quick run)
	$(BIN)/python -m benchmarks.index_cost $(if $(DOCS),--documents $(DOCS))

bench-memory: $(VENV)/.dev  ## memory by part, and of an idle daemon (10 minutes; SECONDS=70 for a quick run)
	$(BIN)/python -m benchmarks.idle_memory $(if $(SECONDS),--seconds $(SECONDS))

measure: $(VENV)/.dev  ## measure the code, and the path of one document through it (PROJECTS="old=../old ..." to compare)
	@$(BIN)/python -m benchmarks.readability $(PROJECTS)

translations: $(VENV)/.dev  ## add new texts to the catalogues in i18n/, remove unused ones
	$(BIN)/python -m tests.i18n.update

lock: $(VENV)/.dev  ## pin the newest versions of all dependencies (needs uv)
	uv pip compile pyproject.toml --extra notify --extra postgres $(LOCKED) -U -o requirements.lock
	uv pip compile pyproject.toml --extra dev $(LOCKED) -U -o requirements-dev.lock
	echo hatchling | uv pip compile - --constraint requirements-dev.lock $(LOCKED) -o requirements-build.lock

LOCKED = --universal --python-version 3.11 --generate-hashes --no-annotate --no-header

clean:  ## remove what the other targets made
	rm -rf $(VENV) .coverage* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Paperclerk needs Python 3.11 or newer; try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

# The lock is complete, so nothing is resolved: pip would take the newest version of a package that
# another one asks for with an extra, and refuse it for want of a pin.
$(VENV)/.runtime: requirements.lock requirements-build.lock pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements-build.lock
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements-dev.lock
	$(BIN)/pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@ $(VENV)/.runtime
