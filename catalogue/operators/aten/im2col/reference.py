# SPDX-License-Identifier: Apache-2.0
"""Row (c, i, j), column (y, x): self[c, y stride + i dilation - padding, x stride + j dilation - padding], or zero."""
import torch


def im2col(self, kernel_size, dilation, padding, stride):
    x = self if self.dim() == 4 else self.unsqueeze(0)
    n, c, h, w = x.shape
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = kernel_size, dilation, padding, stride
    oh = (h + 2 * ph - dh * (kh - 1) - 1) // sh + 1
    ow = (w + 2 * pw - dw * (kw - 1) - 1) // sw + 1
    padded = torch.zeros((n, c, h + 2 * ph, w + 2 * pw), dtype=x.dtype)
    padded[:, :, ph:ph + h, pw:pw + w] = x
    out = torch.empty((n, c, kh, kw, oh, ow), dtype=x.dtype)
    for i in range(kh):
        for j in range(kw):
            rows, columns = i * dh + sh * torch.arange(oh), j * dw + sw * torch.arange(ow)
            out[:, :, i, j] = padded[:, :, rows][:, :, :, columns]
    out = out.reshape(n, c * kh * kw, oh * ow)
    return out if self.dim() == 4 else out[0]


def im2col_out(self, kernel_size, dilation, padding, stride, *, out):
    return {"out": im2col(self, kernel_size, dilation, padding, stride)}
