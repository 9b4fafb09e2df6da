# SPDX-License-Identifier: Apache-2.0
"""The choices of a run, from KGVM_* environment variables or activate()."""
import os
from dataclasses import dataclass, fields
from pathlib import Path

CHOICES = {
    "on_finding": ("raise", "warn"),
    "autotune": ("first", "all"),
    "tf32": ("round", "truncate", "ieee"),
    "order": ("forward", "reversed", "shuffled"),
    "bounds": ("storage", "tensor"),
    "cpu_tensors": ("accept", "refuse"),
}


class BadSetting(ValueError):
    """A setting that does not exist or has no such value."""


@dataclass
class Settings:
    on_finding: str = "raise"   # a finding raises KernelFault in the launch, or is printed and the script goes on
    threads: int = 0            # of the virtual machine; 0: the processors that this process may use
    seconds: float = 300.0      # for one launch; beyond it the launch is a finding; 0: no limit
    autotune: str = "first"     # the first configuration that runs is taken; "all" also runs and checks the others
    chip: str = "h200"          # the card under catalogue/chips/ whose device host code sees
    tf32: str = "round"         # how an f32 tl.dot that allows tf32 treats its operands
    order: str = "forward"      # of the program instances
    seed: int = 0               # of the shuffled order
    poison: bool = False        # lanes that a masked load leaves undefined: a pattern instead of zero
    contraction: bool = False   # a * b + c with one rounding, where a GPU's compiler does so by default
    flush_denormals: bool = False  # where Triton's code for a GPU takes f32 denormals for zeros
    exact_remainder: bool = True  # x % y of floats is fmod, not what a GPU computes
    bounds: str = "storage"     # what a pointer may reach: its tensor's storage, or the tensor itself
    cpu_tensors: str = "accept"  # launches on tensors that say they are on the CPU, which a GPU's launcher refuses
    checks: str = ""            # of the machine's sanitizer, with commas: races, uninitialised, ...; or all

    def update(self, **changes):
        kinds = {f.name: type(f.default) for f in fields(Settings)}
        for name, value in changes.items():
            if name not in kinds:
                raise BadSetting(f"kgvm: there is no setting '{name}'; there are: {', '.join(kinds)}")
            setattr(self, name, _read(name, value, kinds[name]))

    @classmethod
    def from_environment(cls, environment):
        made = cls()
        for field in fields(cls):
            value = environment.get("KGVM_" + field.name.upper())
            if value:
                made.update(**{field.name: value})
        return made

    def thread_count(self):
        return self.threads or len(os.sched_getaffinity(0))

    def chip_facts(self):
        """The facts of the chip card, flat; the H200's, which the author knows by heart, where no card is found."""
        path = _chip_card(self.chip)
        if path is None:
            if self.chip != "h200":
                raise BadSetting(f"kgvm: no chip card {self.chip}.toml under catalogue/chips/; unset KGVM_CHIP for an H200")
            return {}
        card = _read_card(path)
        if card.get("backend") != "cuda":
            raise BadSetting(f"kgvm: {path.name} is no CUDA device (backend \"{card.get('backend')}\"): KGVM_CHIP takes "
                             "h200, sm_80, sm_90 or sm_100")
        return card


def _read(name, value, kind):
    if kind is bool:
        if isinstance(value, str):
            return value.strip().lower() not in ("0", "false", "no", "off", "")
        return bool(value)
    try:
        read = kind(value)
    except (TypeError, ValueError):
        raise BadSetting(f"kgvm: {name} is {value!r}, which is not {'a number' if kind is not str else 'text'}") from None
    if name in CHOICES and read not in CHOICES[name]:
        raise BadSetting(f"kgvm: {name} is {value!r}; it takes {', '.join(CHOICES[name])}")
    if kind in (int, float) and name != "seed" and read < 0:
        raise BadSetting(f"kgvm: {name} is {value!r}, less than zero")
    return read


def _chip_card(name):
    if "/" in name:
        return None
    package = Path(__file__).resolve().parents[1]
    homes = [Path(os.environ["KGBENCH_HOME"])] if os.environ.get("KGBENCH_HOME") else []
    for home in (*homes, package / "home", package.parents[1]):
        path = home / "catalogue" / "chips" / f"{name}.toml"
        if path.is_file():
            return path
    return None


def _read_card(path):
    """Top level and [facts] of a card in one table. Cards hold one `name = value` a line, and Python 3.10 has no
    reader of TOML."""
    facts, section = {}, ""
    for line in path.read_text().splitlines():
        line = line.split("#", 1)[0].strip()
        if line.startswith("["):
            section = line.strip("[] ")
        elif "=" in line and section in ("", "facts"):
            key, _, value = line.partition("=")
            value = value.strip()
            facts[key.strip()] = value.strip('"') if value.startswith('"') else int(value) if value.isdigit() else value
    return facts


try:
    settings = Settings.from_environment(os.environ)
    problem = None
except BadSetting as error:  # said when something is launched: this file may be read within `import triton`
    settings, problem = Settings(), error
