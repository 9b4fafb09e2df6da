# SPDX-License-Identifier: Apache-2.0
"""Classes of torch operators: what each amounts to when host code calls it on a phantom tensor."""

import torch
from torch._C import DispatchKey

CLASSES = ("allocate", "fill", "fill_in_place", "copy", "constant", "view", "resize", "read", "random", "compute",
           "custom", "composite")
(ALLOCATE, FILL, FILL_IN_PLACE, COPY, CONSTANT, VIEW, RESIZE, READ, RANDOM, COMPUTE, CUSTOM, COMPOSITE) = CLASSES

_BY_NAME = {
    ALLOCATE: "empty empty_like empty_strided empty_permuted new_empty new_empty_strided",
    FILL: "zeros ones full zeros_like ones_like full_like new_zeros new_ones new_full scalar_tensor",
    FILL_IN_PLACE: "zero_ fill_",
    COPY: "copy_ clone _to_copy _reshape_copy lift_fresh_copy",
    CONSTANT: "arange linspace eye tril_indices triu_indices",
    # metadata and storage exchange that the schema does not show as a view
    VIEW: "lift_fresh lift _unsafe_view _reshape_alias _conj _neg_view set_ detach_ t_ transpose_ squeeze_ unsqueeze_"
          " swapaxes_ swapdims_ as_strided_ is_same_size sym_size sym_stride sym_numel sym_storage_offset is_pinned"
          " _has_compatible_shallow_copy_type",
    RESIZE: "resize_ resize_as_",
    READ: "_local_scalar_dense item equal is_nonzero allclose",
    RANDOM: "rand randn randint randperm rand_like randn_like randint_like normal normal_ uniform_ random_"
            " exponential_ geometric_ cauchy_ log_normal_ bernoulli bernoulli_ multinomial poisson binomial dropout"
            " native_dropout rrelu_with_noise rrelu_with_noise_",
}
_NAMES = {name: kind for kind, names in _BY_NAME.items() for name in names.split()}

# A card's `forbid` names an operator; these are what torch makes of it before the recorder sees it.
_SAME_AS = {
    "aten::contiguous": ("aten::clone",), "aten::to": ("aten::_to_copy",), "aten::_to_copy": ("aten::to",),
    "aten::copy": ("aten::copy_",), "aten::zero": ("aten::zero_",), "aten::fill": ("aten::fill_",),
}


def forbidden_names(forbid):
    """The operator names that count as one of the card's forbidden helpers."""
    return frozenset(forbid) | {other for name in forbid for other in _SAME_AS.get(name, ())}


def _aliases_only(schema):
    returns = schema.returns
    return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


def _classify(func):
    namespace, _, name = func.name().partition("::")
    name = name.partition(".")[0]
    if namespace not in ("aten", "prims"):
        return CUSTOM
    if namespace == "aten" and name in _NAMES:
        return _NAMES[name]
    if torch.Tag.inplace_view in func.tags:
        return VIEW
    has = lambda key: torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), key)
    if has(DispatchKey.CompositeImplicitAutograd) and not has(DispatchKey.CUDA):
        return COMPOSITE
    if _aliases_only(func._schema):
        return VIEW
    if torch.Tag.nondeterministic_seeded in func.tags:
        return RANDOM
    if torch.Tag.data_dependent_output in func.tags:
        return READ
    return COMPUTE


_classes = {}


def classify(func):
    """The class of an OpOverload, cached."""
    kind = _classes.get(func)
    if kind is None:
        kind = _classes[func] = _classify(func)
    return kind


def base_name(func):
    """"aten::add" of aten::add.Tensor: what events and `forbid` name."""
    return func.name().partition(".")[0]
