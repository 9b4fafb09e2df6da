# SPDX-License-Identifier: Apache-2.0
"""The dispatch mode: every torch operator of host code passes here and becomes a node, an event or nothing."""

import functools
import math

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from . import nodes, operators, phantom
from .operators import base_name, classify

# Above this many elements an operator that only computes decoys is asked for its shape alone.
LARGEST_DECOY_COMPUTE = 1 << 20
# Contents that the recorder follows, so that reading back a small constant is no read of device values.
LARGEST_KNOWN = 1 << 20


def _on_device(value):
    return isinstance(value, torch.Tensor) and value.is_cuda


def _flat(args, kwargs):
    for value in (*args, *kwargs.values()):
        if isinstance(value, (list, tuple)):
            yield from value
        else:
            yield value


def concerns_device(args, kwargs):
    """Whether an operator has a phantom tensor among its arguments or makes one."""
    device = kwargs.get("device")
    if device is not None and torch.device(device).type == "cuda":
        return True
    return any(_on_device(v) for v in _flat(args, kwargs))


def to_meta(tensor):
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")


def map_tensors(value, change):
    """`value` with `change` applied to its tensors; operators nest their arguments at most in lists."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)([map_tensors(v, change) for v in value])
    return value


class RecordingMode(TorchDispatchMode):
    """One per thread of the candidate; all share the recorder."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nothing is traced here, and the wrapper would import the whole of torch._dynamo

    def __init__(self, recorder):
        super().__init__()
        self.recorder = recorder
        self._forbid = operators.forbidden_names(recorder.forbid)
        self._random_storages = {}  # CPU storages with random numbers, kept alive so that addresses stay theirs

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not isinstance(func, torch._ops.OpOverload):
            # A higher-order operator. Triton's wrapper only launches; the others run functions under their own rules.
            if not func.name().startswith("triton_kernel_wrapper"):
                self.recorder.unsupported(f"the higher-order operator {func.name()}")
            return func(*args, **kwargs)
        if not concerns_device(args, kwargs):
            return self._on_host(func, args, kwargs)
        kind = operators.CUSTOM if func.name() in self.recorder.implemented else classify(func)
        if base_name(func) in self._forbid:
            self.recorder.event("helper_is_operator", func.name())
        return self._handlers[kind](self, func, args, kwargs)

    # -- no device involved ----------------------------------------------------------------------------------
    def _on_host(self, func, args, kwargs):
        if kwargs.get("pin_memory"):
            kwargs = {**kwargs, "pin_memory": False}  # pinning needs the driver
        result = func(*args, **kwargs)
        is_random = torch.Tag.nondeterministic_seeded in func.tags
        if is_random or (self._random_storages and any(self._is_random(v) for v in _flat(args, kwargs))):
            for value in result if isinstance(result, (list, tuple)) else (result,):
                if isinstance(value, torch.Tensor) and value.numel():
                    storage = value.untyped_storage()
                    self._random_storages[storage.data_ptr()] = storage
        return result

    def _is_random(self, value):
        return (isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.numel() > 0
                and value.untyped_storage().data_ptr() in self._random_storages)

    # -- new tensors -----------------------------------------------------------------------------------------
    def _meta_result(self, func, args, kwargs):
        kwargs = {k: map_tensors(v, to_meta) for k, v in kwargs.items() if k != "pin_memory"}
        if "device" in func_arguments(func):
            kwargs["device"] = "meta"
        return func(*map_tensors(args, to_meta), **kwargs)

    def new_like(self, meta):
        """A phantom tensor over a new buffer with the shape, strides and dtype of another tensor."""
        shape, strides, dtype = meta.size(), meta.stride(), meta.dtype
        nodes.dtype_name(dtype)
        buffer = self.recorder.allocate(phantom.storage_bytes(shape, strides, meta.element_size()))
        return phantom.tensor_on(buffer, shape, strides, dtype)

    def _allocate(self, func, args, kwargs):
        return self.new_like(self._meta_result(func, args, kwargs))

    def _fill(self, func, args, kwargs):
        meta = self._meta_result(func, args, kwargs)
        name = base_name(func)
        if "full" in name:
            value = args[2] if name == "aten::new_full" else kwargs.get("fill_value", args[1] if len(args) > 1 else 0)
        elif name == "aten::scalar_tensor":
            value = args[0]
        else:
            value = 1 if "ones" in name else 0
        result = self.new_like(meta)
        self._write_constant(result, value, func)
        return result

    def _write_constant(self, tensor, value, func):
        refuse_overlap(tensor)
        element = torch.full((), value, dtype=tensor.dtype)
        if not self._is_plain_number(element):
            return self._upload(tensor, element.expand(tensor.size()), func)
        view = self.recorder.view(tensor)
        if view.conj or view.neg:  # the storage holds what the lazy bits turn into the value
            element = torch.conj_physical(element) if view.conj else element
            element = torch.neg(element) if view.neg else element
            tensor = phantom.without_bits(tensor)
            view = view._replace(conj=False, neg=False)
        self.recorder.fill(view, raw_bytes(element), func.name())
        if view.buffer is None or not tensor.numel():
            return
        whole = tensor.numel() * tensor.element_size() == view.buffer.bytes
        if view.buffer.bytes <= LARGEST_KNOWN and (whole or view.buffer.known):
            phantom.decoy_of(self.recorder.space, tensor).copy_(element)
            view.buffer.known = True
        else:
            view.buffer.known = False

    def _fill_in_place(self, func, args, kwargs):
        target = args[0]
        value = args[1] if len(args) > 1 else kwargs.get("value", 0)
        if isinstance(value, torch.Tensor):
            if value.is_cuda:
                return self._copy_between(target, value, func)
            if value.numel() != 1 or value.dim() != 0:
                raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.dim()}"
                                   " dimensions.")
            self._refuse_random(value)
            value = value.item()
        self._write_constant(target, value, func)
        return target

    def _constant(self, func, args, kwargs):
        result = self.new_like(self._meta_result(func, args, kwargs))
        if not result.numel():
            return result
        name = base_name(func).partition("::")[2]
        parameters = constant_parameters(name, func, args, kwargs)
        make = lambda: func(*args, **{**kwargs, "device": "cpu", "pin_memory": False})
        if result.is_complex() or not all(math.isfinite(p) for p in parameters):
            return self._upload(result, make(), func)  # a plan's constants are finite and real
        view = self.recorder.view(result)
        self.recorder.add(nodes.Constant(name, view, parameters))
        if view.buffer.bytes <= LARGEST_KNOWN:
            phantom.decoy_of(self.recorder.space, result).copy_(make())
            view.buffer.known = True
        return result

    # -- copies ----------------------------------------------------------------------------------------------
    def _copy(self, func, args, kwargs):
        name = base_name(func)
        if name == "aten::copy_":
            target, source = args[0], args[1]
            if not target.is_cuda:
                target.copy_(self._fetch(source, func))
                return target
            return self._copy_in(target, source, func, args[2] if len(args) > 2 else kwargs.get("non_blocking"))
        source = args[0]
        device = kwargs.get("device")
        if source.is_cuda and device is not None and torch.device(device).type != "cuda":
            return func(self._fetch(source, func), *args[1:], **{**kwargs, "non_blocking": False})
        meta = self._meta_result(func, args, kwargs)
        return self._copy_in(self.new_like(meta), source, func, kwargs.get("non_blocking"))

    def _copy_in(self, target, source, func, non_blocking=False):
        if not isinstance(source, torch.Tensor):
            source = torch.tensor(source)
        if source.is_cuda:
            return self._copy_between(target, source, func)
        result = self._upload(target, source, func)
        if not non_blocking:
            self._host_waits()
        return result

    def _host_waits(self):
        """A copy between host and device ends before host code goes on: later work of any stream follows it."""
        streams = self.recorder.streams
        streams.synchronize(streams.current)

    def _copy_between(self, target, source, func):
        source = source.expand(target.size()) if source.size() != target.size() else source
        refuse_overlap(target)
        dst, src = self.recorder.view(target), self.recorder.view(source)
        src = src._replace(conj=src.conj != dst.conj, neg=src.neg != dst.neg)
        dst = dst._replace(conj=False, neg=False)
        follow = src.buffer is not None and dst.buffer is not None and src.buffer.known and \
            dst.buffer.bytes <= LARGEST_KNOWN and (dst.buffer.known or phantom.covers(target, dst.buffer))
        self.recorder.copy(dst, src, func.name())
        if follow:
            phantom.decoy_of(self.recorder.space, target).copy_(phantom.decoy_of(self.recorder.space, source))
            dst.buffer.known = True
        return target

    def _upload(self, target, source, func):
        self._refuse_random(source)
        source = source.detach().resolve_conj().resolve_neg()
        source = source.to(target.dtype) if source.dtype != target.dtype else source
        if not target.numel():
            return target
        # A single number is a fill, unless it may be an address, which only an upload can relocate.
        if source.numel() == 1 and self._is_plain_number(source):
            self._write_constant(target, source.item(), func)
            return target
        landing = target
        if source.size() != target.size() or not target.is_contiguous() or target.is_conj() or target.is_neg():
            source.expand(target.size())  # raises as torch does where the shapes do not fit
            landing = self.new_like(source.contiguous())
        view = self.recorder.view(landing)
        self.recorder.upload(nodes.Pointer(view.buffer, view.offset), raw_bytes(source.contiguous()), func.name())
        if view.buffer.bytes <= LARGEST_KNOWN and (view.buffer.known or phantom.covers(landing, view.buffer)):
            phantom.decoy_of(self.recorder.space, landing).copy_(source)
            view.buffer.known = True
        else:
            view.buffer.known = False
        return target if landing is target else self._copy_between(target, landing, func)

    def _is_plain_number(self, source):
        return source.dtype not in (torch.int64, torch.uint64) or self.recorder.pointer(int(source.item())) is None

    def _refuse_random(self, source):
        if self._is_random(source):
            self.recorder.event("torch_random", "upload of random numbers made on the host")

    # -- views, reads, computation ---------------------------------------------------------------------------
    def _view(self, func, args, kwargs):
        return func(*args, **kwargs)

    def _resize(self, func, args, kwargs):
        tensor, size = args[0], args[1].size() if isinstance(args[1], torch.Tensor) else args[1]
        wanted = (tensor.storage_offset() + math.prod(size)) * tensor.element_size()
        if wanted <= tensor.untyped_storage().nbytes():
            return func(*args, **kwargs)
        if tensor.untyped_storage().nbytes():
            self.recorder.unsupported("resize_ beyond the tensor's storage")
        fresh = self.new_like(torch.empty(size, dtype=tensor.dtype, device="meta"))
        return tensor.set_(fresh.untyped_storage(), 0, fresh.size(), fresh.stride())

    def _values(self, tensor):
        """The decoy's values as a CPU tensor; a device scalar read is never more than this."""
        return phantom.decoy_of(self.recorder.space, tensor)

    def _fetch(self, tensor, func, computes=False):
        """What host code gets of a device tensor, as a CPU tensor: known values, the bytes of a read that the card
        allows, or else a decoy, and an event. What only computes with the values is torch's, and gets no bytes."""
        self._host_waits()
        view = self.recorder.view(tensor)
        if view.buffer is not None:
            self.recorder.touch(view.buffer)
        if view.buffer is None or not tensor.numel() or view.buffer.known or view.buffer.host_readable:
            return self._values(tensor)
        refusal = self.recorder.reads.refusal(view)
        if refusal is None and (computes or self.recorder.discarding):
            refusal = " of an intermediate of its own"
        if refusal is None:
            return self.recorder.reads.read(self.recorder, view, func.name())
        self.recorder.event("host_read", func.name() + refusal)
        return self._values(tensor)

    def _read(self, func, args, kwargs):
        computes = base_name(func) != "aten::_local_scalar_dense"
        values = tree_map(lambda v: self._fetch(v, func, computes) if _on_device(v) else v, (args, kwargs))
        return func(*values[0], **values[1])

    def _random(self, func, args, kwargs):
        self.recorder.event("torch_random", func.name())
        return self._compute_decoys(func, args, kwargs)

    def _compute(self, func, args, kwargs):
        dynamic = torch.Tag.dynamic_output_shape in func.tags or torch.Tag.data_dependent_output in func.tags
        known = all(self._is_known(v) for v in _flat(args, kwargs) if _on_device(v))
        if dynamic and not known:
            self.recorder.event("host_read", func.name())
        self.recorder.event("torch_compute", func.name())
        return self._compute_decoys(func, args, kwargs)

    def _is_known(self, tensor):
        buffer = self.recorder.view(tensor).buffer
        return buffer is None or buffer.known or buffer.host_readable

    def _compute_decoys(self, func, args, kwargs):
        """Results with the right shapes; values are the decoys' own where that is cheap."""
        originals = {}

        def stand_in(make):
            def convert(value):
                if not _on_device(value):
                    return None if isinstance(value, torch._C.Generator) else value
                result = make(value)
                originals[id(result)] = (value, result)
                return result
            return convert

        def attempt(make, device):
            originals.clear()
            new_args, new_kwargs = tree_map(stand_in(make), (args, kwargs))
            if "device" in new_kwargs or ("device" in func_arguments(func) and not originals):
                new_kwargs["device"] = device
            return func(*new_args, **{k: v for k, v in new_kwargs.items() if k != "pin_memory"})

        try:
            if not worth_computing(args, kwargs):
                raise NotImplementedError
            result = attempt(self._values, "cpu")
        except Exception as first:
            try:
                result = attempt(to_meta, "meta")
            except Exception:
                if isinstance(first, NotImplementedError):
                    raise
                raise first from None
        for spec, value in zip(func._schema.arguments, args):
            if spec.alias_info is not None and spec.alias_info.is_write:
                map_tensors(value, self._forget)
        return tree_map(lambda v: self._adopt(v, originals) if isinstance(v, torch.Tensor) else v, result)

    def _forget(self, tensor):
        """The contents of a tensor's buffer are not known any more."""
        buffer = self.recorder.view(tensor).buffer if tensor.is_cuda else None
        if buffer is not None:
            buffer.known = False

    def _adopt(self, value, originals):
        if id(value) in originals:
            self._forget(originals[id(value)][0])
            return originals[id(value)][0]
        if value.layout != torch.strided:
            self.recorder.unsupported(f"a tensor of layout {value.layout}")
        result = self.new_like(value)
        buffer = self.recorder.view(result).buffer
        if value.device.type == "cpu" and buffer is not None and buffer.bytes:
            phantom.decoy_of(self.recorder.space, result).copy_(value)
        return result

    def _custom(self, func, args, kwargs):
        args = numbers_as_tensors(func, args)
        with self:
            keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)
            return func.redispatch(keys, *args, **kwargs)

    def _composite(self, func, args, kwargs):
        with self:
            result = func.decompose(*args, **kwargs)
        return self._compute(func, args, kwargs) if result is NotImplemented else result

    _handlers = {
        operators.ALLOCATE: _allocate, operators.FILL: _fill, operators.FILL_IN_PLACE: _fill_in_place,
        operators.CONSTANT: _constant, operators.COPY: _copy, operators.VIEW: _view, operators.RESIZE: _resize,
        operators.READ: _read, operators.RANDOM: _random, operators.CUSTOM: _custom,
        operators.COMPOSITE: _composite, operators.COMPUTE: _compute}


def worth_computing(args, kwargs):
    """Decoy values are worth computing while arguments and, as far as numbers tell, results are small."""
    return all(v.numel() <= LARGEST_DECOY_COMPUTE if isinstance(v, torch.Tensor)
               else not isinstance(v, int) or v <= LARGEST_DECOY_COMPUTE for v in _flat(args, kwargs))


def numbers_as_tensors(func, args):
    """Host code may pass a number where a schema has a tensor; a kernel called directly wants the tensor."""
    wants = [isinstance(a.type, torch.TensorType) for a in func._schema.arguments]
    return [torch.scalar_tensor(v) if wanted and isinstance(v, (int, float, complex)) else v
            for wanted, v in zip(wants, args)]


def refuse_overlap(tensor):
    """Raises as torch does for a write through a view that names one element twice."""
    if torch._debug_has_internal_overlap(tensor) == 1:
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single "
                           "memory location. Please clone() the tensor before performing the operation.")


@functools.cache
def func_arguments(func):
    return frozenset(a.name for a in func._schema.arguments)


def raw_bytes(tensor):
    """The bytes of a contiguous CPU tensor, elements in order."""
    # A single element counts as contiguous whatever its stride, and a view as bytes wants a stride of 1.
    return bytes(memoryview(tensor.reshape(-1).as_strided((tensor.numel(),), (1,)).view(torch.uint8).numpy()))


def constant_parameters(name, func, args, kwargs):
    """`params` of a constant node: the schema's numbers by name."""
    given = {a.name: v for a, v in zip(func._schema.arguments, args)}
    given.update(kwargs)
    wanted = {"arange": (("start", 0), ("step", 1)), "linspace": (("start", 0), ("end", 0)),
              "tril_indices": (("row", 0), ("col", 0), ("offset", 0))}
    wanted["triu_indices"] = wanted["tril_indices"]
    numbers = [given.get(key, default) for key, default in wanted.get(name, ())]
    return [int(n) if isinstance(n, bool) else n for n in numbers]
