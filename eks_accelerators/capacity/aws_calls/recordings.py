"""Answers of AWS in a folder: written while AWS is asked, or read in place of asking.

One file for each call, with the question and the answer as botocore gives it: all pages of one that comes in pages, the error
of one that was refused. Times are written as ISO 8601.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import botocore.session
from botocore.exceptions import ClientError

from eks_accelerators.capacity.aws_calls.call import iso_text
from eks_accelerators.capacity.aws_calls.clients import Clients

NOT_RECORDED = "NotRecorded"
"""Code of the error that a call gets whose answer is not in the folder."""


class RecordedClients:
    """Answers from ``folder`` in place of AWS."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, service: str, region: str) -> Any:
        """What answers in place of a client of ``service`` in ``region``."""
        return _Client(service, _has_pages(service), lambda *asked: self._read(service, region, *asked))

    def _read(self, service: str, region: str, operation: str, parameters: Mapping[str, Any]) -> list[Any]:
        path = _path(self._folder, service, region, operation, parameters)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except OSError:
            raise _error(operation, {"Code": NOT_RECORDED, "Message": f"{path} is not there"}) from None
        except ValueError as error:
            raise _error(operation, {"Code": NOT_RECORDED, "Message": f"{path} is no JSON: {error}"}) from None
        if "error" in found:
            raise _error(operation, found["error"])
        return list(found["pages"])


class RecordingClients:
    """Asks ``clients``, and writes what they answer into ``folder``."""

    def __init__(self, clients: Clients, folder: Path) -> None:
        self._clients, self._folder = clients, folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, service: str, region: str) -> Any:
        """What asks and writes, in place of a client of ``service`` in ``region``."""
        client = self._clients.get(service, region)

        def ask(operation: str, parameters: Mapping[str, Any]) -> list[Any]:
            path = _path(self._folder, service, region, operation, parameters)
            question = {"service": service, "operation": operation, "region": region, "parameters": parameters}
            try:
                pages = [_without_metadata(page) for page in _pages(client, operation, parameters)]
            except ClientError as error:
                _write(path, {"call": question, "error": error.response.get("Error", {})})
                raise
            _write(path, {"call": question, "pages": pages})
            return pages

        return _Client(service, client.can_paginate, ask)


class _Client:
    """The part of a client that is asked: operations, and their pages."""

    def __init__(
        self,
        service: str,
        has_pages: Callable[[str], bool],
        ask: Callable[[str, Mapping[str, Any]], list[Any]],
    ) -> None:
        self._service, self._has_pages, self._ask = service, has_pages, ask

    def can_paginate(self, operation: str) -> bool:
        """Whether the answer comes in pages."""
        return self._has_pages(operation)

    def get_paginator(self, operation: str) -> "_Pages":
        """The pages of an operation."""
        return _Pages(lambda **parameters: self._ask(operation, parameters))

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        return lambda **parameters: self._ask(operation, parameters)[0]


class _Pages:
    def __init__(self, paginate: Callable[..., list[Any]]) -> None:
        self.paginate = paginate


def _pages(client: Any, operation: str, parameters: Mapping[str, Any]) -> Iterator[Any]:
    if client.can_paginate(operation):
        yield from client.get_paginator(operation).paginate(**parameters)
    else:
        yield getattr(client, operation)(**parameters)


def _has_pages(service: str) -> Callable[[str], bool]:
    pages = botocore.session.get_session().get_component("data_loader").load_service_model(service, "paginators-1")
    return {_snake(name) for name in pages["pagination"]}.__contains__


def _snake(name: str) -> str:
    found: str = botocore.xform_name(name)
    return found


def _path(folder: Path, service: str, region: str, operation: str, parameters: Mapping[str, Any]) -> Path:
    written = json.dumps(parameters, sort_keys=True, default=iso_text)
    asked = hashlib.sha256(written.encode()).hexdigest()[:12]
    return folder / f"{service}.{operation}.{region}.{asked}.json"


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, default=iso_text) + "\n", encoding="utf-8")


def _without_metadata(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key != "ResponseMetadata"}


def _error(operation: str, error: Mapping[str, Any]) -> ClientError:
    return ClientError({"Error": dict(error)}, operation)
