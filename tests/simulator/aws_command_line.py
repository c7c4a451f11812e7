"""A command line of the AWS CLI, read by botocore's own models: operation, parameters, and what is done with the answer.

What is read: options of scalars, flags and their `--no-` forms, lists of words, `key=value,..` in place of a structure, and
`--query` and `--max-items`, which are the CLI's own. Source: AWS CLI user guide, `cli-usage-parameters-types` and
`cli-usage-shorthand`.
"""

import shlex
from dataclasses import dataclass, field
from typing import Any

import boto3
import jmespath
from botocore import xform_name


@dataclass
class AwsCommand:
    """One call. ``query`` is JMESPath, and empty where the whole answer is shown."""

    service: str
    operation: str
    parameters: dict[str, Any]
    query: str = ""
    most_items: int | None = None
    unknown: list[str] = field(default_factory=list)
    """Options that the operation does not have."""

    def shown(self, **client: Any) -> Any:
        """What the CLI would show: the answer, all of its pages, or what the query takes of it."""
        asked = boto3.client(self.service, **client)
        if asked.can_paginate(self.operation):
            pages = asked.get_paginator(self.operation)
            limit = {"MaxItems": self.most_items} if self.most_items else {}
            answer = pages.paginate(**self.parameters, PaginationConfig=limit).build_full_result()
        else:
            answer = getattr(asked, self.operation)(**self.parameters)
        answer.pop("ResponseMetadata", None)
        return jmespath.search(self.query, answer) if self.query else answer


def read(line: str) -> AwsCommand:
    """The command of a line that begins with `aws`. Raises KeyError for an operation that the service does not have."""
    _, service, operation, *words = shlex.split(line)
    model = boto3.client(service, region_name="us-east-2").meta.service_model
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(operations[operation]).input_shape
    members = {xform_name(name, "-"): (name, member) for name, member in shape.members.items()}
    command = AwsCommand(service, xform_name(operations[operation]), {})
    for option, values in _options(words):
        plain = option.removeprefix("no-") if option not in members else option
        if option == "query":
            command.query = " ".join(values)
        elif option == "max-items":
            command.most_items = int(values[0])
        elif plain in members:
            name, member = members[plain]
            command.parameters[name] = _value(member, values, is_no=plain != option)
        else:
            command.unknown.append(option)
    return command


def _options(words):
    """Each option with the words that follow it."""
    found = []
    for word in words:
        if word.startswith("--"):
            found.append((word.removeprefix("--"), []))
        else:
            found[-1][1].append(word)
    return found


def _value(shape, words, *, is_no=False):
    if shape.type_name == "boolean":
        return not is_no
    if shape.type_name == "list":
        return [_value(shape.member, [word]) for word in words]
    if shape.type_name == "structure":
        pairs = (pair.partition("=")[::2] for pair in words[0].split(","))
        return {key: _value(shape.members[key], [value]) for key, value in pairs}
    return int(words[0]) if shape.type_name in ("integer", "long") else words[0]
