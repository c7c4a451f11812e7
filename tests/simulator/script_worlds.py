"""A place where a script of `tools/` runs, with programs of the test's own first on its path."""

import os
import subprocess
from pathlib import Path


class ScriptWorld:
    """The folder that ``script`` fills, and what its programs find: only those of `program`, and the system's."""

    def __init__(self, folder, script):
        self.folder, self.script = folder, script
        self.tools, self.bin = folder / "tools", folder / "bin"
        self.bin.mkdir()

    def program(self, name, body):
        """A shell program that is found before the system's."""
        (self.bin / name).write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def run(self, *names):
        path = os.pathsep.join([str(self.bin), "/usr/bin", "/bin"])
        return subprocess.run(
            [self.script, *names],
            env={"PATH": path, "HOME": str(Path.home()), "TOOLS": str(self.tools)},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def asked(self):
        """Addresses and modules that were asked for: what its programs have written into the file `asked`."""
        file = self.folder / "asked"
        return file.read_text(encoding="utf-8").split() if file.exists() else []
