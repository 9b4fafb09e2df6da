# SPDX-License-Identifier: Apache-2.0
"""What the virtual machine finds wrong in a launch: kept, and raised or printed."""
import linecache
import sys
from dataclasses import dataclass

found = []  # every Fault of this process, in order


@dataclass(frozen=True)
class Fault:
    kernel: str
    kind: str      # out_of_bounds, read_only, assert, ... (src/vm/vm.hpp)
    message: str
    argument: str  # the argument's name, where one is concerned
    index: int     # bytes from the start of what the argument points into
    program: tuple
    file: str
    line: int
    notes: tuple = ()  # the other party of a race, what the memory around looks like

    def headline(self):
        text = f"{self.kernel}: {self.kind}: {self.message}"
        if self.file and f"{self.file}:{self.line}" not in text:
            text += f" at {self.file}:{self.line}"
        return text

    def __str__(self):
        source = linecache.getline(self.file, self.line).strip() if self.file else ""
        return "\n      ".join([self.headline(), *([source] if source else []), *self.notes])


class KernelFault(RuntimeError):
    """A launch did what a GPU would have punished, or silently done. `faults` holds the details."""

    def __init__(self, faults, more):
        text = "\n".join(["kgvm found " + ("an error" if len(faults) == 1 else f"{len(faults)} errors") + " in a launch",
                          *(f"  {fault}" for fault in faults)])
        super().__init__(text + (f"\n  (and {more} like them)" if more else ""))
        self.faults = list(faults)


def report(kernel, results, on_finding):
    """Notes the findings of one launch; raises KernelFault unless they are only to be printed."""
    faults = [Fault(kernel, f["kind"], f["message"], f["region"], f["index"], tuple(f["program"]), f["file"], f["line"],
                    (*f.get("notes", ()), *f.get("picture", ())))
              for f in results]
    # The same line of the same kernel, met in launch after launch, is one fault.
    known = {(f.kernel, f.kind, f.file, f.line) for f in found}
    fresh = [f for f in faults if (f.kernel, f.kind, f.file, f.line) not in known]
    found.extend(fresh)
    if on_finding == "raise":
        raise KernelFault(faults[:4], max(0, len(faults) - 4))
    for fault in fresh:  # --sanitize says the rest at the end
        print(f"kgvm: {fault.headline()}", file=sys.stderr, flush=True)
