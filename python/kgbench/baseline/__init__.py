# SPDX-License-Identifier: Apache-2.0
"""Baselines: what speedup is measured against, in a trusted process of their own."""
