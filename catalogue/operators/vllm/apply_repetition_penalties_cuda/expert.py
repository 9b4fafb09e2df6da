# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::apply_repetition_penalties_cuda: one block of one row per program."""
import triton
import triton.language as tl


@triton.jit
def penalty_kernel(logits, prompt_mask, output_mask, penalties, vocabulary, logits_row, logits_step, prompt_row,
                   prompt_step, output_row, output_step, penalties_step, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < vocabulary
    seen = tl.load(prompt_mask + row * prompt_row + column * prompt_step, mask=inside, other=0) != 0
    seen |= tl.load(output_mask + row * output_row + column * output_step, mask=inside, other=0) != 0
    penalty = tl.load(penalties + row * penalties_step).to(tl.float32)
    at = logits + row * logits_row + column * logits_step
    x = tl.load(at, mask=seen, other=0).to(tl.float32)
    penalised = tl.where(x > 0, tl.div_rn(x, tl.full([BLOCK], penalty, tl.float32)), x * penalty)
    tl.store(at, penalised.to(logits.dtype.element_ty), mask=seen)  # unseen tokens are not touched


def apply_repetition_penalties_cuda(logits, prompt_mask, output_mask, repetition_penalties):
    if logits.numel() == 0:
        return
    rows, vocabulary = logits.shape
    block = min(1024, triton.next_power_of_2(vocabulary))
    penalty_kernel[(rows, triton.cdiv(vocabulary, block))](
        logits, prompt_mask, output_mask, repetition_penalties, vocabulary, *logits.stride(), *prompt_mask.stride(),
        *output_mask.stride(), repetition_penalties.stride(0), BLOCK=block)
