# SPDX-License-Identifier: Apache-2.0
# Short names for what tools/ does; `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help build run full test test-gpu test-agents lint bench bench-vm bench-gpu device-proof fuzz tsan docs portable clean

help:            ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

build:           ## packages, Python environment, ./kgbench
	@tools/build.sh release:kgbench,kgb_extension

run: build       ## the demo: our own kernels for every operator of the demo suite, judged
	@./kgbench run --contestant experts --suite demo

full: build      ## the same on the full published workloads
	@./kgbench run --contestant experts --suite demo --tier full

test:            ## everything that is tested, sanitizer builds included
	@tools/test.sh

test-gpu: build  ## the tests that need this machine's GPU
	@tools/pytest.sh tests/device

test-agents: build ## two real agents, installed from PyPI (1.4 GB), against the local model
	@KGB_TEST_AGENTS=1 tools/pytest.sh tests/scenario/test_real_agents.py

lint:            ## clang-format, clang-tidy, ruff and the rules of the tree
	@tools/lint.sh

bench: build     ## the benchmarks of the judge itself
	@tools/bench.sh

bench-vm: build  ## the speed table of the virtual machine and the bars met (under ten minutes on an idle machine)
	@tools/bench.sh vm --markdown

bench-gpu: build ## how far the clocks of this machine's GPU can be trusted
	@tools/bench.sh gpu

device-proof:    ## runs the proof suite on this machine's GPU and records what it gives
	@tools/device_proof.sh

fuzz:            ## fuzzers and random kernels for MINUTES (10); installs clang
	@tools/fuzz.sh

tsan:            ## unit tests of what runs threads, under ThreadSanitizer
	@tools/tsan.sh

docs:            ## the documentation site, into site/
	@tools/docs.sh

portable:        ## a binary that needs libc and libm only, into dist/
	@tools/portable.sh

clean:           ## removes what was built; the Python environments stay
	@rm -rf build site dist
