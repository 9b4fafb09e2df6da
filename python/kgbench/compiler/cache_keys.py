# SPDX-License-Identifier: Apache-2.0
"""Triton's cache keys where the cache is new with the process."""


def private_cache_keys():
    """Lets Triton's version stand for Triton in cache keys. It reads and hashes all of itself for them, some hundred
    megabytes, so that a cache serves several Tritons; a cache of one process serves one."""
    import triton
    import triton.compiler.compiler
    import triton.runtime.cache

    for module in (triton.runtime.cache, triton.compiler.compiler):  # where it is depends on the release
        if hasattr(module, "triton_key"):
            module.triton_key = lambda: triton.__version__
