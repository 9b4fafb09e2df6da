# SPDX-License-Identifier: Apache-2.0
"""kgbench: the Python side of the judge; the native parts are in kgbench._kgbench."""
import os as _os
from pkgutil import extend_path as _extend_path

# In a source tree the extension lies in the build folder: either that folder's python/ is on sys.path too, or
# KGBENCH_EXT_DIR names the folder that holds _kgbench.abi3.so. An installed package has it beside this file.
__path__ = _extend_path(__path__, __name__)
if _os.environ.get("KGBENCH_EXT_DIR"):
    __path__.append(_os.environ["KGBENCH_EXT_DIR"])


def __getattr__(name):
    # Loaded on demand: the author's and the oracle's processes have no use for it.
    if name in ("Judge", "JudgeError", "Result"):
        from kgbench import reward
        return getattr(reward, name)
    raise AttributeError(f"module 'kgbench' has no attribute '{name}'")
