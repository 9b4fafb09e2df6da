#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs pytest on the given files with the interpreter of the judge; how ctest runs the Python tests.
set -euo pipefail
. "$(dirname "$0")/env.sh"
export PYTHONPATH=$KGB_ROOT/python${PYTHONPATH:+:$PYTHONPATH}
export KGBENCH_BINARY=${KGBENCH_BINARY:-$KGB_PRESET_DIR/apps/kgbench}
exec "$KGBENCH_PYTHON" -m pytest -q -p no:cacheprovider "$@"
