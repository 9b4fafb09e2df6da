# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::renorm: a program for a slice; it walks it once for the norm and once to scale."""
import torch
import triton
import triton.language as tl


@triton.jit
def offsets(index, shape, strides):
    """Element offsets of linear indices into the dimensions `shape`, which the operand walks with `strides`."""
    at = index * 0
    rest = index
    for d in tl.static_range(len(shape) - 1, 0, -1):
        at += (rest % shape[d]) * strides[d]
        rest = rest // shape[d]
    return at + rest * strides[0]


@triton.jit
def root(x):
    """The square root rounded to nearest; in f32 the plain one is approximate and flushes subnormals."""
    if x.dtype == tl.float32:
        return tl.sqrt_rn(x)
    else:
        return tl.sqrt(x)


@triton.jit
def renorm_kernel(out, x, p: "fp64", maxnorm: "fp64", n, out_slice, x_slice, shape, out_strides, x_strides,
                  P: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """`shape` and the strides are of the elements in a slice; P names the norms that need no powers."""
    slice = tl.program_id(0).to(tl.int64)
    x += slice * x_slice
    out += slice * out_slice
    p = p.to(COMPUTE)
    maxnorm = maxnorm.to(COMPUTE)
    acc = tl.zeros([BLOCK], COMPUTE)
    for start in range(0, n, BLOCK):
        index = start + tl.arange(0, BLOCK).to(tl.int64)
        a = tl.abs(tl.load(x + offsets(index, shape, x_strides), mask=index < n, other=0).to(COMPUTE))
        if P == 2:
            acc += a * a
        elif P == 1:
            acc += a
        else:
            acc += tl.where(a == 0, 0.0, tl.exp2(p * tl.log2(tl.where(a == 0, 1.0, a))))
    norm = tl.sum(acc, 0)
    if P == 2:
        norm = root(norm)
    elif P == "any":
        norm = tl.where(norm == 0, 0.0, tl.exp2(tl.log2(tl.where(norm == 0, 1.0, norm)) / p))
    factor = tl.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)
    for start in range(0, n, BLOCK):
        index = start + tl.arange(0, BLOCK).to(tl.int64)
        a = tl.load(x + offsets(index, shape, x_strides), mask=index < n).to(COMPUTE)
        tl.store(out + offsets(index, shape, out_strides), (a * factor).to(out.dtype.element_ty), mask=index < n)


def collapse(shape, *strides):
    """Drops dimensions of size 1 and merges neighbours that every operand walks as one; never returns rank 0."""
    merged = []
    for size, *steps in zip(shape, *strides):
        if size == 1:
            continue
        if merged and all(p == s * size for p, s in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    columns = zip(*(merged or [[1] * (1 + len(strides))]))
    return [tuple(column) for column in columns]


def launch(self, p, dim, maxnorm, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    if self.numel():
        dim %= self.dim()
        others = [d for d in range(self.dim()) if d != dim]
        pick = lambda values: [values[d] for d in others]
        shape, *strides = collapse(pick(self.shape), pick(out.stride()), pick(self.stride()))
        n = self.numel() // self.shape[dim]
        renorm_kernel[(self.shape[dim],)](
            out, self, float(p), float(maxnorm), n, out.stride(dim), self.stride(dim), shape, *strides,
            P={1.0: 1, 2.0: 2}.get(float(p), "any"), COMPUTE=tl.float64 if self.dtype == torch.float64 else tl.float32,
            BLOCK=min(1024, triton.next_power_of_2(n)))
    return out


def renorm(self, p, dim, maxnorm):
    return launch(self, p, dim, maxnorm, None)


def renorm_out(self, p, dim, maxnorm, *, out):
    return launch(self, p, dim, maxnorm, out)
