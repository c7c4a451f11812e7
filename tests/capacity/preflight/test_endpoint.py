"""The check `api-reachable`: a cluster that is there is tried, for another one addresses are compared."""

from dataclasses import replace

import pytest

from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.caller_location import Here
from eks_accelerators.capacity.preflight.registry import CHECKS
from tests.capacity.fakes import FakeAws
from tests.capacity.preflight.test_checks import EXISTING
from tests.capacity.preflight.world import GOOD, inquiry, patched

PATH = "cluster.endpoint.publicAccessCidrs"
OFFICE = "198.18.7.0/24"
ENDPOINT = "https://0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com"
WAITS = "`pulumi up` would wait minutes for it, and then fail to create what is in Kubernetes"
VPC = "vpc-0123456789abcdef0"


def found(patch, here=None, why_not=None, access=None, named=None):
    """What the check finds, in words, and which endpoints it has tried. With ``access`` the cluster is there."""
    tried = []

    def reach(endpoint, authority):
        tried.append((endpoint, authority))
        return why_not

    replies = dict(GOOD)
    if access is not None:
        replies["eks.describe_cluster"] = {
            "cluster": {
                "name": named or "eks-accelerators-test",
                "endpoint": ENDPOINT,
                "certificateAuthority": {"data": "Q0E="},
                "resourcesVpcConfig": access,
            }
        }
    fake = FakeAws(replies)
    with Aws(fake) as aws:
        asked = replace(inquiry(aws, patched(patch)), locate=lambda: here or Here(), reach=reach)
        (result,) = CHECKS["api-reachable"].results(asked)
    (parameters,) = (parameters for _, name, parameters in fake.made if name == "eks.describe_cluster")
    assert parameters == {"name": named or "eks-accelerators-test"}
    assert result.finding.path == PATH
    assert result.status == "ok" or result.finding.fix
    return f"{result.status.value}: {result.finding.found}", tried


def public(*ranges):
    return {"cluster.endpoint.publicAccessCidrs": list(ranges)}


@pytest.mark.parametrize(
    ("patch", "here", "expected"),
    [
        pytest.param(
            public(OFFICE),
            Here("198.18.7.9"),
            "ok: you come from 198.18.7.9 (--my-address), to which the API answers",
            id="inside",
        ),
        pytest.param(
            public(OFFICE, "198.18.9.0/24"),
            Here("198.18.8.1", "instance metadata"),
            f"problem: you come from 198.18.8.1 (instance metadata), and the API answers to {OFFICE}, 198.18.9.0/24 "
            f"only; {WAITS}",
            id="outside",
        ),
        pytest.param(
            public(OFFICE),
            Here("2001:470::7"),
            f"problem: you come from 2001:470::7 (--my-address), and the API answers to {OFFICE} only; {WAITS}",
            id="another-protocol",
        ),
        pytest.param(
            public(OFFICE),
            None,
            f"unknown: the API answers to {OFFICE} only, and from which address you come is not known",
            id="address-unknown",
        ),
        pytest.param(public("0.0.0.0/0"), None, "ok: the API is open to every address", id="open"),
        pytest.param(
            public("203.0.113.0/24"),
            Here("203.0.113.7"),
            f"warning: nobody comes from 203.0.113.0/24, reserved for examples; {WAITS}",
            id="example",
        ),
        pytest.param(
            public(),
            Here("198.18.7.9"),
            f"warning: the API answers inside the VPC that this deployment makes only; from elsewhere {WAITS}",
            id="private-and-new",
        ),
        pytest.param(
            {**EXISTING, **public()},
            Here(None, "instance metadata", "vpc-0fedcba9876543210"),
            f"warning: the API answers inside {VPC} only; from elsewhere {WAITS}",
            id="private-and-elsewhere",
        ),
        pytest.param(
            {**EXISTING, **public(OFFICE)},
            Here("198.18.8.1", "instance metadata", VPC),
            f"ok: you are in {VPC}, where the API answers",
            id="inside-the-vpc",
        ),
        pytest.param(
            {**EXISTING, **public(OFFICE), "cluster.endpoint.privateAccess": False},
            Here("198.18.8.1", "instance metadata", VPC),
            f"problem: you come from 198.18.8.1 (instance metadata), and the API answers to {OFFICE} only; {WAITS}",
            id="inside-a-vpc-where-it-does-not-answer",
        ),
    ],
)
def test_before_there_is_a_cluster_addresses_are_compared(patch, here, expected):
    assert found(patch, here) == (expected, [])


def open_to(*ranges, private=True):
    return {
        "endpointPublicAccess": bool(ranges),
        "endpointPrivateAccess": private,
        # Without public access EKS goes on to tell the ranges that it had.
        "publicAccessCidrs": list(ranges) or ["0.0.0.0/0"],
    }


HOST = "0123456789abcdef.gr7.us-east-2.eks.amazonaws.com"


@pytest.mark.parametrize(
    ("patch", "access", "why_not", "expected"),
    [
        pytest.param(public(OFFICE), open_to(OFFICE), None, f"ok: the API answers here: {HOST}", id="reached"),
        pytest.param(
            public(OFFICE),
            open_to(OFFICE),
            "no answer in 5 seconds",
            f"problem: the API does not answer here: no answer in 5 seconds ({HOST}, open to {OFFICE}); {WAITS}",
            id="not-reached",
        ),
        pytest.param(
            public(),
            open_to(),
            "no answer in 5 seconds",
            f"problem: the API does not answer here: no answer in 5 seconds ({HOST}, open to its VPC only); {WAITS}",
            id="private",
        ),
        pytest.param(public(), open_to(), None, f"ok: the API answers here: {HOST}", id="private-and-inside"),
    ],
)
def test_a_cluster_that_is_there_is_tried(patch, access, why_not, expected):
    """Whatever the address: there may be a proxy, a VPN, a peered network."""
    assert found(patch, Here("198.18.8.1"), why_not, access) == (expected, [(ENDPOINT, "Q0E=")])


@pytest.mark.parametrize("access", [open_to("198.18.9.0/24"), open_to(OFFICE, private=False), open_to()])
def test_one_that_gets_other_ranges_is_not_tried(access):
    """What answers now says nothing of what will."""
    assert found(public(OFFICE), Here("198.18.7.9"), "no answer", access) == (
        "ok: you come from 198.18.7.9 (--my-address), to which the API answers",
        [],
    )


def test_it_is_asked_by_the_name_of_the_settings():
    assert found({**public(OFFICE), "cluster.name": "ml"}, None, None, open_to(OFFICE), named="ml")[1]
