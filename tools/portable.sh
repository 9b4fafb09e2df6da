#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds dist/kgbench and dist/_kgbench.abi3.so, which need libc and libm only, and proves it: what the loader would
# open is read from the files, and the program is run with no library path of its own.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$KGB_ROOT"
tools/build.sh portable:kgbench,kgb_extension
mkdir -p dist
strip -o dist/kgbench build/portable/apps/kgbench
strip --strip-unneeded -o dist/_kgbench.abi3.so build/portable/python/kgbench/_kgbench.abi3.so
python3 tools/check_portable.py dist/kgbench dist/_kgbench.abi3.so
ldd dist/kgbench
env -i dist/kgbench --version
say "portable: newest symbol version wanted: $(objdump -T dist/kgbench | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)"
