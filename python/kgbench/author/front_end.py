# SPDX-License-Identifier: Apache-2.0
"""Triton's front end without two habits that cost it a sixth of its time: it puts up filters for warnings at every node
of the source, and reads the signature of a builtin at every call of it."""

import inspect
import types
import warnings


class _Borrowed:
    """A module as one other module sees it: all of it, but for what is replaced."""

    def __init__(self, module, **replaced):
        self.__dict__.update(replaced)
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


class _Filters:
    """`warnings.catch_warnings` and `simplefilter` for nested visits: the outermost one's filters hold for all."""

    def __init__(self):
        self._depth, self._real = 0, None

    def __call__(self):
        return self

    def __enter__(self):
        if self._depth == 0:
            self._real = warnings.catch_warnings()
            self._real.__enter__()
        self._depth += 1

    def __exit__(self, *error):
        self._depth -= 1
        if self._depth == 0:
            self._real.__exit__(*error)

    def simplefilter(self, *rule):
        if self._depth == 1:
            warnings.simplefilter(*rule)


class _Signatures(dict):
    """`inspect.signature`, read once for each function. What has no code of its own to tell it by is read anew."""

    def __call__(self, callee):
        function = getattr(callee, "__func__", callee)
        if type(function) is not types.FunctionType:
            return inspect.signature(callee)
        key = (function, function is callee)
        found = self.get(key)
        if found is None:
            found = self[key] = inspect.signature(callee)
        return found


def quicken():
    """For the zygote, before any candidate."""
    from triton.compiler import code_generator
    from triton.language import core, math, standard

    filters, signatures = _Filters(), _Signatures()
    code_generator.warnings = _Borrowed(warnings, catch_warnings=filters, simplefilter=filters.simplefilter)
    code_generator.inspect = _Borrowed(inspect, signature=signatures)
    for module in (core, math, standard):
        for value in vars(module).values():
            if core.is_builtin(value):
                signatures(value)
