# SPDX-License-Identifier: Apache-2.0
"""The device that host code is told it runs on; facts come from the chip card, defaults are the H200's."""


class Chip:
    """Facts of a chip card, with the names that the rest of the author uses. Bytes and kHz."""

    def __init__(self, facts):
        self.facts = dict(facts)
        get = self.facts.get
        self.name = get("device_name") or get("name") or "NVIDIA H200"
        capability = get("capability") or divmod(int(get("arch") or 90), 10)  # "9.0", [9, 0], or from "90"
        if isinstance(capability, str):
            capability = capability.split(".")
        self.capability = (int(capability[0]), int(capability[1]))
        self.multiprocessors = int(get("multiprocessors", 132))
        self.warp_size = int(get("warp_size", 32))
        self.memory = int(get("memory_bytes", 150_110_011_392))
        self.shared_per_block = int(get("shared_bytes", 49_152))
        self.shared_optin = int(get("shared_optin_bytes", 232_448))
        self.shared_per_multiprocessor = int(get("shared_multiprocessor_bytes", 233_472))
        self.registers = int(get("registers", 65_536))
        self.max_threads_per_block = int(get("max_threads_per_block", 1024))
        self.max_threads_per_multiprocessor = int(get("max_threads_per_multiprocessor", 2048))
        self.l2_bytes = int(get("l2_bytes", 62_914_560))
        self.clock_khz = int(get("clock_khz", 1_980_000))
        self.memory_clock_khz = int(get("memory_clock_khz", 3_201_000))
        self.memory_bus_bits = int(get("memory_bus_bits", 6144))

    def triton_properties(self):
        """What triton.runtime.driver.active.utils.get_device_properties answers."""
        return {"max_shared_mem": self.shared_optin, "max_num_regs": self.registers,
                "multiprocessor_count": self.multiprocessors, "warpSize": self.warp_size,
                "sm_clock_rate": self.clock_khz, "mem_clock_rate": self.memory_clock_khz,
                "mem_bus_width": self.memory_bus_bits}
