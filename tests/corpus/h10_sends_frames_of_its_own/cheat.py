# SPDX-License-Identifier: Apache-2.0
"""Finds the recorder's channel and sends headers whose parts have other types."""
import sys

frame = sys._getframe()
while frame is not None:
    if "result_fd" in frame.f_locals and callable(frame.f_locals.get("send")):
        frame.f_locals["send"](5)
        frame.f_locals["send"]("s0", autotuned="yes")
        break
    frame = frame.f_back


def rms_norm(out, input, weight, epsilon):
    pass
