# SPDX-License-Identifier: Apache-2.0
"""Without a recurrence: every output as a sum over the tokens before it, decayed by the steps between."""
import numpy as np
import torch


def f64(x):
    return x.to(torch.float64).numpy()


def answer(entry, u, delta, A, B, C, D_, z_, delta_bias_, delta_softplus, query_start_loc, cache_indices,
           has_initial_state, ssm_states, pad_slot_id, **unused):
    varlen = query_start_loc is not None
    y, states, z = f64(delta).copy(), f64(ssm_states).copy(), None if z_ is None else f64(z_).copy()
    for i in range(len(query_start_loc) - 1 if varlen else len(u)):
        slot = i if cache_indices is None else int(cache_indices[i])
        if slot == pad_slot_id:
            continue
        at = (slice(None), slice(int(query_start_loc[i]), int(query_start_loc[i + 1]))) if varlen else i
        x, step = f64(u)[at], f64(delta)[at]
        b, c = (f64(B)[..., at[1]], f64(C)[..., at[1]]) if varlen else (f64(B)[i], f64(C)[i])
        start = f64(ssm_states)[slot] if has_initial_state is not None and bool(has_initial_state[i]) else None
        own = np.zeros_like(x)
        for d in range(len(x)):
            dt = step[d] + (0 if delta_bias_ is None else float(delta_bias_[d]))
            if delta_softplus:
                dt = np.where(dt <= 20, np.logaddexp(0, dt), dt)
            g, a, until = d // (len(x) // len(b)), f64(A)[d], np.cumsum(dt)
            for t in range(len(dt)):
                decay = np.exp(a[:, None] * (until[t] - until[None, : t + 1]))  # [state, token]
                h = (decay * (dt * x[d] * b[g])[:, : t + 1]).sum(1)
                h = h if start is None else h + np.exp(a * until[t]) * start[d]
                own[d, t] = h @ c[g][:, t] + (0 if D_ is None else float(D_[d]) * x[d, t])
                states[slot, d] = h
        y[at] = own
        if z is not None:
            z[at] = own * z[at] / (1 + np.exp(-z[at]))
    found = {"delta": torch.from_numpy(y), "ssm_states": torch.from_numpy(states)}
    return found if z is None else found | {"z_": torch.from_numpy(z)}
