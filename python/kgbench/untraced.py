# SPDX-License-Identifier: Apache-2.0
"""Keeps torch._dynamo out of processes that trace nothing."""

import gc
import types


def leave_dynamo_out():
    """Lets torch's shape functions and custom operators run as they are. Each is wrapped, so that torch._dynamo never
    traces it, and at its first call the wrapper imports the whole of torch._dynamo, which takes half as long as torch
    itself; where nobody traces, the wrapper has nothing to keep away. Called once, after the import of torch."""
    import torch._compile

    wrapper = torch._compile._disable_dynamo(lambda: None).__code__
    if "fn" not in wrapper.co_freevars:  # done already, or a torch that does it otherwise
        return
    for function in gc.get_objects():
        if type(function) is types.FunctionType and function.__code__ is wrapper:
            # By its closure: __wrapped__ may have been set anew by decorators further out.
            wrapped = dict(zip(wrapper.co_freevars, function.__closure__))["fn"].cell_contents
            if isinstance(wrapped, types.FunctionType):
                wrapped.__dynamo_disable = wrapped  # what the wrapper calls; set by its first call otherwise
    torch._compile._disable_dynamo = torch._disable_dynamo = _as_it_is


def _as_it_is(fn=None, recursive=True):
    return fn if fn is not None else lambda decorated: decorated
