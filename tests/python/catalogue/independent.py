# SPDX-License-Identifier: Apache-2.0
"""Second formulations of the references, written from the operators' definitions and without looking at the first.

An operator's own file, formulations/<op>.py, comes first: answer(entry, **arguments) gives {path: tensor}.
"""
import functools
import importlib.util
import math
import pathlib

import numpy as np
import scipy.linalg
import torch

FLOAT_KINDS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def answer(op, entry, positional, keywords, named):
    """{path: fp64, complex128, integer or bool tensor}."""
    if own := formulation(op):
        return own.answer(entry["name"], **named)
    if op in SPECIAL:
        return SPECIAL[op](entry["name"], **named)
    return by_torch(entry, named)


@functools.cache
def formulation(op):
    path = pathlib.Path(__file__).parent / "formulations" / f"{op}.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"formulation_{op}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_torch(entry, named):
    """The card's baseline on real CPU tensors, floats widened to fp64."""
    target = named.get("dtype")
    arguments = {name: widened(value, target) for name, value in named.items()}
    if target in FLOAT_KINDS:
        arguments["dtype"] = torch.float64
    if "out_dtype" in arguments:  # the product with a wider result; on the CPU there is only the plain one
        return {"return": torch.matmul(arguments["self"], arguments["mat2"])}
    result = eval(entry["baseline"], {"torch": torch}, arguments)
    results = list(result) if isinstance(result, (tuple, list)) else [result]
    found = {}
    for i, tensor in enumerate(results):
        if not isinstance(tensor, torch.Tensor):  # a number
            tensor = torch.tensor(tensor, dtype={float: torch.float64, complex: torch.complex128}.get(type(tensor)))
        owner = [name for name, value in arguments.items() if value is tensor]
        found[owner[0] if owner else "return" if len(results) == 1 else f"return[{i}]"] = tensor
    return found


def widened(value, target):
    if isinstance(value, list):
        return [widened(v, target) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    if target in FLOAT_KINDS:
        return value.to(target).to(torch.float64)  # computed in the asked type: rounded to it first
    return value.to(torch.float64).clone() if value.is_floating_point() else value.clone()


def array(tensor):
    if tensor.is_complex():
        return tensor.to(torch.complex128).contiguous().numpy()
    return (tensor.to(torch.float64) if tensor.is_floating_point() else tensor).contiguous().numpy()


def tensor(values):
    return torch.from_numpy(np.array(values, order="C"))


def rounded(values, dtype):
    return tensor(values).to(dtype).to(torch.float64).numpy()


def divided(entry, **named):
    self, other, mode = named["self"], named["other"], named.get("rounding_mode")
    a = array(self)
    b = array(other) if isinstance(other, torch.Tensor) else np.full_like(a, other)
    a, b = np.broadcast_arrays(a, b)
    whole = a.dtype.kind == "i"
    with np.errstate(all="ignore"):
        if mode is None:
            q = a.astype(np.float64) / b.astype(np.float64)
        elif mode == "floor":
            q = np.floor_divide(a, b)
        elif whole:
            q = np.vectorize(lambda x, y: int(math.trunc(x / y)), otypes=[np.int64])(a, b) if a.size else a
        else:
            q = np.trunc((a / b) if self.dtype == torch.float64 else (a / b).astype(np.float32).astype(np.float64))
    return {"out" if entry.endswith(("out", "out_mode")) else "return": tensor(q)}


def masked_fill_(entry, self, mask, value):
    filled = self.clone().contiguous()
    flat, chosen = filled.view(-1), mask.expand(self.shape).reshape(-1)
    for i in range(flat.numel()):
        if chosen[i]:
            flat[i] = value  # rounded to self's type by the store
    return {"self": filled.to(torch.float64) if self.is_floating_point() else filled}


def bernoulli(entry, **named):
    p = named.get("p", named["self"])
    p = p.to(torch.float64) if isinstance(p, torch.Tensor) else torch.full(named["self"].shape, p, dtype=torch.float64)
    return {"out" if "out" in entry else "return": p}


def rms_norm(entry, out, input, weight, epsilon):
    x, w = array(input), array(weight)
    rows = x.reshape(-1, x.shape[-1])
    result = np.zeros_like(rows)
    for i, row in enumerate(rows):
        r = 1.0 / math.sqrt(math.fsum(v * v for v in row) / len(row) + epsilon)
        result[i] = rounded(row * r, input.dtype) * w
    return {"out": tensor(result.reshape(x.shape))}


def fused_add_rms_norm(entry, input, residual, weight, epsilon):
    total = rounded(array(input) + array(residual), input.dtype)
    normed = rms_norm(entry, None, tensor(total).to(input.dtype), weight, epsilon)["out"]
    return {"input": normed, "residual": tensor(total)}


def rotary_embedding(entry, positions, query, key, head_size, cos_sin_cache, is_neox):
    cache = array(cos_sin_cache)
    half = cache.shape[1] // 2
    spots = array(positions).reshape(-1)

    def turn(x):
        flat = array(x).copy().reshape(len(spots), -1, head_size)
        for t, spot in enumerate(spots):
            for h in range(flat.shape[1]):
                for i in range(half):
                    p, q = (i, i + half) if is_neox else (2 * i, 2 * i + 1)
                    z = complex(flat[t, h, p], flat[t, h, q]) * complex(cache[spot, i], cache[spot, half + i])
                    flat[t, h, p], flat[t, h, q] = z.real, z.imag
        return tensor(flat.reshape(x.shape))

    return {"query": turn(query)} | ({} if key is None else {"key": turn(key)})


def topk_softmax(entry, topk_weights, topk_ids, token_expert_indices, gating_output, renormalize=False):
    logits = array(gating_output)
    tokens, k = topk_weights.shape
    weights, ids, places = np.zeros((tokens, k)), np.zeros((tokens, k), np.int64), np.zeros((tokens, k), np.int64)
    for t, row in enumerate(logits):
        order = sorted(range(len(row)), key=lambda e: (-row[e], e))[:k]
        total = math.fsum(math.exp(v - max(row)) for v in row)
        chosen = [math.exp(row[e] - max(row)) / total for e in order]
        weights[t] = [w / math.fsum(chosen) for w in chosen] if renormalize else chosen
        ids[t], places[t] = order, [j * tokens + t for j in range(k)]
    return {"topk_weights": tensor(weights), "topk_ids": tensor(ids), "token_expert_indices": tensor(places)}


def scaled_int8_quant(entry, input, scale=None, azp=None, symmetric=True):
    f = np.float32
    x = array(input).astype(f)
    rows = x.reshape(-1, x.shape[-1])
    codes = np.zeros(rows.shape, np.int64)
    scales, zeros = np.zeros((len(rows), 1)), np.zeros((len(rows), 1), np.int64)
    for i, row in enumerate(rows):
        zero = 0
        if scale is not None:
            s = f(scale.item())
            zero = 0 if azp is None else int(azp.item())
            quotient = row / s if azp is None else row * (f(1) / s)
        elif symmetric:
            top = max(abs(v) for v in row)
            scales[i] = float(top) / 127
            quotient = row * (f(127) / top) if top else row
        else:
            step = (max(row) - min(row)) / f(255)
            zero = int(np.rint(f(-128) - min(row) / step))
            scales[i], zeros[i] = step, zero
            quotient = row * (f(1) / step)
        codes[i] = [min(127, max(-128, int(np.rint(v)) + zero)) for v in quotient]
    found = {"return[0]": tensor(codes.reshape(x.shape))}
    if scale is None:
        found["return[1]"] = tensor(scales)
    if scale is None and not symmetric:
        found["return[2]"] = tensor(zeros)
    return found


def gemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    a, b, c = array(A), array(B), array(C).copy()

    def element(flat, trans, i, j, ld):
        v = flat[i + j * ld] if trans == "N" else flat[j + i * ld]
        return np.conj(v) if trans == "C" else v

    for j in range(n):
        for i in range(m):
            value = 0 if beta == 0 else beta * c[i + j * ldc]
            if alpha != 0 and k > 0:
                left = np.array([element(a, transa, i, p, lda) for p in range(k)])
                right = np.array([element(b, transb, p, j, ldb) for p in range(k)])
                value = value + alpha * np.sum(left * right)
            c[i + j * ldc] = value
    return tensor(c)


def sgemm(entry, **named):
    return {"C": gemm(**named)}


def hgemm_batched(entry, batch, A, B, C, **named):
    return {f"C[{i}]": gemm(A=A[i], B=B[i], C=C[i], **named) for i in range(batch)}


def sdot(entry, n, x, incx, y, incy, result):
    a, b = array(x), array(y)
    walk = lambda v, inc: v[::inc][:n] if inc > 0 else v[: 1 + (n - 1) * -inc][::inc][:n]
    products = walk(a, incx) * walk(b, incy) if n > 0 else np.zeros(0)
    return {"result": tensor(np.array([math.fsum(products)]))}


def strsm(entry, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb):
    out = array(B).copy()
    if m == 0 or n == 0:
        return {"B": tensor(out)}
    columns = np.lib.stride_tricks.as_strided(out, (m, n), (8, 8 * ldb))
    if alpha == 0:
        columns[:] = 0
        return {"B": tensor(out)}
    order = m if side == 0 else n
    flat = array(A)
    a = np.array([[flat[i + j * lda] for j in range(order)] for i in range(order)])
    named = np.tril(np.ones((order, order), bool)) if uplo == 0 else np.triu(np.ones((order, order), bool))
    a = np.where(named & ~(np.eye(order, dtype=bool) & bool(diag)), a, np.eye(order))
    a = np.where(named, a, 0)
    t = a.T if trans else a
    b = alpha * columns
    columns[:] = scipy.linalg.solve(t, b) if side == 0 else scipy.linalg.solve(t.T, b.T).T
    return {"B": tensor(out)}


SPECIAL = {
    "div": divided, "masked_fill_": masked_fill_, "bernoulli": bernoulli, "rms_norm": rms_norm,
    "fused_add_rms_norm": fused_add_rms_norm, "rotary_embedding": rotary_embedding, "topk_softmax": topk_softmax,
    "scaled_int8_quant": scaled_int8_quant,
    "Sgemm": sgemm, "Cgemm": sgemm, "HgemmBatched": hgemm_batched, "Sdot": sdot, "Strsm": strsm,
}
