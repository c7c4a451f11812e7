"""A preflight of the simulated account: what it has is what the checks find, at its own time."""

import pytest

from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import CHECKS
from eks_accelerators.capacity.preflight.run import run
from eks_accelerators.simulator.aws.clients import simulated_clients
from tests.capacity.preflight.world import patched, shipped
from tests.simulator.aws.accounts import furnish, opened, reservation

G_QUOTA = "L-DB2E81BA"


@pytest.fixture
def account(tmp_path):
    """With the Capacity Block of stack `prod`."""
    with opened(tmp_path, {"capacityReservations": [reservation("cr-0123456789abcdef0")]}) as found:
        yield found


def asked(account, settings, code=None, stack="test"):
    now = account.state.now
    with clock.set_to(now), Aws(simulated_clients(account)) as aws:
        inquiry = Inquiry(
            stack, settings, aws, now, lambda account: {"Statement": [{"Action": "ec2:CreateVpc", "Resource": "*"}]}
        )
        return CHECKS[code].results(inquiry) if code else run(inquiry)


@pytest.mark.parametrize(
    ("stack", "unknown"),
    [
        ("dev", []),
        ("staging", []),
        # Nobody lists an on-demand price of trn2.
        ("prod", ["price-current nodeGroups.trn2.instanceType"]),
    ],
)
def test_a_shipped_stack_goes_through(account, stack, unknown):
    results = asked(account, shipped(stack))

    assert {each.status.value for each in results} <= {"ok", "warning", "unknown"}
    assert [f"{each.code} {each.finding.path}" for each in results if each.status == "unknown"] == unknown
    assert {each.code for each in results if each.status == "warning"} == {"service-linked-roles", "api-reachable"}


@pytest.mark.parametrize(
    ("version", "pinned", "expected"),
    [
        ("1.35", None, "ok: v1.22.4-eksbuild.3 by default"),
        ("1.35", "v1.21.1-eksbuild.1", "ok: v1.21.1-eksbuild.1 is there"),
        ("1.34", "v1.21.1-eksbuild.1", "problem: v1.21.1-eksbuild.1 does not run on Kubernetes 1.34"),
        # AWS may have it: the account knows some versions, not all.
        ("1.35", "v1.20.0-eksbuild.1", "unknown: eks:DescribeAddonConfiguration is not simulated"),
        ("1.37", None, "unknown: eks:DescribeAddonVersions is not simulated"),
    ],
)
def test_versions_of_addons_are_those_that_are_known(account, version, pinned, expected):
    patch = {
        "cluster.kubernetesVersion": version,
        **({"cluster.addonVersions": {"vpc-cni": pinned}} if pinned else {}),
    }
    found = asked(account, patched(patch), "addon-version-available")
    (of_cni,) = (each for each in found if each.finding.path.endswith("vpc-cni"))

    assert f"{of_cni.status.value}: {of_cni.finding.found}" == expected


@pytest.mark.parametrize(("vcpus", "status"), [(48, "ok"), (47, "problem")])
def test_a_quota_of_the_account_file_is_the_quota(tmp_path, vcpus, status):
    with opened(tmp_path, {"quotas": {G_QUOTA: vcpus}}) as account:
        (*_, found) = asked(account, patched({}), "quota-on-demand")

    assert (found.status, f"allows {vcpus} vCPUs" in found.finding.found) == (status, True)


def test_nodes_count_against_a_quota_unless_they_are_the_stack_s_own(tmp_path):
    """Two g6.2xlarge run, of eight vCPUs each."""
    with opened(tmp_path) as account:
        own, others = _used_by(furnish(account))

    assert (", 0 used by others" in own, ", 16 used by others" in others) == (True, True)


def _used_by(place):
    """What is found of the quota by the stack whose nodes run, and by another."""
    tags = [{"Key": "stack", "Value": "test"}, {"Key": "owner", "Value": "ml-platform"}]
    template = place.template(
        {"InstanceType": "g6.2xlarge", "TagSpecifications": [{"ResourceType": "instance", "Tags": tags}]}
    )
    sizes = {"minSize": 0, "desiredSize": 2, "maxSize": 2}
    place.create(launchTemplate=template, instanceTypes=None, scalingConfig=sizes)

    return [
        asked(place.aws, patched({}), "quota-on-demand", stack=stack)[-1].finding.found for stack in ("test", "another")
    ]


def test_spot_is_unlikely_where_there_is_no_capacity(tmp_path):
    spot = patched({"nodeGroups.gpu.capacityType": "spot"})
    with opened(tmp_path, {"insufficientCapacity": [{"instanceType": "g6.2xlarge"}]}) as account:
        (found,) = asked(account, spot, "spot-placement-score")

    assert (found.status, "score 1 of 10" in found.finding.found) == ("warning", True)
