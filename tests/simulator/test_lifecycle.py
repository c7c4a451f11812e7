"""A stack from its first preview to its end: what is planned is done, nothing is done twice, and nothing is left."""

import shutil

import pytest

from simulator.stack import SimulatedStack
from tests.examples.planning import REQUIRED
from tests.simulator.lives import (
    ACCOUNT,
    BLOCK,
    NEXT_BLOCK,
    OFFERING,
    cli,
    every,
    left,
    objects,
    scale,
    sizes,
    to,
    words,
)
from tests.simulator.worlds import changed, example, load, simulation

pytestmark = pytest.mark.slow

EXISTING = {
    "cluster": {
        "name": "shared-services",
        "kubernetesVersion": "1.35",
        "zones": ["us-east-2a", "us-east-2b", "us-east-2c"],
    },
    "kubeContexts": ["kind-gpu"],
}
"""A cluster that somebody else made."""
CHARTS_LEAVE = {"CustomResourceDefinition"}
"""Helm never deletes them."""


def stack(name, change=None):
    return lambda folder: load(folder, name, change, ACCOUNT)


def on_a_cluster(name):
    program = example(name, REQUIRED[name])
    return lambda folder: SimulatedStack(program, "us-east-2", {**EXISTING, **ACCOUNT}, ())


LIVES = [
    pytest.param(stack("dev"), 76, id="dev"),
    pytest.param(stack("staging"), 104, id="staging"),
    pytest.param(stack("prod", to("cluster.deletionProtection", False)), 128, id="prod"),
    pytest.param(on_a_cluster("device-plugin-alone"), 9, id="device-plugin-alone"),
    pytest.param(on_a_cluster("l4-on-existing-cluster"), 18, id="l4-on-existing-cluster"),
    pytest.param(on_a_cluster("p5-capacity-block"), 34, id="p5-capacity-block"),
    pytest.param(on_a_cluster("trn-neuron"), 24, id="trn-neuron"),
]


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    shutil.rmtree(tmp_path / "state")  # etcd's log of writes alone is 64 MB


@pytest.mark.parametrize(("life", "resources"), LIVES)
def test_a_whole_life(engines, folder, life, resources):
    made = life(folder)
    with simulation(folder, engines, made) as sim:
        found, found_objects = left(sim.account), objects(sim)

        planned = sim.run("preview", made.program)
        deployed = sim.run("up", made.program)
        assert planned.ok, planned.errors
        assert deployed.ok, deployed.errors
        assert changed(planned) == changed(deployed)
        assert deployed.changes == {"create": resources}
        assert changed(sim.run("up", made.program)) == set()

        there = left(sim.account)
        assert found <= there

    with simulation(folder, engines, made) as sim:
        assert left(sim.account) == there
        assert changed(sim.run("refresh", made.program)) == set()
        assert changed(sim.run("up", made.program)) == set()

        destroyed = sim.run("destroy", made.program)
        assert destroyed.ok, destroyed.errors
        assert {("create", *what) for _, *what in changed(destroyed)} == changed(deployed)
        assert left(sim.account) == found
        assert {kind for kind, _, _ in objects(sim) ^ found_objects} <= CHARTS_LEAVE


def test_drift_is_found_and_mended(deployments, tmp_path):
    with deployments.copied("prod", tmp_path) as deployed:
        vpc, rule = deployed.found("Vpc eks-accelerators-prod"), deployed.found("SecurityGroupIngressRule h100-efa-in")
        call, api = deployed.account.call, deployed.simulation.cluster.api
        call("ec2", "delete_tags", Resources=[vpc["id"]], Tags=[{"Key": "owner"}])
        group = rule["outputs"]["securityGroupId"]
        call("ec2", "revoke_security_group_ingress", GroupId=group, SecurityGroupRuleIds=[rule["id"]])
        scale(deployed.account, "l4-shared", desiredSize=3)
        api.patch("apps/v1", "Deployment", "llama", "llm", {"spec": {"replicas": 1}})

        assert words(deployed.run("refresh")) == {
            "update Vpc eks-accelerators-prod",
            "delete SecurityGroupIngressRule h100-efa-in",
            "update NodeGroup l4-shared",
            "update Deployment llama",
        }
        # How many nodes there are is the autoscaler's.
        assert words(deployed.run("up")) == {
            "update Vpc eks-accelerators-prod",
            "create SecurityGroupIngressRule h100-efa-in",
            "update Deployment llama",
        }
        assert sizes(deployed.account, "l4-shared") == (1, 3, 6)
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


def test_a_block_that_was_bought_is_kept(engines, deployments, tmp_path):
    """As docs/capacity-blocks.md says: it is bought once, protected, and only forgotten."""
    purchase = {
        "offeringId": OFFERING,
        "instanceType": "p5.48xlarge",
        "instanceCount": 4,
        "durationHours": 48,
        "start": "2026-12-01T11:30:00Z",
        "maxUpfrontFeeUsd": 9000,
        "confirmation": f"Buy {OFFERING} for at most 9000 USD; I know it cannot be cancelled or refunded.",
    }
    group = {"instanceType": "p5.48xlarge", "capacityBlock": "bought", "size": {"max": 4}}
    buys = every(to("capacityBlocks", {"bought": {"purchase": purchase}}), to("nodeGroups.h100", group))
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
