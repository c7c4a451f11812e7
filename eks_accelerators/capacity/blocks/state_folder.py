"""Where this user's purchases are written down: on this machine, outside of every repository."""

import os
import sys
from pathlib import Path

NAME = "eks-accelerators"


def state_folder() -> Path:
    """The folder for what has to be remembered. `XDG_STATE_HOME` goes before the platform's own place."""
    if chosen := os.environ.get("XDG_STATE_HOME"):
        return Path(chosen) / NAME
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / NAME
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / NAME
    return Path.home() / ".local" / "state" / NAME
