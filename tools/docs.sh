#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation site into site/. Any warning, such as a link to nowhere, fails it.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$KGB_ROOT"
tools/setup.sh docs
export NO_MKDOCS_2_WARNING=1 # a notice of the theme about a version that is not used here
step "docs: build site/" "$(venv_path docs requirements/docs.txt)/bin/mkdocs" build --strict --clean
say "docs: open site/index.html"
