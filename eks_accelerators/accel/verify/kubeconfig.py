"""What a kubeconfig says of a cluster, read by the Kubernetes project's own Python client."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kubernetes.client
import kubernetes.config
from kubernetes.config.config_exception import ConfigException
from yaml import YAMLError

from eks_accelerators.verification.cluster import ClusterError

_load: Any = kubernetes.config.load_kube_config  # the package has no types for it

_GET_ONE = "run `aws eks update-kubeconfig --name CLUSTER`, or `accel --simulated verify STACK` for what `accel simulate` has deployed"
_NOT_FOUND = re.compile(r"No such file or directory: '(.+)'")
_AT_A_TERMINAL = "object has no attribute 'strip'"
"""What the client (37.0.1) says of a command that fails at a terminal, where it has not kept what the command has printed."""

_QUIET = logging.NullHandler()
"""Without a handler the client's first `logging.error` makes one that prints what every library says, such as each retry of urllib3."""


def configuration_of(kubeconfig: Path | None, context: str | None) -> Any:
    """The client's configuration of a cluster. ``kubeconfig`` is by default the one that kubectl takes.

    Raises `ClusterError` where it cannot be read, or where its command makes no token.
    """
    file = kubeconfig or "kubeconfig"
    configuration = kubernetes.client.Configuration()
    logging.getLogger().addHandler(_QUIET)
    try:
        with _logged() as errors:
            _load(str(kubeconfig) if kubeconfig else None, context, configuration, persist_config=False)
    except (YAMLError, UnicodeDecodeError) as error:
        raise ClusterError(f"{file}: no YAML: {' '.join(str(error).split())}; {_GET_ONE}") from None
    except (ConfigException, OSError) as error:
        raise ClusterError(f"{file}: {' '.join(str(error).split()).rstrip('.')}; {_GET_ONE}") from None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        # Whatever is not of the shape of a kubeconfig fails somewhere in the client, in words about its own code.
        raise ClusterError(f"{file}: clusters, users or contexts are not those of a kubeconfig; {_GET_ONE}") from None
    if errors:
        raise ClusterError(f"{file}: {_why_no_credentials(errors[0])}")
    return configuration


def _why_no_credentials(error: str) -> str:
    """Of the command of a user that made none: what it did, and what to do."""
    if missing := _NOT_FOUND.search(error):
        return (
            f"its command {missing[1]} is not there: install {missing[1]}, or put it on PATH; it makes the credentials"
        )
    if _AT_A_TERMINAL in error:
        return "its command makes no credentials; it has said above why"
    said = " ".join(error.split()).rstrip(".")
    return f"its command makes no credentials ({said}): run it by hand, or sign in to AWS again; {_GET_ONE}"


class _ClientErrors(logging.Handler):
    """Errors that the client logs and does not raise: all of them are about the command of a user."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.module == "kube_config":
            self.messages.append(record.getMessage())


@contextmanager
def _logged() -> Iterator[list[str]]:
    """The errors that the client logs meanwhile."""
    handler, root = _ClientErrors(), logging.getLogger()
    root.addHandler(handler)
    try:
        yield handler.messages
    finally:
        root.removeHandler(handler)
