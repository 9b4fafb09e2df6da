#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing: Debian packages (as root) and the Python environments. Does nothing twice.
# usage: tools/setup.sh packages | judge | lint | docs      (judge: torch, triton, numpy, pytest)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

missing_packages() {
  local wanted
  # KGB_MORE_PACKAGES: what a single tool needs on top.
  wanted=$({ grep -v '^#' "$KGB_ROOT/tools/packages.txt"; printf '%s\n' ${KGB_MORE_PACKAGES:-}; } | sort -u | grep .)
  # The status is asked: a removed package with leftover settings is known to dpkg, too.
  # shellcheck disable=SC2016,SC2086
  comm -23 <(echo "$wanted") \
    <({ dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null || true; } | sed -n 's/ installed$//p' | sort -u)
}

# Functions that `step` runs chain their commands: `set -e` does not hold inside them.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q -o DPkg::Lock::Timeout=900 update &&
    apt-get -q install -y --no-install-recommends -o DPkg::Lock::Timeout=900 "$@"
}

packages() {
  if ! command -v dpkg >/dev/null; then
    say "packages: this is no Debian or Ubuntu; what the build needs is listed in tools/packages.txt"
    return
  fi
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then
    say "packages: all there"
  elif [ "$(id -u)" = 0 ]; then
    # shellcheck disable=SC2086
    step "packages: install ${missing% }" apt_install $missing
  else
    say "packages: not root, so these stay missing: ${missing% }"
    say "packages: install them with  sudo apt-get install -y --no-install-recommends ${missing% }"
    say "packages: going on with what is there"
  fi
}

# fill_venv DIR FILE: a fresh environment in DIR from one requirements file.
fill_venv() {
  rm -rf "$1" &&
    "$(base_python)" -m venv "$1" &&
    "$1/bin/python" -m pip install --disable-pip-version-check --no-input --retries 2 --timeout 30 -r "$2" &&
    chmod -R a+rX "$1" &&
    date -u +%FT%TZ >"$1/.complete" # an environment without this mark is a half-made one and is made anew
}

# usable PYTHON: succeeds when it has the versions of torch and Triton that this release was made for.
usable() {
  "$1" - <<'PY' 2>/dev/null
import sys
from importlib.metadata import version
ok = sys.version_info >= (3, 10) and version("torch").startswith("2.11.") and version("triton").startswith("3.6.")
import numpy, torch, triton
sys.exit(0 if ok else 1)
PY
}

# An interpreter on PATH that can take the place of our environment where nothing can be installed.
python_on_path() {
  local name path
  for name in python3 python3.13 python3.12 python3.11 python3.10 python; do
    for path in $(type -ap "$name"); do
      if usable "$path"; then
        echo "$path"
        return 0
      fi
    done
  done
  return 1
}

# make_venv NAME DIR FILE: fills DIR unless it is whole. One maker at a time: others wait and find it done.
make_venv() {
  local name=$1 dir=$2 file=$3
  mkdir -p "$(dirname "$dir")"
  (
    umask 022
    flock 9
    if [ ! -e "$dir/.complete" ]; then
      step "python ($name): make $dir from ${file#"$KGB_ROOT"/}" fill_venv "$dir" "$file"
    fi
  ) 9>"$dir.lock"
}

note_interpreter() {
  mkdir -p "$KGB_BUILD"
  printf '%s\n' "$1" >"$KGB_BUILD/python.new.$$"
  mv "$KGB_BUILD/python.new.$$" "$KGB_BUILD/python"
}

judge() {
  local dir found
  if [ -n "${KGBENCH_PYTHON:-}" ]; then
    usable "$KGBENCH_PYTHON" || die "KGBENCH_PYTHON=$KGBENCH_PYTHON lacks torch 2.11, triton 3.6 or numpy; unset it to have an environment made"
    say "python (judge): $KGBENCH_PYTHON, as KGBENCH_PYTHON says"
    note_interpreter "$KGBENCH_PYTHON"
    return
  fi
  dir=$(venv_path judge "$KGB_ROOT"/requirements/{runtime,test,constraints}.txt)
  if [ -e "$dir/.complete" ]; then
    say "python (judge): $dir is whole"
  elif ! (make_venv judge "$dir" "$KGB_ROOT/requirements/test.txt"); then
    found=$(python_on_path) || die "no environment could be made (is there a network?) and no python on PATH has torch 2.11 and triton 3.6"
    say "python (judge): nothing could be installed; using $found, which has torch and triton of the right versions"
    note_interpreter "$found"
    return
  fi
  note_interpreter "$dir/bin/python"
}

extra() {
  local dir
  dir=$(venv_path "$1" "$KGB_ROOT/requirements/$1.txt")
  if [ ! -e "$dir/.complete" ]; then make_venv "$1" "$dir" "$KGB_ROOT/requirements/$1.txt"; fi
  [ -e "$dir/.complete" ] || die "python ($1): $dir is not whole"
}

case "${1:-}" in
  packages) packages ;;
  judge) judge ;;
  lint | docs | mcp-1 | mcp-2) extra "$1" ;;
  *) die "usage: tools/setup.sh packages | judge | lint | docs | mcp-1 | mcp-2" ;;
esac
