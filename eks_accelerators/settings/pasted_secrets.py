"""What well-known secrets look like, so that one that is pasted in the wrong place is not shown."""

import re

_SECRET = re.compile(
    r"hf_[A-Za-z0-9]{8,}"  # Hugging Face: a user access token
    r"|nvapi-[A-Za-z0-9_-]{8,}"  # NVIDIA: an API key of NGC
    r"|https://hooks\.slack\.com/\S+",  # Slack: an incoming webhook, whose address is the secret
)
HIDDEN = "[hidden]"


def has_secret(text: str) -> bool:
    """Whether a well-known secret is in ``text``."""
    return _SECRET.search(text) is not None


def without_secrets(text: str) -> str:
    """``text`` with `[hidden]` in place of every well-known secret."""
    return _SECRET.sub(HIDDEN, text)
