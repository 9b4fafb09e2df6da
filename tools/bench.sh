#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs every benchmark below bench/, one after the other. Arguments go to the C++ ones
# (--benchmark_filter=...); *gpu*.py need a device. `gpu`: bench/gpu_*.py alone. `vm`: the speed table of the virtual machine
# alone (bench/vm_*.py); arguments go to the scripts then.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$KGB_ROOT/tools/build.sh" release
. "$KGB_ROOT/tools/env.sh"
missed=()
# A script that ran and met not all its bars ends with 4: the others still run, and the last line names it.
script() {
  local code=0
  say "== ${1##*/}"
  PYTHONPATH=$KGB_ROOT/python "$KGBENCH_PYTHON" "$@" </dev/null || code=$?
  case $code in
    0) ;;
    4) missed+=("${1##*/}") ;;
    *) die "${1##*/} failed (exit code $code, output above)" ;;
  esac
}
verdict() {
  if [ ${#missed[@]} -gt 0 ]; then say "bars not met, as told above: ${missed[*]}"; fi
}
scripts() { find "$KGB_ROOT/bench" -maxdepth 1 "$@" | sort; }
if [ "${1:-}" = gpu ] || [ "${1:-}" = vm ]; then
  kind=$1
  shift
  while IFS= read -r file; do script "$file" "$@"; done < <(scripts -name "${kind}_*.py")
  verdict
  exit 0
fi
found=0
while IFS= read -r program; do
  found=1
  say "== ${program##*/}"
  "$program" "$@"
done < <(find "$KGB_BUILD/release/bench" -maxdepth 2 -type f -perm -u+x -name '*_bench' | sort)
while IFS= read -r file; do
  found=1
  script "$file"
done < <(scripts -name '*.py' ! -name '*gpu*.py')
[ $found = 1 ] || die "no benchmark was built: bench/ has neither a *_bench target nor a script"
verdict
