# SPDX-License-Identifier: Apache-2.0
"""Host code written for a GPU, on CPU tensors: `device='cuda'` makes CPU tensors that say they are on cuda:0.

Every tensor says so, but those that host code keeps on the CPU: made without a device or with device='cpu', results
of .cpu() and of operators on such tensors. Where this file does not know, the answer is cuda. It decides what a tensor
says, never where it lies: that is the CPU's memory in either case, so autograd and every operator of torch work.
"""
import functools
import threading
import weakref

import torch
import torch.utils._device as torch_device
from torch.overrides import TorchFunctionMode

from . import cuda_api, fresh
from .settings import settings

installed = False
had_gpu = False
CPU, CUDA = torch.device("cpu"), torch.device("cuda", 0)
_on_cpu = {}  # id of a tensor that says it is on the CPU -> weak reference to it


def says_cpu(tensor):
    return id(tensor) in _on_cpu


def _say_cpu(tensor):
    key = id(tensor)
    if key not in _on_cpu:
        _on_cpu[key] = weakref.ref(tensor, lambda _: _on_cpu.pop(key, None))


def _say_cuda(tensor):
    _on_cpu.pop(id(tensor), None)


def _tensors(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _label(result, cpu):
    for tensor in _tensors((result,)):
        (_say_cpu if cpu else _say_cuda)(tensor)


def _names_cuda(device):
    """True, False, or None for what names no device that is mapped (None, 'meta')."""
    if isinstance(device, str):
        kind = device.split(":", 1)[0]
    elif isinstance(device, torch.device):
        kind = device.type
    elif isinstance(device, int) and not isinstance(device, bool):
        kind = "cuda"  # a number is an index of the accelerator
    else:
        return None
    if kind == "cuda":
        index = torch.device(device).index if not isinstance(device, int) else device
        if index not in (None, 0):
            raise RuntimeError(f"CUDA error: invalid device ordinal (cuda:{index}; kgvm has one device)")
    return {"cuda": True, "cpu": False}.get(kind)


class HostMode(TorchFunctionMode):
    """Sees every torch function of a thread before torch does."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        handler = _handlers.get(func)
        if handler is not None:
            return handler(func, args, kwargs)
        cuda = None
        if kwargs:
            cuda = _names_cuda(kwargs.get("device"))
            if cuda:
                kwargs = {**kwargs, "device": CPU}
            if kwargs.get("pin_memory"):
                kwargs = {**kwargs, "pin_memory": False}
        result = func(*args, **kwargs)
        if settings.checks:
            fresh.watch(getattr(func, "__name__", ""), result, _tensors((*args, *kwargs.values())))
        if isinstance(result, (torch.Tensor, list, tuple)):
            self._label(result, cuda, args, kwargs)
        return result

    @staticmethod
    def _label(result, cuda, args, kwargs):
        if cuda is None:
            given = list(_tensors((*args, *kwargs.values())))
            if given:
                if not _on_cpu or not all(says_cpu(t) for t in given):
                    return  # the rule: a result is on the device
                cuda = False
            else:
                default = torch_device.CURRENT_DEVICE
                cuda = default is not None and default.type == "cuda"
        if not cuda:
            _label(result, True)


def _moved(tensor, result, cuda):
    """The result of a move: a copy where a device would have made one."""
    if says_cpu(tensor) == cuda and result.data_ptr() == tensor.data_ptr():
        result = result.clone()
    (_say_cuda if cuda else _say_cpu)(result) if result is not tensor else None
    return result


def _to(func, args, kwargs):
    tensor, place = args[0], kwargs.get("device")
    if place is None and len(args) > 1:
        place = args[1]
    if isinstance(place, torch.Tensor):
        cuda = not says_cpu(place)
    else:
        cuda = _names_cuda(place)
    other = kwargs.get("other")
    if isinstance(other, torch.Tensor):
        cuda = not says_cpu(other)
    if cuda is True and not isinstance(place, torch.Tensor) and other is None:
        if "device" in kwargs:
            kwargs = {**kwargs, "device": CPU}
        else:
            args = (tensor, CPU, *args[2:])
    result = func(*args, **kwargs)
    if cuda is None:
        if says_cpu(tensor):
            _say_cpu(result)
        return result
    return _moved(tensor, result, cuda)


def _cuda(func, args, kwargs):
    _names_cuda(args[1] if len(args) > 1 else kwargs.get("device"))
    return _moved(args[0], torch.Tensor.cpu(args[0]), True)


def _cpu(func, args, kwargs):
    return _moved(args[0], func(*args, **kwargs), False)


def _as_tensor(func, args, kwargs):
    cuda = _names_cuda(kwargs.get("device"))
    if cuda:
        kwargs = {**kwargs, "device": CPU}
    if len(args) > 2:
        cuda = _names_cuda(args[2])
        args = (*args[:2], CPU if cuda else args[2], *args[3:])
    result = func(*args, **kwargs)
    source = args[0] if args else kwargs.get("data")
    if cuda is not None and isinstance(source, torch.Tensor):
        return _moved(source, result, cuda)
    if cuda is not None:
        _label(result, not cuda)
    else:
        HostMode._label(result, None, args, kwargs)
    return result


def _type(func, args, kwargs):
    if len(args) == 1 and not kwargs.get("dtype"):
        name = func(*args, **kwargs)
        return name if says_cpu(args[0]) else name.replace("torch.", "torch.cuda.", 1)
    args = tuple(a.replace("torch.cuda.", "torch.") if isinstance(a, str) else a for a in args)
    result = func(*args, **kwargs)
    if says_cpu(args[0]):
        _say_cpu(result)
    return result


def _getter(name, of_cuda):
    native = getattr(torch.Tensor, name).__get__

    def get(func, args, kwargs):
        value = native(*args)
        real = torch.Tensor.device.__get__(args[0])
        return of_cuda if real.type == "cpu" and not says_cpu(args[0]) else value

    return native, get


def _set_data(func, args, kwargs):
    func(*args, **kwargs)
    (_say_cpu if says_cpu(args[1]) else _say_cuda)(args[0])


def _handler_table():
    tensor = torch.Tensor
    table = dict([_getter("device", CUDA), _getter("is_cuda", True), _getter("is_cpu", False)])
    table.update({
        tensor.to: _to, tensor.cuda: _cuda, tensor.cpu: _cpu, tensor.type: _type,
        torch.as_tensor: _as_tensor, torch.asarray: _as_tensor,
        tensor.get_device: lambda func, args, kwargs: -1 if says_cpu(args[0]) else 0,
        tensor.pin_memory: lambda func, args, kwargs: args[0],
        tensor.is_pinned: lambda func, args, kwargs: False,
        tensor.data.__set__: _set_data,
        torch._C._nn._parse_to: lambda func, args, kwargs: func(*args, **kwargs),  # only reads what .to() was given
    })
    return table


_handlers = {}


class _GeneratorKind(type):
    def __instancecheck__(cls, thing):
        return isinstance(thing, _native_generator)


_native_generator = torch.Generator


class Generator(metaclass=_GeneratorKind):
    """torch.Generator, of the CPU wherever host code wants it."""

    def __new__(cls, device="cpu"):
        return _native_generator(CPU if _names_cuda(device) else device)


def _default_device(mode, func, types, args=(), kwargs=None):
    """torch.utils._device.DeviceContext without a real device. As `with torch.device(..)` it stands above HostMode,
    which then sees the device; as torch.set_default_device() it stands below everything."""
    kwargs = kwargs or {}
    if func in torch_device._device_constructors() and kwargs.get("device") is None:
        lowest = torch._C._len_torch_function_stack() == 0
        kwargs = {**kwargs, "device": CPU if lowest and mode.device.type == "cuda" else mode.device}
    return func(*args, **kwargs)


def _under_mode(function):
    """`function`, with the mode on: torch turns it off around what a torch function calls."""
    @functools.wraps(function)
    def run(*args, **kwargs):
        if torch._C._len_torch_function_stack():
            return function(*args, **kwargs)
        with HostMode():
            return function(*args, **kwargs)

    return run


def _wrap(owner, name, change):
    native = getattr(owner, name)

    @functools.wraps(native)
    def wrapped(*args, **kwargs):
        return change(native, *args, **kwargs)

    setattr(owner, name, wrapped)


def _patch_torch():
    def autocast(native, self, device_type, dtype=None, *args, **kwargs):
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        return native(self, device_type, dtype, *args, **kwargs)

    def load(native, f, map_location=None, *args, **kwargs):
        if map_location is not None and not _names_cuda(map_location):
            return native(f, map_location, *args, **kwargs)
        with torch._C.DisableTorchFunction():  # what is made out of sight says cuda
            return native(f, CPU, *args, **kwargs)

    def run_thread(native, self):
        with HostMode():  # modes belong to a thread
            return native(self)

    def compile_nothing(native, model=None, **kwargs):
        from . import driver
        driver.say_once("kgvm: torch.compile is left out: the function runs as it is written")
        return model if model is not None else lambda function: function

    def tensor_type(native, kind):
        return native(kind.replace("torch.cuda.", "torch.") if isinstance(kind, str) else kind)

    def from_numpy(native, array):
        result = native(array)  # the one maker of tensors that modes do not see
        _say_cpu(result)
        return result

    def implement(native, library, name, function, dispatch_key="", **kwargs):
        # What is registered for CUDA is what device tensors are to meet, and here they are the CPU's.
        module = str(getattr(function, "__module__", "")) + "."
        if callable(function) and (not module.startswith("torch.") or module.startswith("torch._library.")):
            if not isinstance(function, torch._ops.OpOverload):
                function = _under_mode(function)
            if dispatch_key == "CUDA":
                dispatch_key, kwargs = "CPU", {**kwargs, "allow_override": True}
        return native(library, name, function, dispatch_key, **kwargs)

    for owner in (torch.autograd.graph, torch.autograd):  # backward functions are the script's, too
        owner._engine_run_backward = _under_mode(owner._engine_run_backward)
    _wrap(torch, "from_numpy", from_numpy)
    _wrap(torch.library.Library, "impl", implement)
    _wrap(torch.autocast, "__init__", autocast)
    _wrap(torch, "load", load)
    _wrap(threading.Thread, "run", run_thread)
    _wrap(torch, "compile", compile_nothing)
    _wrap(torch, "set_default_tensor_type", tensor_type)
    torch.Tensor.record_stream = lambda self, stream: None
    torch.Generator = Generator
    torch_device.DeviceContext.__torch_function__ = _default_device


def install(chip_facts):
    """Maps the GPU to the CPU for the rest of the process; True the first time."""
    global installed, had_gpu
    if installed:
        return False
    from ..author.chips import Chip
    had_gpu = torch.cuda.is_available()
    installed = True
    _handlers.update(_handler_table())
    cuda_api.install(Chip(chip_facts))
    _patch_torch()
    HostMode().__enter__()
    return True
