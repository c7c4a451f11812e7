"""Ports at which nobody answers, for as long as a test needs them: no other process can take them meanwhile."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nobody_listens(*, shared: bool = False) -> Iterator[str]:
    """Host and port of a place where connections are refused; where ``shared``, a server with SO_REUSEPORT may begin there."""
    with socket.socket() as kept:
        if shared:
            kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        kept.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{kept.getsockname()[1]}"
