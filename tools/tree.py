# SPDX-License-Identifier: Apache-2.0
"""What the structure checks share: the files of the tree and how a finding is reported."""
import subprocess
import sys
from pathlib import Path

SKIPPED = {"build", "site", "dist", "runs", "__pycache__", ".git"}


def files(root):
    """Paths of all files that git tracks or would track, relative to root; without git, of all but build outputs."""
    git = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True)
    if git.returncode == 0:
        names = [Path(name) for name in git.stdout.decode().split("\0") if name]
    else:
        names = [path.relative_to(root) for path in Path(root).rglob("*") if not SKIPPED & set(path.relative_to(root).parts)]
    return sorted(name for name in names if (Path(root) / name).is_file())


def report(findings, held):
    """Prints the findings and ends the program: 1 when there are any, else 0 with one line that says what held."""
    for finding in findings:
        print(finding, file=sys.stderr)
    if findings:
        sys.exit(1)
    print(held)
    sys.exit(0)
