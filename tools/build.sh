#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages, Python environment and CMake builds; the environment is made while the compiler works.
# usage: tools/build.sh PRESET[:TARGET,...] ...      (presets of CMakePresets.json; no target: everything)
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$KGB_ROOT"

configure() { cmake --preset "$1" -DPython3_EXECUTABLE="$(base_python)"; }

# build PRESET[:TARGET,...]
build() {
  local preset=${1%%:*} targets=()
  [ "$preset" = "$1" ] || IFS=, read -ra targets <<<"${1#*:}"
  if [ ! -e "build/$preset/build.ninja" ] || [ CMakePresets.json -nt "build/$preset/build.ninja" ]; then
    step "build ($preset): configure" configure "$preset"
  fi
  # On a terminal ninja's own one-line progress is worth more than a log.
  local live=''
  if [ -t 1 ]; then live=1; fi
  step "build ($preset): ${targets[*]:-all}" cmake --build "build/$preset" -j "$(nproc)" ${targets[@]:+--target "${targets[@]}"}
}

tools/setup.sh packages
mkdir -p build/log
set -m # the background job gets a process group of its own, so that an interrupt can end all of it
tools/setup.sh judge >build/log/setup-judge.log 2>&1 &
judge=$!
set +m
trap 'kill -- -$judge 2>/dev/null || true; exit 130' INT TERM
for what in "$@"; do build "$what"; done
if ! wait "$judge"; then
  cat build/log/setup-judge.log >&2
  die "the Python environment could not be made (above)"
fi
cat build/log/setup-judge.log
