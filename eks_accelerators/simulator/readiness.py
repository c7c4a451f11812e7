"""Whether a server of this machine answers."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import urllib3

_SECONDS = 5


def answers(url: str, ca_file: Path | None = None) -> Callable[[], bool]:
    """Whether a server answers: with any status where it is asked by TLS, since that is after its handshake."""
    pool = urllib3.PoolManager(ca_certs=str(ca_file) if ca_file else None)

    def ask() -> bool:
        try:
            answer = pool.request("GET", url, retries=False, timeout=_SECONDS)
        except urllib3.exceptions.HTTPError:
            return False
        return ca_file is not None or answer.status == HTTPStatus.OK

    return ask
