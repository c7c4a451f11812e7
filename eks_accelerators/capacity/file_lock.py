"""A file that one process at a time holds, and nobody once that process has ended, however it ended."""

from pathlib import Path

from filelock import FileLock


def lock_at(path: Path) -> FileLock:
    """A context manager that holds the file at ``path``, which is made where it is missing and stays.

    Entering raises `filelock.Timeout` at once where another holds it, and `OSError` where it cannot be made, or where the
    file system knows no locks: filelock's way without them is a file that a killed process leaves behind, locked for good.
    """
    return FileLock(path, blocking=False, fallback_to_soft=False)
