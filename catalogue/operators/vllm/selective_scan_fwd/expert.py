# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::selective_scan_fwd: a program keeps the states of a few channels and walks one sequence."""
import triton
import triton.language as tl


@triton.jit
def scan_kernel(u, delta, z, A, B, C, D, bias, states, starts, slots, initial, length, channels, state_size, per_group,
                pad_slot, u_seq, u_row, d_seq, d_row, z_seq, z_row, b_seq, b_group, b_row, c_seq, c_group, c_row,
                s_slot, s_row, VARLEN: tl.constexpr, HAS_Z: tl.constexpr, HAS_D: tl.constexpr, HAS_BIAS: tl.constexpr,
                HAS_SLOTS: tl.constexpr, HAS_INITIAL: tl.constexpr, SOFTPLUS: tl.constexpr, ROWS: tl.constexpr,
                STATES: tl.constexpr):
    sequence = tl.program_id(0)
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    n = tl.arange(0, STATES)
    real = row < channels
    inside = real[:, None] & (n < state_size)[None, :]
    slot = tl.load(slots + sequence).to(tl.int64) if HAS_SLOTS else sequence.to(tl.int64)
    if (not HAS_SLOTS) or (slot != pad_slot):
        first = 0
        if VARLEN:
            first = tl.load(starts + sequence)
            length = tl.load(starts + sequence + 1) - first
        of_a = tl.load(A + row[:, None] * state_size + n[None, :], mask=inside, other=0)
        at_state = states + slot * s_slot + row[:, None] * s_row + n[None, :]
        h = tl.zeros([ROWS, STATES], tl.float32)
        if HAS_INITIAL:
            h = tl.load(at_state, mask=inside & (tl.load(initial + sequence) != 0), other=0).to(tl.float32)
        skip = tl.load(D + row, mask=real, other=0) if HAS_D else tl.zeros([ROWS], tl.float32)
        shift = tl.load(bias + row, mask=real, other=0) if HAS_BIAS else tl.zeros([ROWS], tl.float32)
        # Sequences lie one after the other, or each in its own matrix.
        at_u = u + sequence * u_seq + row * u_row + first
        at_delta = delta + sequence * d_seq + row * d_row + first
        at_z = z + sequence * z_seq + row * z_row + first
        group = (row // per_group)[:, None]
        at_b = B + sequence * b_seq + group * b_group + n[None, :] * b_row + first
        at_c = C + sequence * c_seq + group * c_group + n[None, :] * c_row + first
        for t in range(length):
            x = tl.load(at_u + t, mask=real, other=0).to(tl.float32)
            step = tl.load(at_delta + t, mask=real, other=0).to(tl.float32) + shift
            if SOFTPLUS:
                # log(1 + e): the quotient gives back what the sum 1 + e rounded away.
                e = tl.exp(tl.minimum(step, 20.0))
                one = 1.0 + e
                soft = tl.where(one == 1.0, e, tl.log(one) * (e / tl.where(one == 1.0, 1.0, one - 1.0)))
                step = tl.where(step <= 20.0, soft, step)
            b = tl.load(at_b + t, mask=inside, other=0).to(tl.float32)
            c = tl.load(at_c + t, mask=inside, other=0).to(tl.float32)
            h = tl.exp(step[:, None] * of_a) * h + (step * x)[:, None] * b
            y = tl.sum(h * c, 1) + skip * x
            tl.store(at_delta + t, y.to(delta.dtype.element_ty), mask=real)
            if HAS_Z:
                gate = tl.load(at_z + t, mask=real, other=0).to(tl.float32)
                tl.store(at_z + t, (y * gate / (1.0 + tl.exp(-gate))).to(z.dtype.element_ty), mask=real)
        tl.store(at_state, h.to(states.dtype.element_ty), mask=inside)


def selective_scan_fwd(u, delta, A, B, C, D_, z_, delta_bias_, delta_softplus, query_start_loc, cache_indices,
                       has_initial_state, ssm_states, pad_slot_id, block_size=1024,
                       block_idx_first_scheduled_token=None, block_idx_last_scheduled_token=None,
                       initial_state_idx=None):
    if block_idx_last_scheduled_token is not None:
        raise NotImplementedError("states per block, as the prefix cache keeps them")
    varlen = query_start_loc is not None
    channels, state_size = A.shape
    sequences = query_start_loc.shape[0] - 1 if varlen else u.shape[0]
    # The distance from sequence to sequence, then the other strides; the last is 1.
    seq = lambda x: (0, *x.stride()[:-1]) if varlen else x.stride()[:-1]
    z = delta if z_ is None else z_
    other = lambda x: A if x is None else x
    scan_kernel[(sequences, triton.cdiv(channels, 16))](
        u, delta, z, A, B, C, other(D_), other(delta_bias_), ssm_states, other(query_start_loc), other(cache_indices),
        other(has_initial_state), u.shape[-1], channels, state_size, channels // B.shape[-3], pad_slot_id, *seq(u),
        *seq(delta), *seq(z), *seq(B), *seq(C), ssm_states.stride(0), ssm_states.stride(1), VARLEN=varlen,
        HAS_Z=z_ is not None, HAS_D=D_ is not None, HAS_BIAS=delta_bias_ is not None,
        HAS_SLOTS=cache_indices is not None, HAS_INITIAL=has_initial_state is not None, SOFTPLUS=delta_softplus,
        ROWS=16, STATES=triton.next_power_of_2(state_size))
