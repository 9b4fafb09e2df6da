# SPDX-License-Identifier: Apache-2.0
"""One launch: Triton's arguments and grid, handed to the virtual machine with the memory that they may reach."""
import gc
import operator
import sys

import torch

from . import faults, fresh, host
from .settings import settings

try:
    from kgbench import _kgbench
except ImportError as error:  # said by driver.check_extension()
    _kgbench, missing = None, error

GRID_LIMITS = (2**31 - 1, 65535, 65535)
SHORT_RUN = 3e-4  # seconds of work below which starting a thread costs more than it saves
_native = torch._C.DisableTorchFunction  # the launcher wants what is, not what host.py tells host code


class Notes:
    """Where kgbench.author's lazily compiled kernels say what they assumed; nothing here depends on it."""

    @staticmethod
    def event(kind, text):
        pass


class Launcher:
    """Stands where Triton's CUDA launcher stands. One per compiled kernel."""

    recorder = Notes

    def __init__(self, source, metadata):
        self._name = metadata.name
        self._arguments = _flatten_signature(source)
        self._past_run = None  # seconds of processor time that the last launch took
        self._text = None

    def _first_sight(self, text):
        self._text = text
        # Atomics run in the order of the programs, on one thread: float sums then come out the same every time.
        self._ordered = b"tt.atomic" in text
        self._follows_integers = b"tt.int_to_ptr" in text

    def _threads(self, programs):
        count = settings.thread_count()
        if self._ordered or count == 1:
            return 1
        if self._past_run is None:
            return count if programs >= 16 * count else 1
        return 1 if self._past_run < SHORT_RUN else count

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *args):
        grid = (operator.index(x), operator.index(y), operator.index(z))
        programs = grid[0] * grid[1] * grid[2]
        if getattr(enter, "calls", None):
            enter(launch_metadata)
        if programs > 0:
            self._run(grid, programs, function, args)
        elif min(grid) < 0:
            raise RuntimeError(f"kgvm: {self._name}: the grid {grid} is negative")
        if getattr(leave, "calls", None):
            leave(launch_metadata)

    def _run(self, grid, programs, text, args):
        if grid[1] > GRID_LIMITS[1] or grid[2] > GRID_LIMITS[2] or grid[0] > GRID_LIMITS[0]:
            raise RuntimeError(f"Triton Error [CUDA]: invalid argument (the grid of {self._name} is {grid}; a GPU takes "
                               f"at most {GRID_LIMITS})")
        if text is not self._text:
            self._first_sight(text)
        with _native():
            memory = Reachable()
            values = [convert(memory, args, *argument) for argument in self._arguments]
            if self._follows_integers or memory.strangers:
                memory.add_every_tensor()
            buffers, values = memory.settle(values)
        checks = _checks(buffers)
        threads = self._threads(programs)
        try:
            result = _kgbench.vm_run(text, grid, values, buffers, threads, 0, settings.seconds, settings.order,
                                     settings.seed, settings.tf32, settings.poison, contraction=settings.contraction,
                                     flush_denormals=settings.flush_denormals,
                                     exact_remainder=settings.exact_remainder, **checks)
        except ValueError as error:
            raise RuntimeError(f"kgvm: {self._name} cannot run on the virtual machine: {error}") from None
        self._past_run = result["seconds"] * threads
        if result["printed"]:
            sys.stdout.write(result["printed"])
            sys.stdout.flush()
        if result["findings"]:
            faults.report(self._name, result["findings"], settings.on_finding)


class Reachable:
    """The buffers of one launch: no two overlap, and each knows the argument that it came with."""

    def __init__(self):
        self._places = {}      # first byte -> position in _spans
        self._spans = []       # [first byte, past the last byte, name]
        self.strangers = False  # a pointer that came without its tensor

    def pointer(self, name, tensor):
        address = tensor.data_ptr()
        if settings.bounds == "tensor" and tensor.numel():
            steps = [(n - 1) * s for n, s in zip(tensor.shape, tensor.stride())]
            first, size = address, (sum(steps) + 1) * tensor.element_size()
        else:
            storage = tensor.untyped_storage()
            first, size = storage.data_ptr(), storage.nbytes()
        place = self._places.get(first)
        if place is None:
            place = self._places[first] = len(self._spans)
            self._spans.append([first, first + size, name])
        elif first + size > self._spans[place][1]:
            self._spans[place][1] = first + size
        return ("ptr", place, address - first)

    def add_every_tensor(self):
        """Every tensor that lives: kernels that make pointers of integers may reach any of them."""
        for thing in gc.get_objects():
            if issubclass(type(thing), torch.Tensor) and thing.device.type == "cpu" and thing.layout == torch.strided:
                try:
                    self.pointer(f"a tensor of shape {tuple(thing.shape)}", thing)
                except RuntimeError:  # a tensor without storage
                    continue

    def settle(self, values):
        """(buffers for the machine, values that point into them): overlapping spans become one."""
        spans = sorted((first, past, place) for place, (first, past, _) in enumerate(self._spans))
        merged, new_place, moved = [], {}, False
        for first, past, place in spans:
            if merged and first < merged[-1][1]:  # two storages over one piece of memory
                merged[-1][1] = max(merged[-1][1], past)
                merged[-1][2] = min(merged[-1][2], place)
                moved = True
            else:
                merged.append([first, past, place])
            new_place[place] = len(merged) - 1
        if not moved:
            return [(name, first, past - first, True) for first, past, name in self._spans], values
        buffers = [(self._spans[place][2], first, past - first, True) for first, past, place in merged]
        values = [("ptr", new_place[v[1]], v[2] + self._spans[v[1]][0] - buffers[new_place[v[1]]][1])
                  if type(v) is tuple and v[1] >= 0 else v for v in values]
        return buffers, values


def has_sanitizer():
    """Whether this build of the machine has more checks than bounds."""
    return "sanitize=" in (_kgbench.vm_run.__doc__ or "")


def _checks(buffers):
    """Arguments of vm_run for the sanitizer."""
    if not settings.checks:
        return {}
    undefined = [i for i, (_, first, _, _) in enumerate(buffers) if fresh.is_unwritten(first)]
    for i in undefined:  # by this launch at the latest, as far as the next one can know
        fresh.written(buffers[i][1])
    return {"sanitize": settings.checks, "undefined": undefined}


def _flatten_signature(source):
    """(name, kind, path in the arguments, part of a descriptor or None) of everything that the kernel is passed."""
    flat = []

    def walk(name, kind, path):
        if isinstance(kind, (tuple, list)):
            for i, item in enumerate(kind):
                walk(f"{name}[{i}]", item, path + (i,))
        elif kind.startswith("tensordesc"):
            rank = kind[kind.index("[") + 1:kind.index("]")].count(",") + 1
            flat.append((name, "*", path, ("base", 0)))
            flat.extend((f"{name}.{part}[{i}]", "i64", path, (part, i)) for part in ("shape", "strides")
                        for i in range(rank))
        elif kind != "constexpr":
            flat.append((name, kind, path, None))

    names = getattr(getattr(source, "fn", None), "arg_names", None)
    for i, (name, kind) in enumerate(source.signature.items()):
        walk(names[name] if names and isinstance(name, int) else str(name), kind, (i,))
    return flat


def convert(memory, args, name, kind, path, part):
    """One argument as the machine takes it; errors are those of Triton's own launcher."""
    value = args[path[0]]
    for i in path[1:]:
        value = value[i]
    if part is not None:
        value = _descriptor_part(name, value, *part)
    if kind[0] == "*":
        return _pointer(memory, name, value)
    if isinstance(value, (int, float)):
        return float(value) if kind[0] in "fb" else int(value)
    return float(value) if kind[0] in "fb" else operator.index(value)


def _descriptor_part(name, descriptor, part, i):
    if part == "base":
        if descriptor.padding != "zero":
            raise RuntimeError(f"kgvm: {name}: a host descriptor with padding=\"{descriptor.padding}\" is not supported; "
                               "make it in the kernel (tl.make_tensor_descriptor) or pad with zero")
        return descriptor.base
    return operator.index(getattr(descriptor, part)[i])


def _pointer(memory, name, value):
    while not isinstance(value, torch.Tensor) and hasattr(value, "base"):  # triton.reinterpret
        value = value.base
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise ValueError(f"Pointer argument {name} is a tensor on {value.device}, which kgvm cannot read")
        if settings.cpu_tensors == "refuse" and host.says_cpu(value):
            raise ValueError(f"Pointer argument {name} cannot be accessed from Triton (cpu tensor?)")
        return memory.pointer(name, value)
    if value is None:
        return ("ptr", -1, 0)
    if not isinstance(value, int) and not hasattr(value, "data_ptr"):
        raise TypeError("Pointer argument must be either uint64 or have data_ptr method")
    memory.strangers = True
    return value if isinstance(value, int) else value.data_ptr()
