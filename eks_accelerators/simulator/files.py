"""Files that are written whole or not at all, also by a process that is killed meanwhile."""

import os
from pathlib import Path


def write(path: Path, content: bytes) -> Path:
    """Write a file that only the user can read."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    return unfinished.replace(path)
