from dataclasses import dataclass, field

import pytest

from eks_accelerators.simulator.timeline import operations
from eks_accelerators.simulator.timeline.registrations import detail_of

GROUP, TEMPLATE = "aws:eks/nodeGroup:NodeGroup", "aws:ec2/launchTemplate:LaunchTemplate"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
POD = {"template": {"spec": {"containers": [{"image": "vllm/vllm-openai:v0.28.0"}]}}}
SKIP = {"annotations": {"pulumi.com/skipAwait": "true"}}


@dataclass(frozen=True)
class Registered:
    type: str
    inputs: dict = field(default_factory=dict)
    urn: str = "urn"
    name: str = "name"
    parent: str = ""
    custom: bool = True
    dependencies: tuple = ()
    property_dependencies: dict = field(default_factory=dict)


def group(desired, types=("g6.2xlarge",), capacity="ON_DEMAND"):
    inputs = {"scalingConfig": {"desiredSize": desired}, "instanceTypes": types, "capacityType": capacity}
    return Registered(GROUP, inputs, property_dependencies={"launchTemplate": ("template",)})


@pytest.mark.parametrize(
    ("registration", "detail"),
    [
        pytest.param(group(2), "g6.2xlarge", id="instance-type-of-the-group"),
        pytest.param(group(2, None), "p5.48xlarge", id="instance-type-of-the-template"),
        pytest.param(group(0), "0 nodes", id="no-nodes"),
        pytest.param(group("[unknown]", None, "CAPACITY_BLOCK"), "0 nodes", id="block-of-unknown-state"),
        pytest.param(group(4, None, "CAPACITY_BLOCK"), "p5.48xlarge", id="block-that-has-begun"),
        pytest.param(group("[unknown]"), "g6.2xlarge", id="unknown-size"),
        pytest.param(Registered("aws:eks/addon:Addon", {"addonName": "coredns"}), "coredns", id="add-on"),
        pytest.param(Registered("aws:ec2/vpcEndpoint:VpcEndpoint", {"vpcEndpointType": "Gateway"}), "Gateway"),
        pytest.param(Registered("kubernetes:helm.sh/v3:Release", {"skipAwait": True}), "skipAwait", id="release"),
        pytest.param(Registered("kubernetes:helm.sh/v3:Release"), None, id="release-that-waits"),
        pytest.param(Registered(DEPLOYMENT, {"spec": POD}), "vllm/vllm-openai:v0.28.0", id="image"),
        pytest.param(Registered(DEPLOYMENT, {"spec": POD, "metadata": SKIP}), "skipAwait", id="does-not-wait"),
        pytest.param(Registered(DEPLOYMENT, {"spec": "[unknown]", "metadata": SKIP}), "skipAwait", id="unknown-object"),
        pytest.param(Registered(DEPLOYMENT, {"spec": {"template": "[unknown]"}}), None, id="unknown-pod"),
        pytest.param(Registered("kubernetes:core/v1:Secret"), None, id="plain-object"),
        pytest.param(Registered("aws:ec2/vpc:Vpc"), None, id="plain-resource"),
    ],
)
def test_what_tells_it_from_others_of_its_type(registration, detail):
    template = Registered(TEMPLATE, {"instanceType": "p5.48xlarge"}, urn="template")

    assert detail_of(registration, {"template": template}) == detail


def test_an_operation_for_every_resource_with_its_usual_length():
    vpc = Registered("aws:ec2/vpc:Vpc", urn="vpc", parent="network")
    bucket = Registered("aws:s3/bucket:Bucket", urn="bucket", dependencies=("vpc",))
    network = Registered("eks-accelerators:index:Network", urn="network", custom=False)

    made = operations([network, vpc, bucket])

    assert [(o.urn, o.order, o.seconds, o.custom) for o in made] == [
        ("network", 0, None, False),
        ("vpc", 1, 6, True),
        ("bucket", 2, None, True),
    ]
    assert (made[1].parent, made[2].dependencies) == ("network", ("vpc",))


def test_the_same_for_a_deletion():
    (made,) = operations([Registered("aws:eks/cluster:Cluster")], "delete")

    assert (made.action, made.seconds) == ("delete", 151)
