# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::moe_sum: a program adds up one block of columns over the token's experts, in f32."""
import triton
import triton.language as tl


@triton.jit
def moe_sum_kernel(out, x, topk, hidden, x_token, x_expert, x_step, out_token, out_step, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = column < hidden
    x += token * x_token + column * x_step
    total = tl.zeros([BLOCK], tl.float32)
    for expert in range(topk):
        total += tl.load(x + expert * x_expert, mask=inside, other=0).to(tl.float32)
    tl.store(out + token * out_token + column * out_step, total.to(out.dtype.element_ty), mask=inside)


def moe_sum(input, output):
    tokens, topk, hidden = input.shape
    if output.numel() == 0:
        return
    block = min(1024, triton.next_power_of_2(hidden))
    moe_sum_kernel[(tokens, triton.cdiv(hidden, block))](
        output, input, topk, hidden, *input.stride(), *output.stride(), BLOCK=block)
