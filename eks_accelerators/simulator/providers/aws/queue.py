"""SQS queues, and who may send to them."""

import json
from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; terraform-provider-aws `internal/service/sqs/queue.go`: a "
        "queue's ID is its URL, and tags are read and set beside the attributes; SQS API (botocore 1.44.5); read "
        "2026-11-22."
    ),
)

_ATTRIBUTES = {
    "messageRetentionSeconds": "MessageRetentionPeriod",
    "sqsManagedSseEnabled": "SqsManagedSseEnabled",
}


class QueueKind(Kind):
    """`aws.sqs.Queue`, whose ID is its URL."""

    token = "aws:sqs/queue:Queue"
    properties = frozenset({"name", "tags", *_ATTRIBUTES})
    changeable = frozenset({"tags", *_ATTRIBUTES})
    kept = frozenset({"sqsManagedSseEnabled"})
    name_property = "name"
    longest_name = 80
    calls = frozenset(
        {
            "sqs.create_queue",
            "sqs.delete_queue",
            "sqs.get_queue_attributes",
            "sqs.list_queue_tags",
            "sqs.set_queue_attributes",
            "sqs.tag_queue",
            "sqs.untag_queue",
        }
    )
    facts = ResourceFacts(
        called="queue",
        replacing=("fifoQueue", "name", "namePrefix"),
        scope="queues",
        durations=ONE_CALL | {"create": UsualTime(26, "estimate-queue")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        url = aws.call(
            "sqs",
            "create_queue",
            QueueName=inputs["name"],
            Attributes=_attributes(inputs),
            tags=inputs.get("tags") or {},
        )["QueueUrl"]
        return Created(url, {"arn": self._read(aws, url)["QueueArn"], "url": url})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = self._read(aws, identifier)
        return {
            "messageRetentionSeconds": int(found["MessageRetentionPeriod"]),
            "sqsManagedSseEnabled": str(found.get("SqsManagedSseEnabled", "false")).lower() == "true",
            "tags": aws.call("sqs", "list_queue_tags", QueueUrl=identifier).get("Tags", {}),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if attributes := _attributes(new):
            aws.call("sqs", "set_queue_attributes", QueueUrl=identifier, Attributes=attributes)
        gone, changed = tags.changes(old, new)
        if gone:
            aws.call("sqs", "untag_queue", QueueUrl=identifier, TagKeys=gone)
        if changed:
            aws.call("sqs", "tag_queue", QueueUrl=identifier, Tags=changed)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("sqs", "delete_queue", QueueUrl=identifier)

    @staticmethod
    def _read(aws: Calls, url: str) -> dict[str, str]:
        found: dict[str, str] = aws.call("sqs", "get_queue_attributes", QueueUrl=url, AttributeNames=["All"])[
            "Attributes"
        ]
        return found


class QueuePolicyKind(Kind):
    """`aws.sqs.QueuePolicy`, whose ID is the queue's; to delete it takes the policy away."""

    token = "aws:sqs/queuePolicy:QueuePolicy"
    properties = frozenset({"policy", "queueUrl"})
    changeable = frozenset({"policy"})
    calls = frozenset({"sqs.get_queue_attributes", "sqs.set_queue_attributes"})
    facts = ResourceFacts(
        called="queue",
        replacing=("queueUrl",),
        scope="queues",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        self._set(aws, inputs["queueUrl"], inputs["policy"])
        return Created(inputs["queueUrl"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        answer = aws.call("sqs", "get_queue_attributes", QueueUrl=identifier, AttributeNames=["Policy"])
        found = answer.get("Attributes", {}).get("Policy")
        if not found:
            return None
        same = json.loads(found) == json.loads(state.get("policy", "{}"))
        return {"policy": state["policy"] if same else found}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._set(aws, identifier, new["policy"])
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        self._set(aws, identifier, "")

    @staticmethod
    def _set(aws: Calls, url: str, policy: str) -> None:
        aws.call("sqs", "set_queue_attributes", QueueUrl=url, Attributes={"Policy": policy})


def _attributes(inputs: dict[str, Any]) -> dict[str, str]:
    found = {key: inputs.get(name) for name, key in _ATTRIBUTES.items()}
    return {
        key: str(value).lower() if isinstance(value, bool) else str(int(value))
        for key, value in found.items()
        if value is not None
    }


KINDS: tuple[Kind, ...] = (QueueKind(), QueuePolicyKind())
