"""The engine is killed when AWS has done something and the answer is on its way: what becomes of what was made.

Only the user can know of it, as docs/after-a-crash.md says. The table is what they meet, and what they read.
"""

import pytest

from tests.simulator.crashes.chains import killed_when_unrecorded, remove_by_hand
from tests.simulator.crashes.contents import contents, differences, pending
from tests.simulator.crashes.how_much import ALL
from tests.simulator.crashes.stacks import life
from tests.simulator.worlds import simulation

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

AT_ONCE = 16
FOUND_AGAIN = {
    "aws:autoscaling/schedule:Schedule",
    "aws:autoscaling/tag:Tag",
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
    "aws:ec2/routeTableAssociation:RouteTableAssociation",
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:sns/topicPolicy:TopicPolicy",
    "aws:sns/topicSubscription:TopicSubscription",
}
"""To make it again is to write it once more."""
LEFT_OVER = {
    "aws:cloudwatch/eventRule:EventRule",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:ec2/eip:Eip",
    "aws:ec2/launchTemplate:LaunchTemplate",
    "aws:ec2/placementGroup:PlacementGroup",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/vpc:Vpc",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:iam/role:Role",
    "aws:sns/topic:Topic",
    "kubernetes:core/v1:ConfigMap",
    "kubernetes:helm.sh/v3:Release efa-device-plugin",  # its objects bear the generated name of the release
}
"""It has a name, or an ID, of its own: another is made beside it."""
_EXISTS = "was not successfully created by the Kubernetes API server"
REFUSED = {
    "aws:ec2/internetGateway:InternetGateway": "already has an internet gateway attached",
    "aws:ec2/natGateway:NatGateway": "Resource.AlreadyAssociated",
    "aws:ec2/route:Route": "RouteAlreadyExists",
    "aws:ec2/subnet:Subnet": "InvalidSubnet.Conflict",
    "aws:ec2/vpcEndpoint:VpcEndpoint": "RouteAlreadyExists",
    "aws:eks/accessEntry:AccessEntry": "The specified access entry resource is already in use",
    "aws:eks/addon:Addon": "Addon already exists",
    "aws:eks/cluster:Cluster": "Cluster already exists with name",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "InvalidPermission.Duplicate",
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "InvalidPermission.Duplicate",
    "kubernetes:apps/v1:Deployment": _EXISTS,
    "kubernetes:core/v1:Namespace": _EXISTS,
    "kubernetes:core/v1:Secret": _EXISTS,
    "kubernetes:core/v1:Service": _EXISTS,
    "kubernetes:core/v1:ServiceAccount": _EXISTS,
    "kubernetes:helm.sh/v3:Release": "exists and cannot be imported into the current release",
    "kubernetes:policy/v1:PodDisruptionBudget": _EXISTS,
    "kubernetes:storage.k8s.io/v1:StorageClass": _EXISTS,
}
"""There is only one of it, or of what it needs, and AWS or the cluster says so."""
CHANGES_REFUSED = {"aws:eks/cluster:Cluster": "Unsupported Kubernetes minor version update from 1.36 to 1.36"}
"""Changes that cannot be made twice; all others can."""
SAMPLE = {
    "create aws:sns/topicSubscription:TopicSubscription training-capacity-block",
    "create aws:ec2/vpc:Vpc eks-accelerators-prod",
    "create aws:ec2/subnet:Subnet eks-accelerators-prod-public-us-east-2a",
    "create aws:eks/cluster:Cluster eks-accelerators-prod-eksCluster",
}


def test_what_becomes_of_orphans(engines, folder, undisturbed, report):
    stack, stages = life(folder)
    with simulation(folder, engines, stack) as sim:
        for stage in stages if ALL else stages[:1]:
            operations, there = undisturbed[stage.name]

            chain = killed_when_unrecorded(sim, stage.action, stage.program, at_once=AT_ONCE, wanted=_wanted)

            report(stage.name, chain)
            assert set(filter(_wanted, operations)) <= set(chain.struck) <= set(operations)
            for orphan in chain.orphans:
                fate, words = _expected(orphan)
                assert (orphan.fate, words in (orphan.refusal or "")) == (fate, True), orphan
            for urn, refusal in chain.refused.items():
                assert CHANGES_REFUSED[urn.split("::")[2].rpartition("$")[2]] in refusal

            # Nothing is missing and nothing is otherwise: there is only more than there should be.
            left_over = [orphan for orphan in chain.orphans if orphan.fate == "left over"]
            more = differences(there, contents(sim))
            assert all(line.startswith("+") for line in more)
            assert bool(more) == bool(left_over)

            for orphan in reversed(left_over):
                remove_by_hand(sim, orphan)
            refreshed = sim.run("refresh", stage.program, flags=("--clear-pending-creates",))
            assert (refreshed.ok, refreshed.changes, pending(sim)) == (True, {}, []), refreshed.errors
            assert differences(there, contents(sim)) == []


def _wanted(operation):
    return ALL or " ".join(operation) in SAMPLE


def _expected(orphan):
    """Fate and words, by type and name or by type."""
    keys = {orphan.token, f"{orphan.token} {orphan.name}"}
    if keys & LEFT_OVER:
        return "left over", ""
    return ("found again", "") if keys & FOUND_AGAIN else ("refused", REFUSED[orphan.token])
