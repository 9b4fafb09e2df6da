# SPDX-License-Identifier: Apache-2.0
"""Phantom tensors: genuine CUDA tensors at reserved addresses, with decoy values kept elsewhere."""

import bisect
import mmap

import torch

from .nodes import DTYPE_NAMES, Buffer, View, dtype_name

# No size, stride, hash of usual length or address of this process lies here, so that an integer in the range is an
# address of ours: above what sizes reach, below where Linux puts programs (0x55...) and mappings (0x7...).
FIRST_ADDRESS = 0x3A17_C000_0000
LAST_ADDRESS = 0x4FFF_FFFF_FFFF
ALIGNMENT = 512  # what the device allocator promises; Triton specialises on 16
GAP = 4096       # keeps "one past the end" with its own buffer

DEVICE = torch.device("cuda:0")
_make_storage = torch._C._construct_storage_from_data_pointer
_make_tensor = torch._C._construct_CUDA_Tensor_From_Storage_And_Metadata


def anonymous_bytes(size):
    """A zero-filled CPU byte tensor whose pages cost nothing until they are touched."""
    if size == 0:
        return torch.empty(0, dtype=torch.uint8)
    # Not reserved: a decoy may be as large as a device's memory, and hardly a page of it is ever touched.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
    return torch.frombuffer(mmap.mmap(-1, size, flags=flags), dtype=torch.uint8)


class AddressSpace:
    """Hands out addresses, one twice only where `instead_of` asks for it, and finds the buffer that an address
    belongs to."""

    def __init__(self):
        self._bases = []
        self._buffers = []
        self._next = FIRST_ADDRESS

    def allocate(self, size, kind, job, call, arg=None):
        """A new buffer of `size` bytes; RuntimeError like the device's when it cannot be."""
        if size < 0 or self._next + size > LAST_ADDRESS:
            raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes.")
        buffer = Buffer(self._next, size, kind, job, call, arg)
        self._bases.append(buffer.base)
        self._buffers.append(buffer)
        self._next += (size + GAP + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
        return buffer

    def instead_of(self, old, job, call, arg):
        """A new input in the memory of an input that is gone, of its size."""
        buffer = Buffer(old.base, old.bytes, "input", job, call, arg)
        buffer.reuses = old
        self._buffers[bisect.bisect_right(self._bases, old.base) - 1] = buffer
        return buffer

    def find(self, address):
        """(buffer, byte offset) of an address, one past the end included; None when it is no address of ours."""
        if not FIRST_ADDRESS <= address < self._next:
            return None
        buffer = self._buffers[bisect.bisect_right(self._bases, address) - 1]
        offset = address - buffer.base
        return (buffer, offset) if offset <= buffer.bytes else None


def storage_bytes(shape, strides, itemsize, offset=0):
    """Bytes of the smallest storage that holds the view."""
    if 0 in shape:
        return 0
    return (offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides))) * itemsize


def tensor_on(buffer, shape, strides, dtype, offset=0):
    """A torch.Tensor on cuda:0 over `buffer`; strides and offset in elements."""
    storage = _make_storage(buffer.base, DEVICE, buffer.bytes)
    buffer.storage = storage._weak_ref()
    return _make_tensor({"size": tuple(shape), "stride": tuple(strides), "dtype": dtype, "storage_offset": offset,
                         "device": DEVICE, "nbytes": buffer.bytes, "data_ptr": buffer.base}, storage)


def view_of(space, tensor):
    """The View of a phantom tensor."""
    itemsize = tensor.element_size()
    start = tensor.untyped_storage().data_ptr()
    found = space.find(start + tensor.storage_offset() * itemsize) if start else None
    if found is None:
        return View(None, 0, dtype_name(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()))
    return View(found[0], found[1], dtype_name(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride()),
                tensor.is_conj(), tensor.is_neg())


def released(buffer):
    """Whether the last tensor of a buffer is gone."""
    return buffer.storage is not None and torch.UntypedStorage._expired(buffer.storage)


def part_of(tensor, buffer):
    """(dtype, shape, strides) of a tensor that is a part of its buffer; None when it is all of it, or empty."""
    if covers(tensor, buffer):
        return None
    name, shape, strides = DTYPE_NAMES.get(tensor.dtype), tuple(tensor.shape), tuple(tensor.stride())
    size = tensor.numel() * tensor.element_size()
    whole = size == buffer.bytes == storage_bytes(shape, strides, tensor.element_size())
    return None if name is None or whole or not size else (name, shape, strides)


def covers(tensor, buffer):
    return tensor.is_contiguous() and tensor.numel() * tensor.element_size() == buffer.bytes


def without_bits(tensor):
    """The same elements without the lazy conjugate and negative bits."""
    if tensor.is_conj():
        tensor = torch.conj(tensor)
    return tensor._neg_view() if tensor.is_neg() else tensor


def decoy_bytes(buffer):
    """The CPU bytes that stand for a buffer's contents."""
    if buffer.decoy is None:
        buffer.decoy = anonymous_bytes(buffer.bytes)
    return buffer.decoy


def decoy_of(space, tensor):
    """A CPU tensor with the phantom's shape and strides over its buffer's decoy."""
    view = view_of(space, tensor)
    if view.buffer is None:
        return torch.empty_strided(view.shape, view.strides, dtype=tensor.dtype)
    storage = decoy_bytes(view.buffer).untyped_storage()
    result = torch.empty(0, dtype=tensor.dtype)
    result.set_(storage, view.offset // tensor.element_size(), view.shape, view.strides)
    if view.conj:
        result = result.conj()
    return result._neg_view() if view.neg else result


def decoy_for_domain(buffer, spec, dtype):
    """Gives an integer input decoy values that are valid for its domain; floats stay zero."""
    kind, *params = spec.get("domain") or ["zeros"]
    if dtype.is_floating_point or dtype.is_complex or dtype == torch.bool or buffer.bytes > 1 << 24:
        return
    elements = decoy_bytes(buffer).view(dtype) if buffer.bytes else None
    if elements is None:
        return
    if kind in ("integers", "sorted", "constant") and params and params[0] == int(params[0]) and params[0] != 0:
        limits = torch.iinfo(dtype)  # domains are clamped to the type, as the executor's values are
        elements.fill_(min(max(int(params[0]), limits.min), limits.max))
    elif kind == "permutation":
        elements.copy_(torch.arange(elements.numel()))
    elif kind == "arange":
        start, step = (list(params) + [0, 1][len(params):])[:2]
        elements.copy_(torch.arange(elements.numel()) * int(step) + int(start))
