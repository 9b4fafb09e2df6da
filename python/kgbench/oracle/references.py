# SPDX-License-Identifier: Apache-2.0
"""Runs an operator's reference and turns what it returns into expected values."""
import importlib.util
import inspect

import torch

from kgbench.oracle.api import Expected

_modules = {}


def entry_of(path, name):
    """The function `name` of the reference file; loaded once per path."""
    if path not in _modules:
        spec = importlib.util.spec_from_file_location(f"kgbench_reference_{len(_modules)}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _modules[path] = module
    function = getattr(_modules[path], name, None)
    if function is None:
        raise LookupError(f"{path} defines no function '{name}'")
    return function


def run(function, arguments):
    """{path: Expected} of one call."""
    positional, keyword, _ = arguments.build(arguments.wide)
    if "dtypes" in inspect.signature(function).parameters:
        keyword["dtypes"] = arguments.dtypes()
    with torch.no_grad():
        return collect(function(*positional, **keyword))


def collect(value, path="return"):
    if isinstance(value, Expected):
        return {path: value}
    if isinstance(value, dict):
        found = {}
        for key, item in value.items():
            found.update(collect(item, key))
        return found
    if isinstance(value, (tuple, list)):
        found = {}
        for i, item in enumerate(value):
            found.update(collect(item, f"{path}[{i}]"))
        return found
    if value is None:
        return {}
    return {path: Expected(value)}
