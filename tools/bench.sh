#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs every benchmark below bench/, one after the other. Arguments go to the C++ ones
# (--benchmark_filter=...); *gpu*.py need a device. `gpu`: bench/gpu_*.py alone. `vm`: the speed table of the virtual machine
# alone (bench/vm_*.py); arguments go to the scripts then.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$KGB_ROOT/tools/build.sh" release
. "$KGB_ROOT/tools/env.sh"
scripts() { find "$KGB_ROOT/bench" -maxdepth 1 "$@" | sort; }
if [ "${1:-}" = gpu ] || [ "${1:-}" = vm ]; then
  kind=$1
  shift
  while IFS= read -r script; do
    say "== ${script##*/}"
    PYTHONPATH=$KGB_ROOT/python "$KGBENCH_PYTHON" "$script" "$@"
  done < <(scripts -name "${kind}_*.py")
  exit 0
fi
found=0
while IFS= read -r program; do
  found=1
  say "== ${program##*/}"
  "$program" "$@"
done < <(find "$KGB_BUILD/release/bench" -maxdepth 2 -type f -perm -u+x -name '*_bench' | sort)
while IFS= read -r script; do
  found=1
  say "== ${script##*/}"
  PYTHONPATH=$KGB_ROOT/python "$KGBENCH_PYTHON" "$script"
done < <(scripts -name '*.py' ! -name '*gpu*.py')
[ $found = 1 ] || die "no benchmark was built: bench/ has neither a *_bench target nor a script"
