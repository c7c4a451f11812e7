"""Projects outside of the repository: in a folder of their own, with the wheel in place of the working tree."""

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.docs.pages import ROOT, text

PAGE = ROOT / "docs" / "using-components.md"

_FILE = re.compile(
    r"^<!-- (?P<project>[^:\n]+): (?P<name>\S+) -->\n```\w+\n(?P<content>.*?)^```$", re.DOTALL | re.MULTILINE
)


def shown(project: str) -> dict[str, str]:
    """The files of a project that the page shows, by name."""
    found = _FILE.finditer(text(PAGE))
    return {each["name"]: each["content"] for each in found if each["project"] == project}


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files below ``folder``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@dataclass(frozen=True)
class Outside:
    """A folder with what is installed, and one with a project."""

    installed: Path
    project: Path

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the project.

        `-S` reads no `.pth` file, so that the editable installation of the working tree is not on the path: third-party
        packages are found in the environment's folder by its name, after what was installed.
        """
        environment = {key: os.environ[key] for key in ("PATH", "HOME", "LANG", "TMPDIR") if key in os.environ}
        return subprocess.run(
            [sys.executable, "-S", "-P", *arguments],
            cwd=self.project,
            env={**environment, "PYTHONPATH": os.pathsep.join([str(self.installed), sysconfig.get_path("purelib")])},
            capture_output=True,
            text=True,
            check=False,
        )

    def accel(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line in the project."""
        return self.python("-m", "eks_accelerators.accel", *arguments)
