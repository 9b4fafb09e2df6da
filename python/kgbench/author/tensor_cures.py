# SPDX-License-Identifier: Apache-2.0
"""Methods of torch.Tensor, and a few of torch, that reach for a device below the dispatch mode."""

import copy
import functools

import torch


def install(recorder):
    """Patches torch for the life of this process; host tensors keep the original behaviour."""
    tensor = torch.Tensor
    _print(recorder, tensor)
    _copies(recorder, tensor)
    tensor.record_stream = lambda self, stream: None
    pin = tensor.pin_memory
    tensor.pin_memory = lambda self, device=None: self if not self.is_cuda else pin(self)
    tensor.is_pinned = lambda self, device=None: False
    make = torch.tensor  # pins below the dispatch mode
    torch.tensor = functools.wraps(make)(lambda *args, pin_memory=False, **kwargs: make(*args, **kwargs))
    _types(tensor)
    _compilers(recorder)
    _profilers(recorder)


def _print(recorder, tensor):
    """Printing a tensor reads it: the text shows shape and dtype only."""
    def text(self):
        recorder.event("host_read", "print of a tensor")
        return f"tensor(..., device='cuda:0', size={tuple(self.shape)}, dtype={self.dtype})"

    def replace(name, answer):
        original = getattr(tensor, name)

        def replaced(self, *args, **kwargs):
            return answer(self, *args, **kwargs) if self.is_cuda else original(self, *args, **kwargs)

        setattr(tensor, name, replaced)

    replace("__repr__", lambda self, **kwargs: text(self))
    replace("__str__", lambda self: text(self))
    replace("__format__", lambda self, spec: format(self.item(), spec) if self.dim() == 0 else format(text(self), spec))


def _copies(recorder, tensor):
    original = tensor.__deepcopy__

    def deepcopy(self, memo):
        if not self.is_cuda or type(self) not in (torch.Tensor, torch.nn.Parameter):
            return original(self, memo)
        if id(self) not in memo:
            clone = self.detach().clone()
            memo[id(self)] = torch.nn.Parameter(clone, self.requires_grad) if isinstance(self, torch.nn.Parameter) \
                else clone.requires_grad_(self.requires_grad)
        return memo[id(self)]

    def shallow(self):
        if self.is_cuda:
            return self.detach().requires_grad_(self.requires_grad)
        return copy._reconstruct(self, None, *reduce_ex(self, 4))

    tensor.__deepcopy__ = deepcopy
    tensor.__copy__ = shallow
    reduce_ex = tensor.__reduce_ex__

    def refuse_pickle(self, protocol):
        if self.is_cuda:
            recorder.event("host_read", "pickle of a tensor")
            recorder.unsupported("pickling a device tensor")
        return reduce_ex(self, protocol)

    tensor.__reduce_ex__ = refuse_pickle


def _types(tensor):
    """x.type(torch.cuda.HalfTensor): a cast by the name of a type of tensors."""
    original = tensor.type

    def type_(self, dtype=None, non_blocking=False, **kwargs):
        kind = getattr(torch.cuda, dtype.rpartition(".")[2], None) if isinstance(dtype, str) else dtype
        if self.is_cuda and getattr(kind, "is_cuda", False):
            return self.to(kind.dtype)
        return original(self, *([] if dtype is None else [dtype, non_blocking]), **kwargs)

    tensor.type = type_


def _profilers(recorder):
    """Profiles of host code hold what the host did; of the device there is nothing to see."""
    from torch.profiler import ProfilerActivity
    from torch.profiler.profiler import _KinetoProfile
    begin = _KinetoProfile.__init__

    def begin_on_host(self, *args, **kwargs):
        recorder.event("self_benchmark", "torch.profiler")
        begin(self, *args, **{**kwargs, "activities": [ProfilerActivity.CPU]})

    _KinetoProfile.__init__ = begin_on_host


def _compilers(recorder):
    """torch.compile would record nothing of its own: the function runs as it is, and each operator is judged."""
    def compile_nothing(model=None, **kwargs):
        return model if model is not None else (lambda function: function)

    torch.compile = compile_nothing
    torch.jit.script = lambda function=None, *args, **kwargs: function

    def refuse():
        def backward(*args, **kwargs):
            recorder.unsupported("autograd's backward pass")
        return backward

    # One function per name: torch's tracer keeps a table of functions and refuses duplicates.
    for owner, name in ((torch.autograd, "backward"), (torch.autograd, "grad"), (torch.Tensor, "backward")):
        setattr(owner, name, refuse())
