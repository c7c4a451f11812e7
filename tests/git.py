"""git in repositories of tests, as somebody whom no configuration of this machine knows."""

import os
import subprocess

_IDENTITY = {
    "GIT_AUTHOR_NAME": "test",
    "GIT_AUTHOR_EMAIL": "test@example.com",
    "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder, *arguments):
    """What the command prints."""
    environment = os.environ | _IDENTITY
    ran = subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()
