"""What well-known secrets look like, so that one that is pasted in the wrong place is not shown."""

import re

_SECRET = re.compile(
    r"hf_[A-Za-z0-9]{8,}"  # Hugging Face: a user access token
    r"|nvapi-[A-Za-z0-9_-]{8,}"  # NVIDIA: an API key of NGC
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS: the ID of an access key, beside which the key itself stands
    r"|\b(?:gh[oprsu]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"  # GitHub: a token
    r"|https://hooks\.slack\.com/\S+",  # Slack: an incoming webhook, whose address is the secret
)
_RANDOM = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
"""What a key without a form of its own is made of."""

_LONG = 20
HIDDEN = "[hidden]"


def has_secret(text: str) -> bool:
    """Whether a well-known secret is in ``text``."""
    return _SECRET.search(text) is not None


def has_long_secret(text: str) -> bool:
    """Whether a well-known secret of at least 20 characters is in ``text``: `hf_datasets` is a name."""
    return any(len(found[0]) >= _LONG for found in _SECRET.finditer(text))


def may_be_secret(text: str) -> bool:
    """Whether ``text`` is a well-known secret, or has 20 characters or more in a row that nobody would choose as a word or a path.

    For places where secrets do not belong and anything may stand.
    """
    return has_secret(text) or any(map(_is_random, _RANDOM.findall(text)))


def _is_random(run: str) -> bool:
    mixed = all(re.search(kind, run) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return mixed or re.fullmatch(r"[0-9a-f]{32,}", run) is not None


def without_secrets(text: str) -> str:
    """``text`` with `[hidden]` in place of every well-known secret."""
    return _SECRET.sub(HIDDEN, text)
