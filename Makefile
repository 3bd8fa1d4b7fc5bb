# All commands of the project. Each does the set-up that it needs, and skips steps that are up to date.
MAKEFLAGS += --no-print-directory --no-builtin-rules
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

VERSION := $(shell cat VERSION)
BIN := .venv/bin
JAR := target/scala-2.13/shredded-variant_2.13-$(VERSION).jar
WHEEL := dist/shredded_variant-$(VERSION)-py3-none-any.whl
CONFORMANCE := ../shared/conformance
# Processes that run the Python tests, each with a Spark of its own.
WORKERS := 2

# The lists include directories, so that the removal of a file counts as a change.
BUILD := build.sbt VERSION $(wildcard project/build.properties project/plugins.sbt project/repositories project/*.scala)
MAIN := $(shell find jvm/src/main 2>/dev/null | sed 's/ /\\ /g')
SCALA := $(MAIN) $(shell find jvm/src/test 2>/dev/null | sed 's/ /\\ /g')
PACKAGE := pyproject.toml README.md LICENSE VERSION $(shell find python/src -not -path '*__pycache__*')
PYTHON_SOURCES := $(PACKAGE) $(shell find tests benchmarks -name '*.py')

say = @echo "· $(1)"

.PHONY: help demo test fuzz check lint format jar wheel publish-local test-jvm test-python conformance bench bench-large bench-counting compare ablations clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1:\2/p' $(MAKEFILE_LIST) | awk -F: '{ printf "  make %-14s %s\n", $$1, $$2 }'

demo: .venv/.wheel ## write JSON as a shredded table, show the layout of its files, query it, print what was read
	@$(BIN)/shredded-variant demo

test: .venv/.wheel ## all tests, and the ten slowest of each side
	@failed=0; \
	$(MAKE) test-jvm ARGS= || failed=1; \
	$(MAKE) test-python ARGS= || failed=1; \
	exit $$failed

check: lint test ## lint and tests

lint: target/.scala-linted target/.python-linted ## formatting, linters and types

format: .venv/.stamp ## format Scala and Python
	@project/need java build
	$(call say,formatting)
	@project/sbt --error scalafmtAll scalafmtSbt
	@$(BIN)/ruff check --quiet --fix-only python tests benchmarks
	@$(BIN)/ruff format --quiet python tests benchmarks

jar: $(JAR) ## the jar, in target/scala-2.13/

wheel: $(WHEEL) ## the wheel with the jar inside, in dist/

publish-local: .venv/.stamp ## the jar and its POM into the local Maven repository
	@project/need java build
	@project/sbt --error publishM2
	$(call say,published io.github.shredded-variant:shredded-variant_2.13:$(VERSION) to the local Maven repository)

test-jvm: .venv/.stamp ## Scala suites, without a Spark session (ARGS='*ShapeParserSuite' for some of them)
	@project/need java build
	$(call say,testing the JVM side)
	@project/test-jvm $(if $(ARGS),"testOnly $(ARGS)",test)

test-python: .venv/.wheel .tools/delta-spark/.stamp .tools/s3a/.stamp ## pytest against the installed wheel (ARGS=tests/read for some of it)
	$(call say,testing the wheel)
	@$(BIN)/python -m pytest --durations=10 $(if $(ARGS),$(ARGS),-n $(WORKERS) --dist loadfile)

fuzz: .venv/.wheel .tools/delta-spark/.stamp .tools/s3a/.stamp ## the tests with generated cases, damaged bytes, and concurrent or killed writers, for longer
	$(call say,testing the wheel for longer)
	@FUZZ=1 $(BIN)/python -m pytest -m fuzz --timeout=7200 $(ARGS)
	@FUZZ=1 project/test-jvm "testOnly -- --include-tags=fuzz"

conformance: .venv/.wheel ## external cases, if ../shared/conformance exists beside the clone
	@if [ ! -d $(CONFORMANCE) ]; then echo "No $(CONFORMANCE) beside this clone: nothing to run."; exit 0; fi; \
	failed=0; \
	for mode in read extract union; do \
	    echo "· conformance: $$mode"; \
	    $(BIN)/python $(CONFORMANCE)/run_spark.py --format shredded_variant --jars $(JAR) --mode $$mode || failed=1; \
	done; \
	exit $$failed

bench: .venv/.wheel ## paths compared with plain columns and other engines, as ratios (ARGS=--help for options)
	@project/need java
	@$(BIN)/python -m benchmarks.run $(ARGS)

bench-large: .venv/.wheel ## JSONBench's five queries over 10 million rows
	@project/need java
	@$(BIN)/python -m benchmarks.run --only jsonbench --jsonbench-rows 10000000 $(ARGS)

bench-counting: .venv/.wheel ## nanoseconds of CPU to count an event for the inference of shapes
	@project/need java build
	@java -cp "$(JAR):$$(echo .venv/lib/python*/site-packages/pyspark/jars)/*" benchmarks/jvm/CountingSpeed.java

compare: .venv/.wheel ## the cost of a change, this commit beside another (BASE=HEAD~1, PATCH=page-arrays, ARGS=--help)
	@project/need java build
	@$(BIN)/python -m benchmarks.compare --base "$$(project/jar-of $(or $(BASE),HEAD~1) $(PATCH))" --jar $(JAR) $(ARGS)

ablations: .venv/.wheel ## each piece of our page code compared with the library's code (ARGS="--piece page-arrays")
	@project/need java build
	@$(BIN)/python -m benchmarks.ablations --jar $(JAR) $(ARGS)

clean: ## remove everything that was built, .venv and .tools too
	@rm -rf target project/target project/project dist .venv .tools .bsp .mypy_cache .ruff_cache .pytest_cache

.venv/.stamp: requirements.txt project/venv
	@project/need java build
	$(call say,installing pyspark and tools into .venv (the first time takes a minute or two))
	@project/venv
	@touch $@

$(JAR): $(MAIN) $(BUILD) | .venv/.stamp
	@project/need java build
	$(call say,compiling the jar)
	@project/sbt --error package makePom
	@touch $@

$(WHEEL): $(JAR) $(PACKAGE) | .venv/.stamp
	$(call say,building the wheel)
	@rm -rf dist target/jars
	@mkdir -p target/jars
	@cp $(JAR) target/jars/
	@$(BIN)/hatchling build -t wheel -d dist >/dev/null 2>target/hatchling.log || { cat target/hatchling.log >&2; exit 1; }
	@touch $@

.venv/.wheel: $(WHEEL) .venv/.stamp
	@project/need java
	$(call say,installing the wheel)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input --no-deps --force-reinstall $(WHEEL)
	@touch $@

.tools/delta-spark/.stamp: $(BUILD) | .venv/.stamp
	@project/need java build
	$(call say,fetching delta-spark for the tests)
	@project/sbt --error deltaSpark

.tools/s3a/.stamp: $(BUILD) | .venv/.stamp
	@project/need java build
	$(call say,fetching Hadoop's file system of S3 for the tests)
	@project/sbt --error s3a

target/.scala-linted: $(SCALA) $(BUILD) .scalafmt.conf | .venv/.stamp
	@project/need java build
	$(call say,linting Scala)
	@project/sbt --error scalafmtCheckAll scalafmtSbtCheck Test/compile
	@mkdir -p target && touch $@

target/.python-linted: $(PYTHON_SOURCES) .venv/.stamp
	$(call say,linting Python)
	@$(BIN)/ruff check --quiet python tests benchmarks
	@$(BIN)/ruff format --quiet --check python tests benchmarks
	@$(BIN)/mypy --no-error-summary
	@mkdir -p target && touch $@
