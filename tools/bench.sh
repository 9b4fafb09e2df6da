#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs every benchmark below bench/, one after the other. Arguments go to each (--benchmark_filter=...).
set -euo pipefail
. "$(dirname "$0")/lib.sh"
"$KGB_ROOT/tools/build.sh" release
. "$KGB_ROOT/tools/env.sh"
found=0
while IFS= read -r program; do
  found=1
  say "== ${program##*/}"
  "$program" "$@"
done < <(find "$KGB_BUILD/release/bench" -maxdepth 2 -type f -perm -u+x -name '*_bench' | sort)
[ $found = 1 ] || die "no benchmark was built: bench/ has no *_bench target"
