# SPDX-License-Identifier: Apache-2.0
# The environment in which kgbench runs from the source tree; to be sourced. KGBENCH_PRESET picks the build.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
KGB_PRESET_DIR=$KGB_BUILD/${KGBENCH_PRESET:-release}
export KGBENCH_HOME=${KGBENCH_HOME:-$KGB_ROOT}
export KGBENCH_EXT_DIR=${KGBENCH_EXT_DIR:-$KGB_PRESET_DIR/python/kgbench}
if [ -z "${KGBENCH_PYTHON:-}" ] && [ -r "$KGB_BUILD/python" ]; then
  KGBENCH_PYTHON=$(cat "$KGB_BUILD/python")
fi
export KGBENCH_PYTHON=${KGBENCH_PYTHON:-python3}
