"""An AWS that answers what a test says, through boto3's own clients: botocore judges every question and shapes every answer."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import botocore.session
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.validate import validate_parameters

from eks_accelerators.capacity.aws_calls import Aws

Reply = Mapping[str, Any] | Exception
Replies = Callable[[Mapping[str, Any]], Reply]


@dataclass
class FakeAws:
    """Clients whose calls are answered by ``replies``, by `service.operation`: an answer, an error, or a function of the
    parameters. A call that no test expects is an error of the test.
    """

    replies: dict[str, Reply | Replies] = field(default_factory=dict)
    made: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    """Region, `service.operation` and parameters of each call."""

    def get(self, service: str, region: str) -> "FakeClient":
        return FakeClient(self, service, region)

    def names(self) -> list[str]:
        return [name for _, name, _ in self.made]


class FakeClient:
    """One service in one region."""

    def __init__(self, aws: FakeAws, service: str, region: str) -> None:
        self._aws, self._service, self._region = aws, service, region
        self.meta = _client(service).meta

    def can_paginate(self, operation: str) -> bool:
        return False

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**parameters: Any) -> Any:
            model = self.meta.service_model.operation_model(self.meta.method_to_api_mapping[operation])
            validate_parameters(parameters, model.input_shape)
            name = f"{self._service}.{operation}"
            self._aws.made.append((self._region, name, parameters))
            reply = self._aws.replies.get(name)
            assert reply is not None, f"nobody said what {name}({parameters}) answers"
            answer = reply(parameters) if callable(reply) else reply
            if isinstance(answer, Exception):
                raise answer
            _judge(answer, model.output_shape, name)
            return answer

        return call


def refusal(code: str, message: str = "no", status: int = 400) -> ClientError:
    """An error that AWS answers."""
    return ClientError(
        {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}, "Operation"
    )


def judge(answer: Mapping[str, Any], service: str, operation: str) -> None:
    """Hold an answer against botocore's model of the operation."""
    meta = _client(service).meta
    model = meta.service_model.operation_model(meta.method_to_api_mapping[operation])
    _judge(answer, model.output_shape, f"{service}.{operation}")


def _judge(answer: Mapping[str, Any], shape: Any, name: str) -> None:
    """Members that botocore's model of the answer does not have are a mistake of the test."""
    unknown = set(answer) - set(shape.members)
    assert not unknown, f"{name} never answers {sorted(unknown)}"
    for key, value in answer.items():
        _judge_value(value, shape.members[key], f"{name}.{key}")


def _judge_value(value: Any, shape: Any, name: str) -> None:
    if shape.type_name == "structure" and isinstance(value, Mapping):
        _judge(value, shape, name)
    elif shape.type_name == "list" and isinstance(value, list):
        for item in value:
            _judge_value(item, shape.member, name)


_CLIENTS: dict[str, Any] = {}


def _client(service: str) -> Any:
    if service not in _CLIENTS:
        session = boto3.session.Session(
            "nobody", "nothing", region_name="us-east-2", botocore_session=botocore.session.Session()
        )
        _CLIENTS[service] = session.client(service, config=Config(retries={"total_max_attempts": 1}))
    return _CLIENTS[service]


@contextmanager
def asking(replies: dict[str, Reply | Replies], **options: Any) -> Iterator[tuple[Aws, FakeAws]]:
    """`Aws` over a fake one."""
    fake = FakeAws(dict(replies))
    with Aws(fake, **options) as aws:
        yield aws, fake


class WireClients:
    """boto3's own clients whose requests get ``respond``'s answer in place of the network's: status, body, or an error."""

    def __init__(self, respond: Callable[[Any], tuple[int, bytes] | Exception]) -> None:
        self._respond = respond
        self.requests = 0

    def get(self, service: str, region: str) -> Any:
        session = boto3.session.Session("nobody", "nothing", region_name=region)
        client = session.client(service, config=Config(retries={"total_max_attempts": 1}))
        client.meta.events.register_first(f"before-send.{service}.*", self._answer)
        return client

    def _answer(self, request: Any, **_: Any) -> AWSResponse:
        self.requests += 1
        answer = self._respond(request)
        if isinstance(answer, Exception):
            raise answer
        status, body = answer
        return AWSResponse(request.url, status, {"content-type": "text/xml"}, Body(body))


class Body:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._body

    def read(self, *_: Any) -> bytes:
        return self._body


def error_body(protocol: str, code: str, message: str = "no") -> bytes:
    """An error as services of that protocol write it."""
    if protocol == "json":
        return json.dumps({"__type": code, "message": message}).encode()
    return (
        f"<Response><Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors></Response>".encode()
    )
