#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The linters, pinned in requirements/lint.txt. Fails on the first kind of finding it meets.
# usage: tools/lint.sh [--changed REF] [--fix]     --changed: clang-tidy only on what differs from REF; --fix: format
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$KGB_ROOT"

ref='' fix=''
while [ $# -gt 0 ]; do
  case $1 in
    --changed) ref=${2:?--changed needs a commit}; shift 2 ;;
    --fix) fix=1; shift ;;
    *) die "usage: tools/lint.sh [--changed REF] [--fix]" ;;
  esac
done

tools/setup.sh packages
tools/setup.sh lint
bin=$(venv_path lint requirements/lint.txt)/bin
build=build/dev
[ -e $build/compile_commands.json ] || step "configure" cmake --preset dev -DPython3_EXECUTABLE="$(base_python)"

format() { git ls-files -z '*.cpp' '*.hpp' | xargs -0 -r "$bin/clang-format" "$@"; }
python_style() { "$bin/ruff" check .; }
tree_rules() { python3 tools/check_floors.py && python3 tools/check_tree.py && python3 tools/check_headers.py; }
tidy() {
  local files=()
  if [ -n "$ref" ]; then
    mapfile -t files < <(git diff --name-only --diff-filter=d "$ref" -- '*.cpp')
    [ ${#files[@]} -gt 0 ] || return 0
  fi
  python3 tools/tidy.py --clang-tidy "$bin/clang-tidy" --build $build --memory "$(venv_home)/tidy" "${files[@]}"
}

if [ -n "$fix" ]; then
  step "clang-format: rewrite" format -i
else
  step "clang-format" format --dry-run -Werror
fi
step "ruff" python_style
step "rules of the tree" tree_rules
step "clang-tidy" tidy
