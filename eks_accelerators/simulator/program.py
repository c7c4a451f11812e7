"""A Pulumi program, run in this process."""

import os
import runpy
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path


def program_at(path: Path) -> Callable[[], None]:
    """The program at ``path``, a `__main__.py`, to be run as Pulumi runs it.

    What it prints goes to standard error: standard output may be JSON.
    """
    path = path.resolve()  # the run changes the working directory

    def run() -> None:
        with _in_folder(path.parent), redirect_stdout(sys.stderr):
            runpy.run_path(str(path), run_name="__main__")

    return run


@contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    """Run with ``folder`` as working directory and first on the import path, as Pulumi does."""
    before, path = Path.cwd(), str(folder)
    os.chdir(folder)
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)
        os.chdir(before)
