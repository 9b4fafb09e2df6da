#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the unit tests of the modules that run threads under ThreadSanitizer. Arguments go to ctest.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$KGB_ROOT/tools/build.sh" tsan:unit_tests
# Without address randomisation: GCC 12's runtime refuses layouts of newer kernels.
exec setarch -R ctest --test-dir "$KGB_BUILD/tsan" --output-on-failure -j "$(nproc)" "$@"
