# SPDX-License-Identifier: Apache-2.0
"""kgbench: the Python side of the judge. Most of it runs in the author's, the oracle's and the compiler's processes."""

import os as _os

# In a build tree the extension lies beside the binary, not beside this file.
_extension_dir = _os.environ.get("KGBENCH_EXT_DIR")
if _extension_dir:
    __path__.append(_os.path.join(_extension_dir, "kgbench"))
