# SPDX-License-Identifier: Apache-2.0
"""Which files are the candidate's: those of its workspace, and of the library that it is declared to call."""

import os


class Places:
    """Folders, first the workspace; a file below one of them is told by its path below it."""

    def __init__(self, folders):
        self.folders = [os.path.realpath(folder) + os.sep for folder in folders]

    def inside(self, path):
        """The path below the folder that holds it; None for files that are not the candidate's."""
        for folder in self.folders:
            if path.startswith(folder):
                return path[len(folder):]
        return None
