"""A copy of the repository, in which a test writes files and runs what is there."""

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.pages import ROOT, text

GENERATORS = (
    "settings.component_arguments",
    "settings.component_exports",
    "settings.schema",
    "settings.rules_page",
    "settings.reference_page",
    "components.components_page",
    "capacity.preflight.checks_page",
    "monitoring.metrics_page",
    "monitoring.alerts_page",
    "simulator.resource_types_file",
    "simulator.models_page",
    "simulator.faults_page",
    "verification.codes_page",
    "accel.reports.json_page",
)
"""What `make generated` runs, in an order in which each finds what it reads."""

_SOURCES = ("eks_accelerators", "components", "tests")
_ONE_AFTER_THE_OTHER = """
import runpy, sys
modules, sys.argv[1:] = sys.argv[1:], []
for module in modules:
    try:
        runpy.run_module(f"eks_accelerators.{module}", run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
"""
"""In one process, which imports what they share once."""


def tracked() -> list[str]:
    """Paths of the files of the working tree that git has or would take."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [name for name in found if not name.startswith(("tools/", "requirements")) and (ROOT / name).exists()]


@dataclass
class Repository:
    """The copy in ``folder``; ``written`` are the files that a person wrote or changed, in order."""

    folder: Path
    written: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, folder: Path) -> "Repository":
        """A fresh copy, with what Python has compiled of it: times of files are kept, so it is not compiled again."""
        compiled = [path.relative_to(ROOT).as_posix() for name in _SOURCES for path in (ROOT / name).rglob("*.pyc")]
        for name in [*tracked(), *compiled]:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, path, follow_symlinks=False)
        return cls(folder)

    def write(self, name: str, content: str) -> None:
        """A new file."""
        path = self.folder / name
        assert not path.exists(), name
        self._note(name)
        path.write_text(content, encoding="utf-8")

    def change(self, name: str, *changes: tuple[str, str]) -> None:
        """Replace texts, each of which is there once."""
        path = self.folder / name
        content = text(path)
        for old, new in changes:
            assert content.count(old) == 1, (name, old, content.count(old))
            content = content.replace(old, new)
        self._note(name)
        path.write_text(content, encoding="utf-8")

    def append(self, name: str, content: str) -> None:
        """Write at the end of a file that is there."""
        self._note(name)
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(content)

    def generate(self) -> set[str]:
        """Run the generators; the paths of what they changed beyond what a person wrote."""
        done = self.python("-c", _ONE_AFTER_THE_OTHER, *GENERATORS)
        assert done.returncode == 0, done.stderr
        return self.changed() - set(self.written)

    def changed(self) -> set[str]:
        """Paths of files that are new or differ from the working tree's."""
        here = {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
        }
        known = set(tracked())
        return {
            name
            for name in here
            if name not in known or (self.folder / name).read_bytes() != (ROOT / name).read_bytes()
        }

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python on the copy: without `.pth` files, so that the working tree is not on the path."""
        path = os.pathsep.join([str(self.folder), sysconfig.get_path("purelib")])
        # A worker of pytest-xdist says in its environment that it is one; what is run here is none.
        outside = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        return subprocess.run(
            [sys.executable, "-S", *arguments],
            cwd=self.folder,
            env={**outside, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )

    def accel(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the command line of the copy."""
        return self.python("-m", "eks_accelerators.accel", *arguments)

    def tests(self, *arguments: str) -> None:
        """Run tests of the copy; they must pass, and there must be some."""
        done = self.python("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]

    def _note(self, name: str) -> None:
        if name not in self.written:
            self.written.append(name)
