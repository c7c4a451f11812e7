"""The checks together: what they ask, how often, and what becomes of calls that fail."""

import json
import threading

import botocore.exceptions
import botocore.parsers
import pytest

from eks_accelerators.accelerators.iam_actions import preflight_actions
from eks_accelerators.capacity.aws_calls import Aws, Call
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.capacity.preflight.run import run
from tests.capacity.fakes import FakeAws, refusal
from tests.capacity.preflight.test_checks import CASES
from tests.capacity.preflight.world import GOOD, everything, inquiry, patched, quota, shipped
from tests.polls import PATIENCE_SECONDS

FAILURES = [
    pytest.param(refusal("RequestLimitExceeded", status=503), "AWS throttles", id="throttled"),
    pytest.param(refusal("InternalError", status=500), "AWS failed (500", id="server-error"),
    pytest.param(botocore.exceptions.ReadTimeoutError(endpoint_url="x"), "no answer in time", id="time-out"),
    pytest.param(refusal("ExpiredToken", status=400), "sign in again", id="expired"),
    pytest.param(refusal("AccessDenied", status=403), "the caller may not ask this", id="denied"),
    pytest.param(botocore.parsers.ResponseParserError("garbage"), "the answer is not one of AWS", id="garbage"),
    pytest.param({}, "the answer lacks what it should have", id="empty"),
    pytest.param(
        botocore.exceptions.EndpointConnectionError(endpoint_url="x"), "AWS cannot be reached", id="no-network"
    ),
]


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_the_preflight_of_a_shipped_stack(stack, snapshot):
    results, _ = everything(shipped(stack))

    told = [f"{each.status.value:8}{each.code:32}{each.finding.path}: {each.finding.found}" for each in results]
    assert told == snapshot


@pytest.mark.parametrize(("failure", "line"), FAILURES)
@pytest.mark.parametrize("operation", sorted(GOOD))
def test_a_call_that_fails_is_unknown_and_never_fine(operation, failure, line):
    """Of every check that asks it; of those that do not, nothing changes."""
    settings = shipped("prod")
    fine, _ = everything(settings)
    found, fake = everything(settings, {operation: failure})

    if operation in fake.names():
        unknown = [each for each in found if each.status == "unknown"]
        assert unknown
        assert any(line in each.finding.found for each in unknown), [each.finding.found for each in unknown]
    asked = Call(*operation.split(".", 1), "us-east-2", "", object).command.split()[2]
    for each in found:
        if each.status == "ok":
            assert each in fine
            assert not any(asked == call.split()[2] for call in each.finding.calls)


def test_nothing_answers(tmp_path):
    results, _ = everything(shipped("prod"), dict.fromkeys(GOOD, refusal("AccessDenied", status=403)))

    assert {each.status.value for each in results} == {"unknown"}


def test_a_mistake_of_ours_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        everything(shipped("dev"), {"eks.describe_cluster_versions": ZeroDivisionError()})


def test_the_policy_of_a_preflight_allows_its_calls_and_no_more():
    made = set()
    for case in CASES:
        fake = FakeAws({**GOOD, **case.replies})
        with Aws(fake) as aws:
            CHECKS[case.code].results(inquiry(aws, patched(case.patch)))
            made |= {call.name for call in aws.calls}

    assert sorted(made) == preflight_actions()


def test_only_reads_are_asked():
    _, fake = everything(shipped("prod"))

    for _, name, parameters in fake.made:
        operation = name.partition(".")[2]
        assert operation.startswith(("describe_", "get_", "list_", "simulate_")) or parameters.get("DryRun") is True


def groups(number, *kinds):
    """That many node groups, of these types in turn."""
    return {
        "workloads": {},
        "nodeGroups": {
            f"g{each}": {"instanceType": kinds[each % len(kinds)], "size": {"max": 1}} for each in range(number)
        },
    }


def test_calls_grow_with_types_and_not_with_node_groups():
    enough = {"service-quotas.get_service_quota": quota(10**6)}

    def calls(*arguments):
        return len(everything(patched(groups(*arguments)), enough)[1].made)

    assert calls(1, "g6.2xlarge") == calls(100, "g6.2xlarge")
    assert calls(2, "g6.2xlarge", "trn1.32xlarge") == calls(100, "g6.2xlarge", "trn1.32xlarge")


def test_each_question_is_asked_once():
    _, fake = everything(shipped("prod"))

    asked = [json.dumps([region, name, parameters], default=str) for region, name, parameters in fake.made]
    assert len(asked) == len(set(asked))


def test_results_come_in_the_order_of_the_checks():
    with Aws(FakeAws(dict(GOOD))) as aws:
        results = run(inquiry(aws, shipped("prod")))

    order = list(CHECKS)
    assert [each.code for each in results] == sorted((each.code for each in results), key=order.index)


def test_the_quotas_do_not_wait_for_the_instances_of_the_stack():
    """Usage needs the quotas before it: a third call in a row would be half a preflight more."""
    asked = threading.Event()

    def allowed(parameters):
        asked.set()
        return quota(10**6)(parameters)

    def launched(_):
        assert asked.wait(timeout=PATIENCE_SECONDS)
        return {"Reservations": []}

    overrides = {"service-quotas.get_service_quota": allowed, "ec2.describe_instances": launched}
    results, _ = everything(shipped("dev"), overrides)

    assert "unknown" not in {each.status for each in results if each.code.startswith("quota-")}
