#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes the readers of hostile input and runs random kernels, for MINUTES (default 10) in all.
# usage: MINUTES=10 tools/fuzz.sh [TARGET...]      (targets: tests/fuzz/*.cpp, and kernels; default: all)
# What crashes, hangs or takes too much memory is kept in build/fuzz/found/: mend it, then add the input to
# tests/fuzz/corpus/<target>/, which `make test` replays.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$KGB_ROOT"
minutes=${MINUTES:-10}
all=(ttir ptx plan wire card stream kernels)
targets=("${@:-${all[@]}}")
[ $# -gt 0 ] || targets=("${all[@]}")

export KGB_MORE_PACKAGES=clang
tools/setup.sh packages
command -v clang++ >/dev/null || die "clang++ is missing; install the package clang"
tools/build.sh fuzz:fuzzers release:kgb_extension
. tools/env.sh

found=$KGB_BUILD/fuzz/found
mkdir -p "$found"
jobs=$(nproc)
# Time for one target: they run as many at once as there are processors.
seconds=$(awk -v m="$minutes" -v n="${#targets[@]}" -v j="$jobs" 'BEGIN { r = int((n + j - 1) / j); print int(m * 60 / r) }')

fuzz() { # NAME
  local name=$1 seeds=$KGB_BUILD/fuzz/seeds/$1 grown=$KGB_BUILD/fuzz/grown/$1 input
  mkdir -p "$seeds" "$grown"
  tr ';' '\n' <"$KGB_BUILD/fuzz/tests/fuzz/fuzz_$name.inputs" | while IFS= read -r input; do
    find "$input" -type f ! -name '*.py' -print0
  done | while IFS= read -r -d '' file; do
    cp "$file" "$seeds/$(sha256sum "$file" | cut -c1-16)"
  done
  "$KGB_BUILD/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2560 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$found/$name-" "$grown" "$seeds"
}

kernels() { PYTHONPATH=$KGB_ROOT/python "$KGBENCH_PYTHON" tests/python/vm/random_kernels.py --seconds "$seconds" --keep "$found"; }

run() { # NAME: its output goes to a log, its end is one line
  local name=$1 log=$KGB_BUILD/log/fuzz-$1.log
  if [ "$name" = kernels ]; then kernels >"$log" 2>&1 || name='!'; else fuzz "$name" >"$log" 2>&1 || name='!'; fi
  if [ "$name" = '!' ]; then
    tail -n 25 "$log"
    say "fuzz $1: FOUND SOMETHING, in $found; the whole log: $log"
    return 1
  fi
  say "fuzz $1: $(grep -hE 'stat::number_of_executed_units|kernels agree' "$log" | sed 's/.*units: *\(.*\)/\1 inputs/'), nothing found in $seconds s"
}

say "fuzz: ${#targets[@]} targets, $seconds s each, $jobs at a time"
code=0 running=0
for name in "${targets[@]}"; do
  run "$name" &
  running=$((running + 1))
  if [ $running -ge "$jobs" ]; then
    wait -n || code=1
    running=$((running - 1))
  fi
done
while [ $running -gt 0 ]; do
  wait -n || code=1
  running=$((running - 1))
done
exit $code
