# SPDX-License-Identifier: Apache-2.0
"""What a GPU gave, in files, and how far another machine's results are from it.

`data/<family>.json` has one line per case: digests of the inputs and of each output, and bits of a fixed choice of
elements. `data/machine.json` says what recorded them.
"""

import base64
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import values as v

DATA = Path(__file__).parent / "data"
SAMPLE = {True: 32, False: 512}  # elements kept of an output, by whether its case is exact
FORMATS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64}
EXPONENTS = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000, "float64": 0x7FF0000000000000}


def digest(arrays):
    made = hashlib.blake2b(digest_size=16)
    for array in arrays:
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


def chosen(count, exact):
    """Places of the elements that are kept: evenly spaced, all where there are few."""
    kept = min(count, SAMPLE[exact])
    return np.arange(kept) * count // kept if kept else np.arange(0)


def entry(case, result):
    """The recording of one case."""
    inputs, outputs = result
    return {
        "inputs": digest(inputs),
        "outputs": {
            name: {
                "dtype": dtype,
                "count": len(words),
                "digest": digest([words]),
                "sample": base64.b64encode(words[chosen(len(words), case.ulps == 0)].tobytes()).decode(),
            }
            for name, (dtype, words) in outputs.items()
        },
    }


def write(family, entries):
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))
    (DATA / f"{family}.json").write_text("{\n" + lines + "\n}\n", encoding="utf-8")


def read(family):
    return json.loads((DATA / f"{family}.json").read_text(encoding="utf-8"))


def write_machine(facts):
    (DATA / "machine.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def machine():
    return json.loads((DATA / "machine.json").read_text(encoding="utf-8"))


@dataclass
class Agreement:
    identical: bool  # every bit of every output
    ulps: float  # the largest distance over the kept elements
    message: str = ""  # of the worst element


def ordered(words, dtype):
    """Floats as integers whose difference counts the values between them; both zeros are 0."""
    top = FORMATS[dtype] - 1
    magnitude = (words & words.dtype.type(2**top - 1)).astype(object)
    return np.where(words >> words.dtype.type(top) != 0, -magnitude, magnitude)


def distance(got, wanted, dtype):
    """In ulps, element by element; infinite where one is special and the other is not the same."""
    if dtype not in FORMATS:
        return np.where(got == wanted, 0.0, np.inf)
    limit = got.dtype.type(EXPONENTS[dtype])
    special = ((got & limit) == limit) | ((wanted & limit) == limit)
    apart = np.abs(ordered(got, dtype) - ordered(wanted, dtype)).astype(np.float64)
    return np.where(got == wanted, 0.0, np.where(special, np.inf, apart))


def compare(case, recorded, result):
    """How the result of another machine agrees with the recorded one."""
    inputs, outputs = result
    if digest(inputs) != recorded["inputs"]:
        return Agreement(False, np.inf, "other inputs than the recorded ones: make the recording again")
    identical, ulps, message = True, 0.0, ""
    for name, (dtype, words) in outputs.items():
        kept = recorded["outputs"][name]
        if (dtype, len(words)) != (kept["dtype"], kept["count"]):
            return Agreement(False, np.inf, f"{name}: another kind or size than the recorded one")
        identical &= digest([words]) == kept["digest"]
        at = chosen(len(words), case.ulps == 0)
        wanted = np.frombuffer(base64.b64decode(kept["sample"]), dtype=words.dtype)
        apart = distance(words[at], wanted, dtype)
        if len(apart) and (worst := int(apart.argmax())) is not None and apart[worst] > ulps:
            ulps = float(apart[worst])
            got, other = (v.tensor_of(dtype, w[worst : worst + 1]).item() for w in (words[at], wanted))
            message = f"{name}[{at[worst]}] is {got!r}, on the GPU {other!r}"
        if not identical and not message:
            message = f"{name}: differs outside of the kept elements"
    return Agreement(identical, ulps, message)


def stated(families):
    """The rows of the table in docs/vm.md: family, kernels, cases, exact cases, the widest bound in ulps."""
    rows = []
    for family, made in families.items():
        widest = max(case.ulps for case in made)
        rows.append(
            (family, len({case.body for case in made}), len(made), sum(case.ulps == 0 for case in made), widest or "-")
        )
    return rows


def holds(case, agreement):
    """Whether the case's class allows this."""
    return agreement.identical if case.ulps == 0 else agreement.ulps <= case.ulps
