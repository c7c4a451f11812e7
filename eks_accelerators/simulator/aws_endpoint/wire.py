"""Calls of the AWS API as they come over HTTP, and answers as they go back.

What is on the wire follows from botocore's service models, read by moto's parsers and written by its serializers: for the
protocols query, ec2, json and rest-json. Signatures are not checked; they say which service is meant.
"""

import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore import xform_name
from moto.core.model import OperationModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.serialize import SerializationContext, get_serializer_class
from moto.core.utils import get_service_model
from werkzeug.exceptions import MethodNotAllowed, NotFound

from eks_accelerators.simulator.local_server import Reply

SERVICES = ("autoscaling", "ec2", "eks", "iam", "pricing", "sqs", "ssm", "sts")
"""What can be asked for: the names with which requests are signed, and botocore's."""

_SIGNED = re.compile(r"Credential=[^/]+/\d+/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request")


class UnreadableRequestError(Exception):
    """A request that is no call of a service that is here; the message says why."""


@dataclass(frozen=True, slots=True)
class WireCall:
    """An operation with its parameters, as for a boto3 client."""

    service: str
    model: OperationModel
    protocol: str
    parameters: dict[str, Any]

    @property
    def operation(self) -> str:
        """The operation in boto3's spelling."""
        return str(xform_name(self.model.name))


def read(method: str, url: str, headers: Mapping[str, str], body: bytes) -> WireCall:
    """The call that a request makes; raises `UnreadableError`."""
    signed = _SIGNED.search(headers.get("Authorization", ""))
    if signed is None:
        raise UnreadableRequestError("the request is not signed, so it does not say which service is meant")
    service = signed["service"]
    if service not in SERVICES:
        raise UnreadableRequestError(f"the service {service} is not served here; allowed: {', '.join(SERVICES)}")
    request = Request.from_primitives(method, url, headers, body)
    try:
        model, labels = get_service_router(service).match(request)
        protocol = determine_request_protocol(get_service_model(service), request.content_type)
    except (NotFound, MethodNotAllowed, NotImplementedError) as error:
        raise UnreadableRequestError(f"{method} {request.path} is no operation of {service}: {error}") from None
    parser = PROTOCOL_PARSERS[protocol](model)
    parameters: dict[str, Any] = parser.parse(
        {
            "method": request.method,
            "values": request.values,
            "headers": request.headers,
            "body": request.data,
            "url_path": request.path,
            "url_params": labels,
        }
    )
    return WireCall(service, model, protocol, parameters)


def written(call: WireCall, result: Mapping[str, Any] | Exception) -> Reply:
    """The answer to a call, or its refusal: an exception with `code` and `message`."""
    context = SerializationContext(request_id=str(uuid.uuid4()))
    serializer = get_serializer_class(call.service, call.protocol)(call.model, context)
    found = serializer.serialize(result)
    body = found["body"]
    return Reply(found["status_code"], found["headers"], body if isinstance(body, bytes) else str(body).encode())
