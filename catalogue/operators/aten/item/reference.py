# SPDX-License-Identifier: Apache-2.0
"""The element itself: fp64 holds every narrower float, integers and bools stay what they are."""


def item(self):
    return self.reshape(())
