"""Where this user's purchases are written down: on this machine, outside of every repository."""

from pathlib import Path

from platformdirs import user_state_path

NAME = "eks-accelerators"


def state_folder() -> Path:
    """The folder for what has to be remembered. `XDG_STATE_HOME` goes before the platform's own place."""
    return user_state_path(NAME, appauthor=False)
