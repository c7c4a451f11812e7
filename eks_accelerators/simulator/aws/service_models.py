"""botocore's models of services and partitions: they take long to read, and are read once in a process."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import botocore.loaders
import botocore.session
import moto.core.utils


@contextmanager
def read_once() -> Iterator[None]:
    """Inside, every new session shares what is read with moto, which reads models itself, and makes sessions of its own: some
    when `moto.ec2` is imported, and one for each node group.
    """

    def loader(search_path: str | None = None) -> Any:
        return _loader(search_path)

    with (
        mock.patch.object(botocore.session, "create_loader", loader),
        mock.patch.object(moto.core.utils, "create_loader", loader),
    ):
        yield


@cache
def _loader(search_path: str | None) -> Any:
    return botocore.loaders.create_loader(search_path)
