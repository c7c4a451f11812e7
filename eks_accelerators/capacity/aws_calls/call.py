"""One call of AWS's API, with the type of its answer."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic.alias_generators import to_camel, to_pascal

T = TypeVar("T")

_IAM_PREFIXES = {"service-quotas": "servicequotas"}
_CAPITALS = {"aws": "AWS"}
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Call(Generic[T]):
    """One operation of one service in one region.

    ``operation`` and ``parameters`` are boto3's. ``result`` is the member of the answer that is wanted, all of its pages
    where there are several; it is read as ``shape``, a pydantic model, a list of one or a plain type.
    """

    service: str
    operation: str
    region: str
    result: str
    shape: type[T]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """The same for two calls that ask the same."""
        written = json.dumps(self.parameters, sort_keys=True, default=iso_text)
        return self.service, self.operation, self.region, self.result, written

    @property
    def command(self) -> str:
        """The same call as a command of the AWS CLI, to be repeated by hand."""
        words = ["aws", self.service, self.operation.replace("_", "-"), "--region", self.region]
        for name, value in self.parameters.items():
            words += _option(name, value)
        return shlex.join(words)

    @property
    def name(self) -> str:
        """Service and operation as IAM and CloudTrail spell them, such as `ec2:DescribeSubnets`."""
        prefix = _IAM_PREFIXES.get(self.service, self.service)
        return f"{prefix}:{''.join(_CAPITALS.get(word, word.capitalize()) for word in self.operation.split('_'))}"

    def read(self, found: Any) -> T:
        """What was found as ``shape``. Raises pydantic's `ValidationError` where it is something else."""
        return TypeAdapter(self.shape).validate_python(found)


class PascalCase(BaseModel):
    """Part of an answer of a service that writes `InstanceType`; members that nobody reads are passed over."""

    model_config = ConfigDict(alias_generator=to_pascal, frozen=True)


class CamelCase(BaseModel):
    """Part of an answer of a service that writes `instanceType`."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True)


def _option(name: str, value: Any) -> Iterator[str]:
    option = "--" + "-".join(_WORDS.split(name)).lower()
    if value is True or value is False:
        yield option if value else option.replace("--", "--no-", 1)
        return
    yield option
    if isinstance(value, list) and not any(isinstance(item, dict) for item in value):
        yield from map(str, value)
    elif isinstance(value, dict | list):
        yield json.dumps(value, default=iso_text)
    else:
        yield iso_text(value)


def iso_text(value: Any) -> str:
    """A value of an answer as text, a time in ISO 8601."""
    return value.isoformat() if isinstance(value, datetime) else str(value)
