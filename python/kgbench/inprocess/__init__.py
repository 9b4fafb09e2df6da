# SPDX-License-Identifier: Apache-2.0
"""In-process mode: a candidate in a locked process of its own that holds a device. docs/in-process.md."""
