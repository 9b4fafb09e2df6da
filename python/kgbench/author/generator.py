# SPDX-License-Identifier: Apache-2.0
"""Random generators of the device without a device: seeds that host code draws are those of the request."""

import hashlib
import random
import struct

import numpy
import torch

DEVICE = torch.device("cuda:0")


class DeviceGenerator(torch._C.Generator):
    """A torch.Generator that says it is on cuda:0; its state is (seed, Philox offset), as the device's is.

    Host code reads seed and offset and hands them to its kernel as numbers. Operators of torch that draw from it are
    caught by the dispatch mode.
    """

    def __new__(cls, seed):
        return super().__new__(cls, torch.device("cpu"))

    def __init__(self, seed):
        self._seed = int(seed) & (2**64 - 1)
        self._offset = 0

    @property
    def device(self):
        return DEVICE

    def initial_seed(self):
        return self._seed

    def manual_seed(self, seed):
        self._seed, self._offset = int(seed) & (2**64 - 1), 0
        return self

    def seed(self):
        """A new seed: here the old one again, so that nothing but the request decides."""
        self._offset = 0
        return self._seed

    def get_state(self):
        return torch.frombuffer(bytearray(struct.pack("=Qq", self._seed, self._offset)), dtype=torch.uint8).clone()

    def set_state(self, state):
        if state.numel() != 16:
            raise RuntimeError("RNG state is wrong size")
        self._seed, self._offset = struct.unpack("=Qq", bytes(state.tolist()))
        return self

    def get_offset(self):
        return self._offset

    def set_offset(self, offset):
        self._offset = int(offset)
        return self

    philox_cuda_state = get_state

    def clone_state(self):
        other = DeviceGenerator(self._seed)
        other._offset = self._offset
        return other

    def graphsafe_get_state(self):
        return self

    def graphsafe_set_state(self, other):
        self._seed, self._offset = other._seed, other._offset
        return self


def workload_seed(seed, workload):
    """The seed of one workload's generators, 63 bits: workloads of one session must not draw the same numbers, or
    statistics over all of them would count each number many times."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{workload}".encode()).digest()[:8], "little") >> 1


def seed_all(seed, default):
    """Every generator of this process starts a workload from the request's seed."""
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed % 2**32)
    default.manual_seed(seed)


def install(seed):
    """torch.cuda's default generator becomes a DeviceGenerator, which is returned."""
    default = DeviceGenerator(seed)
    cuda = torch.cuda
    names = {
        "default_generators": (default,), "manual_seed": default.manual_seed, "manual_seed_all": default.manual_seed,
        "seed": default.seed, "seed_all": default.seed, "initial_seed": default.initial_seed,
        "get_rng_state": lambda device=None: default.get_state(), "get_rng_state_all": lambda: [default.get_state()],
        "set_rng_state": lambda state, device=None: default.set_state(state),
        "set_rng_state_all": lambda states: default.set_state(states[0]),
        "_get_generator": lambda device: default,
    }
    for name, value in names.items():
        setattr(cuda, name, value)
        if hasattr(cuda.random, name):
            setattr(cuda.random, name, value)
    torch.Generator = _generator_class(seed)
    return default


def _generator_class(seed):
    native = torch._C.Generator

    class Meta(type):
        def __instancecheck__(cls, value):
            return isinstance(value, native)

    class Generator(native, metaclass=Meta):
        """torch.Generator: on a CUDA device a DeviceGenerator."""

        def __new__(cls, device="cpu"):
            if torch.device(device).type == "cuda":
                return DeviceGenerator(seed)
            return native.__new__(native, device)

    return Generator
