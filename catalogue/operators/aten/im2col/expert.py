# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::im2col: every output element finds its pixel, or is zero."""
import torch
import triton
import triton.language as tl

@triton.jit
def im2col_kernel(out, x, numel, channels, h, w, columns, ow, kh, kw, dh, dw, ph, pw, sh, sw,
                  out_n, out_row, out_column, x_n, x_c, x_h, x_w, BLOCK: tl.constexpr):
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    column = element % columns
    line = element // columns
    row = line % (channels * kh * kw)
    n = line // (channels * kh * kw)
    j = row % kw
    i = row // kw % kh
    c = row // (kw * kh)
    y = column // ow * sh + i * dh - ph
    z = column % ow * sw + j * dw - pw
    on_image = inside & (y >= 0) & (y < h) & (z >= 0) & (z < w)
    value = tl.load(x + n * x_n + c * x_c + y * x_h + z * x_w, mask=on_image, other=0)
    tl.store(out + n * out_n + row * out_row + column * out_column, value, mask=inside)


def launch(self, kernel_size, dilation, padding, stride, out):
    x = self if self.dim() == 4 else self.unsqueeze(0)  # views: a batch of one
    n, c, h, w = x.shape
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = kernel_size, dilation, padding, stride
    oh = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    ow = (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    if out is None:
        shape = (n, c * kh * kw, oh * ow)
        out = torch.empty(shape if self.dim() == 4 else shape[1:], dtype=self.dtype, device=self.device)
    y = out if self.dim() == 4 else out.unsqueeze(0)
    numel = out.numel()
    if numel:
        im2col_kernel[(triton.cdiv(numel, 1024),)](
            y, x, numel, c, h, w, oh * ow, ow, kh, kw, dh, dw, ph, pw, sh, sw, *y.stride(), *x.stride(), BLOCK=1024)
    return out


def im2col(self, kernel_size, dilation, padding, stride):
    return launch(self, kernel_size, dilation, padding, stride, None)


def im2col_out(self, kernel_size, dilation, padding, stride, *, out):
    return launch(self, kernel_size, dilation, padding, stride, out)
