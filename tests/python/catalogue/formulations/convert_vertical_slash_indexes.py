# SPDX-License-Identifier: Apache-2.0
"""For sorted lines, as sets: intervals that slashes cross are merged first, verticals outside of them follow."""
import torch


def answer(entry, q_seqlens, kv_seqlens, vertical_indexes, slash_indexes, context_size, block_size_M, block_size_N,
           causal):
    batch, heads, nv = vertical_indexes.shape
    rows, ns, m = -(-context_size // block_size_M), slash_indexes.shape[2], block_size_M
    counts, offsets = torch.zeros((batch, heads, rows)).long(), torch.zeros((batch, heads, rows, ns)).long()
    n_columns, indices = torch.zeros((batch, heads, rows)).long(), torch.zeros((batch, heads, rows, nv)).long()
    for b in range(batch):
        kv, shift = int(kv_seqlens[b]), int(kv_seqlens[b]) - int(q_seqlens[b])
        for h in range(heads):
            for r in range(rows):
                if r * m >= int(q_seqlens[b]):
                    continue
                end = (r + 1) * m + shift
                slashes = slash_indexes[b, h].tolist()
                ahead = [s for s in slashes if s < end]
                if ahead:
                    reaches = [max(end - s, m) for s in ahead]
                    intervals = [[reaches[0] - m, reaches[0]]]
                elif slashes[-1] == end:
                    reaches, intervals = [], [[0, m]]
                else:
                    reaches, intervals = [], [[end, end + block_size_N]]
                for reach in reaches[1:]:
                    if reach - m > intervals[-1][1]:
                        intervals.append([reach - m, reach])
                    elif reach > intervals[-1][1]:
                        intervals[-1][1] += m
                blocks = [x for low, high in intervals for x in range(low, min(high, kv), block_size_N)]
                columns = [v for v in vertical_indexes[b, h].tolist()
                           if v < intervals[-1][1] and not any(low <= v < high for low, high in intervals)]
                counts[b, h, r], n_columns[b, h, r] = len(blocks), len(columns)
                offsets[b, h, r, : len(blocks)] = torch.tensor(blocks).long()
                indices[b, h, r, : len(columns)] = torch.tensor(columns).long()
    return {"return[0]": counts, "return[1]": offsets, "return[2]": n_columns, "return[3]": indices}
