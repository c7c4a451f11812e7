"""boto3 clients of many regions that share what is the same in all of them.

botocore makes a class of its own for each client, of EC2 with a method for each of 830 operations, and reads the model of the
service anew for it: two thirds of the time that a client takes, and the interpreter makes one at a time. None of it knows a
region. Source: botocore 1.44, `client.py` (`ClientCreator`), which has no setting for that; read 2026-11-22.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import botocore.client

_ONE_AT_A_TIME = threading.RLock()
"""What is put in place is botocore's own, for all sessions: taken back out of turn it would stay."""

_Known = dict[tuple[Any, ...], Any]
"""By the session's hub of events, which decides what a class is made of, and what it is asked for."""


class ClientClasses:
    """Classes and models of clients that were made before."""

    def __init__(self) -> None:
        self._models: _Known = {}
        self._classes: _Known = {}

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Inside, a client is of the class that the one before of its session and service has. Waits for other threads."""
        with _ONE_AT_A_TIME:
            before = botocore.client.ClientCreator
            botocore.client.ClientCreator = partial(_Creator, models=self._models, classes=self._classes)
            try:
                yield
            finally:
                botocore.client.ClientCreator = before


class _Creator(botocore.client.ClientCreator):  # type: ignore[misc]  # botocore is not typed
    def __init__(self, *arguments: Any, models: _Known, classes: _Known, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._models, self._classes = models, classes

    def _load_service_model(self, *service: Any) -> Any:
        key = self._event_emitter, *service
        if key not in self._models:
            self._models[key] = super()._load_service_model(*service)
        return self._models[key]

    def _create_client_class(self, service_name: str, service_model: Any) -> Any:
        key = self._event_emitter, service_name
        if key not in self._classes:
            self._classes[key] = super()._create_client_class(service_name, service_model)
        return self._classes[key]
