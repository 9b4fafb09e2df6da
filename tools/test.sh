#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs every test; the last lines printed are ctest's own summary. Arguments go to ctest.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$KGB_ROOT/tools/build.sh" release asan-ubsan:unit_tests
. "$KGB_ROOT/tools/env.sh"
# Three tests for two processors: one of them mostly waits for a start or for another process.
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$((($(nproc) * 3 + 1) / 2))}

skip=()
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
  say "tests: no GPU here, so those labelled gpu are left out"
  skip=(-LE gpu)
fi
code=0
ctest --test-dir "$KGB_BUILD/release" --output-on-failure --no-label-summary "${skip[@]}" "$@" |
  tee "$KGB_BUILD/log/ctest.log" || code=$?
# ctest lists skipped tests after its summary; the summary stays last.
if ! tail -n 2 "$KGB_BUILD/log/ctest.log" | grep -q 'Total Test time'; then
  grep -E 'tests passed|Total Test time' "$KGB_BUILD/log/ctest.log" || true
fi
exit $code
