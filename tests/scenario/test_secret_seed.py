# SPDX-License-Identifier: Apache-2.0
"""The seed that hidden workloads and all values follow from is nowhere in the process of a candidate."""
from conftest import kgbench

SEED = 0x5292936DB7EC8C6F

# Walks the recorder's frames from within the import and looks into all that they hold. They hold this text, too:
# what it looks for is written backwards.
DIGS = """
import sys

FORMS = {forms!r}
frame, seen = sys._getframe(1), 0
while frame is not None:
    text = repr(frame.f_locals).lower()
    seen += len(text)
    for form in FORMS:
        if form[::-1] in text:
            raise ValueError("the seed is there")
    frame = frame.f_back
raise ValueError("looked at enough" if seen > 1000 else "saw nothing")
"""


def test_a_candidate_that_digs_in_its_process_does_not_find_the_seed(tmp_path):
    file = tmp_path / "mine.py"
    forms = [str(SEED), str(SEED >> 1), f"{SEED:x}", f"{SEED >> 1:x}"]
    file.write_text(DIGS.format(forms=[form[::-1] for form in forms]))
    done = kgbench("judge", file, "--op", "rms_norm", "--target", "none", "--chip", "cpu", "--seed", f"{SEED:x}")
    assert "ValueError: looked at enough" in done.out, done.out
