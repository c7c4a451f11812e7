"""What Karpenter may do is what its makers publish; the queue takes words from its own rules alone."""

import json
from pathlib import Path

from eks_accelerators.accelerators import karpenter

PUBLISHED = json.loads(Path(__file__).with_name("karpenter-policies.json").read_text(encoding="utf-8"))
NODE_ROLE = "arn:aws:iam::111122223333:role/nodes"
QUEUE = "arn:aws:sqs:us-east-2:111122223333:karpenter"


def told(statements):
    """Statements in a form in which two documents can be compared: without names, lists in order."""

    def plain(value):
        if isinstance(value, dict):
            return {key: plain(each) for key, each in sorted(value.items()) if key != "Sid"}
        return sorted(value) if isinstance(value, list) else value

    return sorted(
        json.dumps(
            {**plain(each), "Action": sorted([each["Action"]] if isinstance(each["Action"], str) else each["Action"])},
            sort_keys=True,
        )
        for each in statements
    )


def test_the_policies_are_the_published_ones():
    ours = karpenter.policies("ml", "us-east-2", NODE_ROLE, QUEUE)

    assert {name: told(policy["Statement"]) for name, policy in ours.items()} == {
        name: told(policy["Statement"]) for name, policy in PUBLISHED["policies"].items()
    }


def test_every_event_of_the_published_rules_is_sent():
    assert {f"{source}: {kind}" for source, kind in karpenter.INTERRUPTIONS.values()} == set(PUBLISHED["events"])
    assert PUBLISHED["retention"] == karpenter.QUEUE_RETENTION_SECONDS


def test_only_the_rules_may_send_and_only_over_tls():
    rules = ["arn:aws:events:us-east-2:111122223333:rule/a"]
    send, deny = karpenter.queue_policy(QUEUE, rules)["Statement"]

    assert (send["Action"], send["Resource"]) == (["sqs:SendMessage"], QUEUE)
    assert send["Condition"] == {"ArnEquals": {"aws:SourceArn": rules}}
    assert deny["Effect"] == "Deny"
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
