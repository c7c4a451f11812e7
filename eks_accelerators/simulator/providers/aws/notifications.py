"""SNS topics and EventBridge rules: how word of a Capacity Block gets to people."""

import json
from typing import Any
from uuid import uuid4

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; SNS and EventBridge APIs (botocore 1.44.5); read 2026-11-21."
    ),
)


class TopicKind(Kind):
    """`aws.sns.Topic`, whose ID is its ARN."""

    token = "aws:sns/topic:Topic"
    properties = frozenset({"name", "tags"})
    changeable = frozenset({"tags"})
    name_property = "name"
    longest_name = 256
    calls = frozenset(
        {
            "sns.create_topic",
            "sns.delete_topic",
            "sns.get_topic_attributes",
            "sns.list_tags_for_resource",
            "sns.tag_resource",
            "sns.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="notices",
        replacing=("name", "namePrefix"),
        scope="topics",
        permissions=(Permissions("topics", ("sns:SetTopicAttributes",)),),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call("sns", "create_topic", Name=inputs["name"], Tags=tags.pairs(inputs.get("tags") or {}))
        return Created(made["TopicArn"], {"arn": made["TopicArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        aws.call("sns", "get_topic_attributes", TopicArn=identifier)
        found = aws.call("sns", "list_tags_for_resource", ResourceArn=identifier)
        return {"tags": tags.mapping(found["Tags"])}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag_by_arn(aws, "sns", identifier, old, new, key="ResourceArn")
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("sns", "delete_topic", TopicArn=identifier)


class TopicPolicyKind(Kind):
    """`aws.sns.TopicPolicy`; to delete it leaves the policy that AWS gives a new topic."""

    token = "aws:sns/topicPolicy:TopicPolicy"
    properties = frozenset({"arn", "policy"})
    changeable = frozenset({"policy"})
    calls = frozenset({"sns.get_topic_attributes", "sns.set_topic_attributes"})
    facts = ResourceFacts(
        called="notices",
        replacing=("arn",),
        scope="topics",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        self._set(aws, inputs["arn"], inputs["policy"])
        return Created(inputs["arn"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("sns", "get_topic_attributes", TopicArn=identifier)["Attributes"]["Policy"]
        same = json.loads(found) == json.loads(state["policy"])
        return {"policy": state["policy"] if same else found}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._set(aws, identifier, new["policy"])
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        self._set(aws, identifier, json.dumps({"Version": "2008-10-17", "Statement": []}))

    @staticmethod
    def _set(aws: Calls, arn: str, policy: str) -> None:
        aws.call("sns", "set_topic_attributes", TopicArn=arn, AttributeName="Policy", AttributeValue=policy)


class TopicSubscriptionKind(Kind):
    """`aws.sns.TopicSubscription`; by e-mail it waits for the reader's confirmation."""

    token = "aws:sns/topicSubscription:TopicSubscription"
    properties = frozenset({"endpoint", "protocol", "topic"})
    calls = frozenset({"sns.list_subscriptions_by_topic", "sns.subscribe", "sns.unsubscribe"})
    facts = ResourceFacts(
        called="notices",
        replacing=("endpoint", "protocol", "topic"),
        scope="topics",
        permissions=(
            Permissions("any", ("sns:Unsubscribe", "sns:GetSubscriptionAttributes", "sns:SetSubscriptionAttributes")),
        ),
        only_here={"sns.list_subscriptions_by_topic": "the provider asks with GetSubscriptionAttributes"},
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "sns",
            "subscribe",
            TopicArn=inputs["topic"],
            Protocol=inputs["protocol"],
            Endpoint=inputs["endpoint"],
            ReturnSubscriptionArn=True,
        )
        return Created(made["SubscriptionArn"], {"arn": made["SubscriptionArn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        listed = aws.call("sns", "list_subscriptions_by_topic", TopicArn=state["topic"])["Subscriptions"]
        return {} if any(each["SubscriptionArn"] == identifier for each in listed) else None

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("sns", "unsubscribe", SubscriptionArn=identifier)


class EventRuleKind(Kind):
    """`aws.cloudwatch.EventRule`, whose ID is its name."""

    token = "aws:cloudwatch/eventRule:EventRule"
    properties = frozenset({"description", "eventPattern", "name", "tags"})
    changeable = frozenset({"description", "eventPattern", "tags"})
    name_property = "name"
    longest_name = 64
    calls = frozenset(
        {
            "events.delete_rule",
            "events.describe_rule",
            "events.list_tags_for_resource",
            "events.put_rule",
            "events.tag_resource",
            "events.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="notices",
        replacing=("name", "namePrefix"),
        scope="event-rules",
        permissions=(Permissions("event-rules", ("events:EnableRule", "events:DisableRule")),),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        return Created(inputs["name"], {"arn": self._put(aws, inputs, with_tags=True), "state": "ENABLED"})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        rule = aws.call("events", "describe_rule", Name=identifier)
        listed = aws.call("events", "list_tags_for_resource", ResourceARN=rule["Arn"])
        return {
            "description": rule.get("Description"),
            "eventPattern": rule.get("EventPattern"),
            "tags": tags.mapping(listed["Tags"]),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        arn = self._put(aws, new, with_tags=False)
        tags.retag_by_arn(aws, "events", arn, old, new)
        return {"arn": arn}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("events", "delete_rule", Name=identifier)

    @staticmethod
    def _put(aws: Calls, inputs: dict[str, Any], *, with_tags: bool) -> str:
        optional = {"Description": inputs.get("description"), "EventPattern": inputs.get("eventPattern")}
        made = aws.call(
            "events",
            "put_rule",
            Name=inputs["name"],
            **{key: value for key, value in optional.items() if value is not None},
            **({"Tags": tags.pairs(inputs.get("tags") or {})} if with_tags else {}),
        )
        return str(made["RuleArn"])


class EventTargetKind(Kind):
    """`aws.cloudwatch.EventTarget`. Without an ID of its own it is another target each time it is made."""

    source = "terraform-provider-aws `internal/service/events/target.go`: a unique ID where there is none."
    token = "aws:cloudwatch/eventTarget:EventTarget"
    properties = frozenset({"arn", "rule", "targetId"})
    changeable = frozenset({"arn"})
    calls = frozenset({"events.list_targets_by_rule", "events.put_targets", "events.remove_targets"})
    facts = ResourceFacts(
        called="notices",
        replacing=("rule", "targetId"),
        scope="event-rules",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        target = inputs.get("targetId") or f"terraform-{uuid4().hex[:26]}"
        self._put(aws, inputs, target)
        return Created(f"{inputs['rule']}-{target}", {"targetId": target})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        listed = aws.call("events", "list_targets_by_rule", Rule=state["rule"])["Targets"]
        return next(({"arn": each["Arn"]} for each in listed if each["Id"] == state["targetId"]), None)

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._put(aws, new, identifier.removeprefix(f"{new['rule']}-"))
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("events", "remove_targets", Rule=state["rule"], Ids=[state["targetId"]])

    @staticmethod
    def _put(aws: Calls, inputs: dict[str, Any], target: str) -> None:
        aws.call("events", "put_targets", Rule=inputs["rule"], Targets=[{"Id": target, "Arn": inputs["arn"]}])


KINDS: tuple[Kind, ...] = (TopicKind(), TopicPolicyKind(), TopicSubscriptionKind(), EventRuleKind(), EventTargetKind())
