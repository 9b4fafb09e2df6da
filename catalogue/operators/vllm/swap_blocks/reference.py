# SPDX-License-Identifier: Apache-2.0
"""dst[d] = src[s] for each pair (s, d), in order."""


def swap_blocks(src, dst, block_mapping):
    out = dst.clone()
    for s, d in block_mapping.tolist():
        out[d] = src[s]
    return {"dst": out}
