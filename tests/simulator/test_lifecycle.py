"""A stack from its first preview to its end: what is planned is done, nothing is done twice, and nothing is left."""

import pytest

from eks_accelerators.accel.resource_counts import resource_counts
from tests.accel.plans import shipped
from tests.simulator.lives import (
    BLOCK,
    NEXT_BLOCK,
    PURCHASE,
    cli,
    every,
    left,
    listed,
    objects,
    scale,
    sizes,
    to,
    words,
)

pytestmark = pytest.mark.slow

unprotected = to("cluster.deletionProtection", False)


@pytest.mark.parametrize(
    ("stack", "lets_go"),
    [
        pytest.param("dev", None, id="dev"),
        pytest.param("staging", None, id="staging", marks=pytest.mark.thorough),
        pytest.param("prod", unprotected, id="prod", marks=pytest.mark.thorough),
    ],
)
def test_a_whole_life(deployments, tmp_path, stack, lets_go):
    first = deployments.first(stack)
    resources, _ = resource_counts(shipped(stack).report.resources)  # the plan's own number
    assert (first.planned, first.resources) == (first.done, resources)

    with deployments.copied(stack, tmp_path) as deployed:
        assert listed(left(deployed.account)) == first.after
        assert words(deployed.run("up")) == set()
        assert words(deployed.run("refresh")) == set()
        assert words(deployed.run("up")) == set()

        if lets_go:
            assert words(deployed.run("up", lets_go)) == {f"update Cluster eks-accelerators-{stack}-eksCluster"}
        destroyed = deployed.run("destroy")
        assert (destroyed.errors, destroyed.changes) == ([], {"delete": resources})
        assert (listed(left(deployed.account)), objects(deployed.simulation)) == (first.before, set())


@pytest.mark.thorough
def test_drift_is_found_and_mended(deployments, tmp_path):
    with deployments.copied("dev", tmp_path) as deployed:
        vpc = deployed.found("Vpc eks-accelerators-dev")
        attached = deployed.found("RolePolicyAttachment eks-accelerators-dev-vpc-cni-AmazonEKS_CNI_Policy")["outputs"]
        call, api = deployed.account.call, deployed.simulation.cluster.api
        call("ec2", "delete_tags", Resources=[vpc["id"]], Tags=[{"Key": "owner"}])
        call("iam", "detach_role_policy", RoleName=attached["role"], PolicyArn=attached["policyArn"])
        scale(deployed.account, "l4-shared", desiredSize=2)
        api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": 1}})

        assert words(deployed.run("refresh")) == {
            "update Vpc eks-accelerators-dev",
            "delete RolePolicyAttachment eks-accelerators-dev-vpc-cni-AmazonEKS_CNI_Policy",
            "update NodeGroup l4-shared",
            "update Deployment llama",
        }
        # How many nodes there are is the autoscaler's.
        assert words(deployed.run("up")) == {
            "update Vpc eks-accelerators-dev",
            "create RolePolicyAttachment eks-accelerators-dev-vpc-cni-AmazonEKS_CNI_Policy",
            "update Deployment llama",
        }
        assert sizes(deployed.account, "l4-shared") == (0, 2, 2)
        assert deployed.run("refresh").changes == {}


KEPT = {
    "AccessEntry eks-accelerators-prod-ml-engineers",
    "AccessEntry eks-accelerators-prod-platform",
    "AccessPolicyAssociation eks-accelerators-prod-ml-engineers-policy",
    "AccessPolicyAssociation eks-accelerators-prod-platform-policy",
    "Cluster eks-accelerators-prod-eksCluster",
    "Role eks-accelerators-prod-eksRole-role",
    "RolePolicyAttachment eks-accelerators-prod-eksRole-4b490823",
    "Subnet eks-accelerators-prod-private-us-east-2a",
    "Subnet eks-accelerators-prod-private-us-east-2b",
    "Subnet eks-accelerators-prod-private-us-east-2c",
    "Vpc eks-accelerators-prod",
}


@pytest.mark.thorough
def test_a_protected_cluster_protects_the_stack(deployments, tmp_path):
    with deployments.copied("prod", tmp_path) as deployed:
        there = left(deployed.account)

        refused = deployed.run("destroy")

        assert "because it is protected" in refused.errors[0]
        assert (refused.changes, left(deployed.account)) == ({}, there)

        # Where nobody looks first, everything goes that the cluster can do without.
        refused = deployed.run("destroy", None, "--skip-preview")

        assert "because it is protected" in refused.errors[0]
        assert deployed.kept() == KEPT

        # Another up brings it back.
        assert deployed.run("up").ok
        assert deployed.run("up").changes == {}


@pytest.mark.thorough
def test_a_block_that_was_bought_is_kept(engines, deployments, tmp_path):
    """As docs/capacity-blocks.md says: it is bought once, protected, and only forgotten."""
    group = {"instanceType": "p5.48xlarge", "capacityBlock": "bought", "size": {"max": 4}}
    buys = every(to("capacityBlocks", {"bought": {"purchase": dict(PURCHASE)}}), to("nodeGroups.h100", group))
    with deployments.copied("dev", tmp_path) as deployed:
        bought = deployed.run("up", buys)
        assert (bought.errors, "create CapacityBlockReservation bought" in words(bought)) == ([], True)
        reservation = deployed.found("CapacityBlockReservation bought")
        assert deployed.account.state.blocks.keys() - {BLOCK, NEXT_BLOCK} == {reservation["id"]}
        assert deployed.run("up", buys).changes == {}
        assert "because it is protected" in deployed.run("destroy").errors[0]

        named = every(buys, to("capacityBlocks", {"bought": {"reservationId": reservation["id"]}}))
        cli(engines["pulumi"], deployed.simulation, "state", "unprotect", reservation["urn"], "--stack", "dev", "--yes")
        assert words(deployed.run("up", named)) == {"delete CapacityBlockReservation bought"}
        assert deployed.run("destroy").ok
        assert left(deployed.account) == {
            ("CapacityBlock", BLOCK),
            ("CapacityBlock", NEXT_BLOCK),
            ("CapacityBlock", reservation["id"]),
        }
