# SPDX-License-Identifier: Apache-2.0
"""What a recording is made of: buffers, views, plan nodes and events, before they become JSON."""

from typing import NamedTuple

import torch

# Names of docs/contracts/call.md. A dtype that is not here cannot be in a plan.
DTYPE_NAMES = {
    torch.bool: "b8", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32",
    torch.int64: "i64", torch.uint16: "u16", torch.uint32: "u32", torch.uint64: "u64",
    torch.float8_e4m3fn: "f8e4m3", torch.float8_e5m2: "f8e5m2", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float32: "f32", torch.float64: "f64", torch.complex64: "c64", torch.complex128: "c128",
}
DTYPES = {name: dtype for dtype, name in DTYPE_NAMES.items()}


class Unsupported(RuntimeError):
    """Host code asked for something that a launch plan cannot hold."""


def dtype_name(dtype):
    """The contract's name of a torch dtype; Unsupported when it has none."""
    try:
        return DTYPE_NAMES[dtype]
    except KeyError:
        raise Unsupported(f"launch plans know no dtype {dtype}; use one of {', '.join(DTYPES)}") from None


def clean_text(text, limit):
    """Text that every JSON reader takes: no lone surrogates, at most `limit` characters."""
    return text[:limit].encode("utf-8", "replace").decode()


def type_name(kind):
    """A class's own name, whatever its metaclass says."""
    return clean_text(type.__dict__["__name__"].__get__(kind), 200)


class Buffer:
    """One allocation in the fake address space. `bytes` is its storage's exact size."""

    __slots__ = ("base", "bytes", "kind", "job", "call", "arg", "decoy", "known", "host_readable", "writable",
                 "storage", "freed", "targets", "reuses")

    def __init__(self, base, size, kind, job, call, arg=None):
        self.base, self.bytes, self.kind, self.job, self.call, self.arg = base, size, kind, job, call, arg
        self.decoy = None           # CPU storage that stands in for the contents, made when first wanted
        self.known = False          # the decoy holds what the device would hold: reading it tells nothing new
        self.host_readable = False  # an input whose real values the card gives to host code
        self.writable = True        # False: an input that the schema does not let the call write
        self.storage = None         # torch's weak reference to the storage, once there is a tensor
        self.freed = None           # of an allocation: Freed, once host code has let go of it
        self.reuses = None          # the input of an earlier call whose memory this one has
        self.targets = set()        # buffers whose addresses the host wrote into this one


class Step:
    """A node in its place: its stream, and the newest steps of other streams that it waits for."""

    __slots__ = ("node", "stream", "tick", "after")

    def __init__(self, node, stream=0, tick=0, after=()):
        self.node, self.stream, self.tick, self.after = node, stream, tick, list(after)


class Freed(NamedTuple):
    """When a buffer was found to be freed: before a step, or (None) by the end of a call."""
    job: int
    call: int
    step: Step | None


class View(NamedTuple):
    buffer: Buffer | None  # None: a tensor without storage
    offset: int            # bytes
    dtype: str
    shape: tuple
    strides: tuple         # elements
    conj: bool = False
    neg: bool = False


class Where(NamedTuple):
    file: str
    line: int


class Kernel:
    """A specialisation: TTIR text with everything that the text does not hold."""

    __slots__ = ("name", "ttir", "options", "signature", "parameters")

    def __init__(self, name, ttir, options, signature, parameters):
        self.name, self.ttir, self.options = name, ttir, options
        self.signature, self.parameters = signature, parameters


class Pointer(NamedTuple):
    buffer: Buffer | None     # None: the null pointer
    offset: int               # bytes
    view: tuple | None = None  # (dtype, shape, strides) of the tensor that was handed over, where it is a part


class Launch(NamedTuple):
    kernel: Kernel
    grid: tuple
    args: list  # Pointer, int or float each
    where: Where


class Fill(NamedTuple):
    dst: View
    value: bytes  # one element
    op: str


class Copy(NamedTuple):
    dst: View
    src: View
    op: str
    where: Where


class Upload(NamedTuple):
    dst: Pointer
    data: bytes
    relocations: list  # (byte, Pointer)
    op: str
    where: Where


class Constant(NamedTuple):
    kind: str
    dst: View
    params: list


class Read(NamedTuple):
    src: View
    data: bytes | None  # None: not known yet, and the plan ends here
    op: str
    where: Where


class Event(NamedTuple):
    kind: str
    what: str
    where: Where


def buffers_of(node):
    """The buffers that a node touches, in order, with repetitions."""
    if isinstance(node, Launch):
        return [a.buffer for a in node.args if isinstance(a, Pointer) and a.buffer is not None]
    if isinstance(node, Copy):
        return [v.buffer for v in (node.dst, node.src) if v.buffer is not None]
    if isinstance(node, Upload):
        return [node.dst.buffer] + [target.buffer for _, target in node.relocations]
    if isinstance(node, Read):
        return [node.src.buffer]
    return [] if node.dst.buffer is None else [node.dst.buffer]
