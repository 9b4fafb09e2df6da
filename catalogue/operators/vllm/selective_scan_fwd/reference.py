# SPDX-License-Identifier: Apache-2.0
"""h = exp(dt A) h + dt u B and y = C h + D u along each sequence; delta becomes y, z becomes y silu(z)."""
import torch

from kgbench.oracle import Expected


def scan(u, dt, A, B, C, h):
    """y and its magnitude [D, L] and the last state with its magnitude; error is in units of f32's roundoff."""
    ys, sizes, error = [], [], torch.zeros_like(h)
    for t in range(u.shape[1]):
        step = dt[:, t, None]
        decay, entering = torch.exp(step * A), step * u[:, t, None] * B[:, :, t]
        # The exponent carries the roundings of step, of its product with A and of exp.
        error = decay * error + (4 * abs(step * A) + 2) * decay * abs(h) + 4 * abs(entering)
        h = decay * h + entering
        ys.append((C[:, :, t] * h).sum(1))
        sizes.append((abs(C[:, :, t]) * (error + (2 + 0.5 * h.shape[1] ** 0.5) * abs(h))).sum(1))
    return torch.stack(ys, 1), torch.stack(sizes, 1), h, error + abs(h)


def selective_scan_fwd(u, delta, A, B, C, D_, z_, delta_bias_, delta_softplus, query_start_loc, cache_indices,
                       has_initial_state, ssm_states, pad_slot_id, *unused):
    y, y_size, states = delta.clone(), abs(delta), ssm_states.clone()
    state_size = abs(states)
    gated = None if z_ is None else z_.clone()
    gated_size = None if z_ is None else abs(z_)
    each = A.shape[0] // B.shape[-3]  # channels of a group
    sequences = u.shape[0] if query_start_loc is None else query_start_loc.numel() - 1
    for i in range(sequences):
        slot = i if cache_indices is None else int(cache_indices[i])
        if slot == pad_slot_id and cache_indices is not None:
            continue
        if query_start_loc is None:
            part, b, c = i, B[i], C[i]
        else:
            span = slice(int(query_start_loc[i]), int(query_start_loc[i + 1]))
            part, b, c = (slice(None), span), B[..., span], C[..., span]
        dt = delta[part] + (0 if delta_bias_ is None else delta_bias_[:, None])
        if delta_softplus:
            dt = torch.where(dt <= 20, torch.log1p(torch.exp(dt.clamp_max(20))), dt)
        fresh = has_initial_state is None or not has_initial_state[i]
        h = torch.zeros_like(states[slot]) if fresh else ssm_states[slot]
        b, c = b.repeat_interleave(each, 0), c.repeat_interleave(each, 0)
        own, size, last, last_size = scan(u[part], dt, A, b, c, h)
        if D_ is not None:
            own, size = own + D_[:, None] * u[part], size + abs(D_[:, None] * u[part])
        y[part], y_size[part], states[slot], state_size[slot] = own, size, last, last_size
        if z_ is not None:
            factor = z_[part] * torch.sigmoid(z_[part])
            gated[part] = own * factor
            gated_size[part] = size * abs(factor) + abs(own * factor) * (1 + abs(z_[part]))
    result = {"delta": Expected(y, magnitude=y_size), "ssm_states": Expected(states, magnitude=state_size)}
    if z_ is not None:
        result["z_"] = Expected(gated, magnitude=gated_size)
    return result
