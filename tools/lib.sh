# SPDX-License-Identifier: Apache-2.0
# Shared by the shell tools: where things are, and steps that say what they do and how long it took.
KGB_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
KGB_BUILD=$KGB_ROOT/build

say() { printf '%s\n' "$*"; }

die() {
  printf 'error: %s\n' "$*" >&2
  exit 3
}

# step TITLE COMMAND...: runs the command; its output goes to a log that is shown only when it fails.
# KGBENCH_VERBOSE=1 shows it all, live=1 does so for one step.
step() {
  local title=$1 log begin code=0
  shift
  mkdir -p "$KGB_BUILD/log"
  # A title may list every package of the machine; a file name has 255 bytes.
  log=$KGB_BUILD/log/$(printf '%.80s' "$title" | tr -c 'A-Za-z0-9\n' '-').log
  printf '%s ...\n' "$title"
  begin=$(date +%s.%N)
  if [ -n "${KGBENCH_VERBOSE:-}${live:-}" ]; then
    "$@" || code=$?
  else
    "$@" >"$log" 2>&1 || code=$?
  fi
  if [ $code -ne 0 ]; then
    if [ -n "${KGBENCH_VERBOSE:-}${live:-}" ]; then die "$title failed (exit code $code, output above)"; fi
    tail -n 60 "$log" >&2
    die "$title failed (exit code $code); the whole log: $log"
  fi
  took "$title" "$begin"
}

# took TITLE BEGIN: one closing line with the seconds since BEGIN (date +%s.%N).
took() { awk -v t="$1" -v a="$2" -v b="$(date +%s.%N)" 'BEGIN { printf "%s: %.1f s\n", t, b - a }'; }

# The interpreter that environments are made from: $PYTHON, else Debian's own, else python3 on PATH.
base_python() {
  if [ -n "${PYTHON:-}" ]; then
    command -v "$PYTHON" || die "PYTHON=$PYTHON is no program"
  elif [ -x /usr/bin/python3 ]; then
    echo /usr/bin/python3
  else
    command -v python3 || die "no python3 found; install it, or name one with PYTHON=..."
  fi
}

# Where environments are kept: outside the tree, shared by checkouts, readable to unprivileged users.
venv_home() {
  if [ "$(id -u)" = 0 ]; then echo /var/cache/kgbench; else echo "${XDG_CACHE_HOME:-$HOME/.cache}/kgbench"; fi
}

# venv_path NAME FILE...: the folder of the environment made from these requirement files and this interpreter.
venv_path() {
  local name=$1 hash
  shift
  if [ "$name" = judge ] && [ -n "${KGBENCH_VENV:-}" ]; then
    echo "$KGBENCH_VENV"
    return
  fi
  hash=$({ cat "$@"; "$(base_python)" -V; } | sha256sum | cut -c1-12)
  if [ "$name" = judge ]; then echo "$(venv_home)/venv-$hash"; else echo "$(venv_home)/$name-$hash"; fi
}
