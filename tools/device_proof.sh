#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the proof suite on this machine's GPU into tests/device/data; arguments go to tests/device/record.py.
# KGBENCH_PYTHON names an interpreter whose torch sees the GPU.
set -euo pipefail
. "$(dirname "$0")/env.sh"
exec "$KGBENCH_PYTHON" "$KGB_ROOT/tests/device/record.py" "$@"
