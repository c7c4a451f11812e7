"""Edits of a stack that is deployed: what the preview says is what is done, to these resources and to no others."""

from dataclasses import dataclass

import pytest

from eks_accelerators.components import charts
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.problems import errors
from tests.docs.pages import ROOT, text
from tests.simulator.lives import did, every, fates, instances, left, listed, scale, sizes, to, without, words
from tests.simulator.worlds import NOW, Change, stack_file

pytestmark = pytest.mark.slow

L4 = "nodeGroups.l4-shared"
STAY, ROLL, REPLACED = "stay", "roll", "replaced"


@dataclass(frozen=True)
class Edit:
    """One edit of the development stack, on top of those before it, and what comes of it.

    ``documented`` is a word of its row in the table of docs/upgrading.md; ``foreseen`` is what only a preview expects.
    """

    change: Change
    done: set[str]
    nodes: str = STAY
    system: str = STAY
    documented: str = ""
    foreseen: frozenset[str] = frozenset()


OF_A_NODE_GROUP = [
    Edit(
        to(f"{L4}.labels", {"team": "ml"}),
        did("update", "NodeGroup l4-shared") | did("create", "Tag l4-shared-label/team"),
        documented="`labels`",
    ),
    Edit(
        to(f"{L4}.taints", [{"key": "team", "value": "ml"}]),
        did("create", "Tag l4-shared-taint/team")
        | did(
            "update",
            """
            NodeGroup l4-shared
            Deployment llama
            Release dcgm-exporter
            Release nvidia-device-plugin
            """,  # whatever runs on these nodes tolerates the taint from now on
        ),
        documented="`taints`",
    ),
    Edit(to(f"{L4}.size.max", 3), did("update", "NodeGroup l4-shared"), documented="`size.max`"),
    Edit(
        to(f"{L4}.ami", {"releaseVersion": "1.35.1-20261012"}),
        did("update", "NodeGroup l4-shared"),
        nodes=ROLL,
        documented="`ami.releaseVersion`",
    ),
    Edit(
        to(f"{L4}.disk.sizeGib", 200),
        did(
            "update",
            """
            LaunchTemplate l4-shared
            NodeGroup l4-shared
            """,
        ),
        nodes=ROLL,
        documented="`disk`",
    ),
    Edit(
        to(f"{L4}.instanceType", "g6.4xlarge"),
        did(
            "replace",
            """
            NodeGroup l4-shared
            Tag l4-shared-label/eks-accelerators/node-group
            Tag l4-shared-label/nvidia.com/device-plugin.config
            Tag l4-shared-label/nvidia.com/gpu.deploy.operands
            Tag l4-shared-label/nvidia.com/gpu.present
            Tag l4-shared-label/team
            Tag l4-shared-resources/nvidia.com/gpu
            Tag l4-shared-taint/nvidia.com/gpu
            Tag l4-shared-taint/team
            """,
        ),
        nodes=REPLACED,
        documented="`instanceType`",
    ),
]
OF_THE_CLUSTER = [
    Edit(
        to("cluster.kubernetesVersion", "1.36"),
        did(
            "update",
            """
            Cluster eks-accelerators-dev-eksCluster
            NodeGroup eks-accelerators-dev-system
            NodeGroup l4-shared
            """,
        ),
        nodes=ROLL,
        system=ROLL,
        documented="`cluster.kubernetesVersion`",
    ),
    Edit(
        to("cluster.addonVersions", {"vpc-cni": "v1.21.1-eksbuild.1"}),
        did("update", "Addon eks-accelerators-dev-vpc-cni"),
    ),
    Edit(
        to("systemNodeGroup.instanceTypes", ["t3.xlarge"]),
        did("replace", "NodeGroup eks-accelerators-dev-system"),
        system=REPLACED,
        documented="`systemNodeGroup.instanceTypes`",
    ),
]
OF_THE_NETWORK = [
    Edit(
        to("network.create.zones", ["us-east-2a", "us-east-2b", "us-east-2c"]),
        did(
            "create",
            """
            Route eks-accelerators-dev-private-us-east-2c
            RouteTable eks-accelerators-dev-private-us-east-2c
            RouteTableAssociation eks-accelerators-dev-private-us-east-2c
            RouteTableAssociation eks-accelerators-dev-public-us-east-2c
            Subnet eks-accelerators-dev-private-us-east-2c
            Subnet eks-accelerators-dev-public-us-east-2c
            """,
        )
        | did(
            "update",
            """
            Cluster eks-accelerators-dev-eksCluster
            VpcEndpoint eks-accelerators-dev-s3
            """,
        )
        | did(
            "replace",
            """
            NodeGroup eks-accelerators-dev-system
            NodeGroup l4-shared
            Tag l4-shared-label/eks-accelerators/node-group
            Tag l4-shared-label/nvidia.com/device-plugin.config
            Tag l4-shared-label/nvidia.com/gpu.deploy.operands
            Tag l4-shared-label/nvidia.com/gpu.present
            Tag l4-shared-resources/nvidia.com/gpu
            Tag l4-shared-taint/nvidia.com/gpu
            """,
        ),
        nodes=REPLACED,
        system=REPLACED,
        documented="A zone added",
        # A subnet that is not there yet makes all of the cluster's network unknown, its security group too.
        foreseen=frozenset(
            did(
                "update",
                """
                LaunchTemplate eks-accelerators-dev-system
                LaunchTemplate l4-shared
                """,
            )
        ),
    ),
    Edit(
        to("tags.team", "ml"),
        did(
            "update",
            """
            Addon eks-accelerators-dev-aws-ebs-csi-driver
            Addon eks-accelerators-dev-coredns
            Addon eks-accelerators-dev-eks-node-monitoring-agent
            Addon eks-accelerators-dev-eks-pod-identity-agent
            Addon eks-accelerators-dev-kube-proxy
            Addon eks-accelerators-dev-metrics-server
            Addon eks-accelerators-dev-vpc-cni
            Cluster eks-accelerators-dev-eksCluster
            DefaultSecurityGroup eks-accelerators-dev-default
            Eip eks-accelerators-dev-us-east-2a
            InternetGateway eks-accelerators-dev
            LaunchTemplate eks-accelerators-dev-system
            LaunchTemplate l4-shared
            NatGateway eks-accelerators-dev-us-east-2a
            NodeGroup eks-accelerators-dev-system
            NodeGroup l4-shared
            Role eks-accelerators-dev-ebs-csi
            Role eks-accelerators-dev-eksRole-role
            Role eks-accelerators-dev-system-node
            Role eks-accelerators-dev-vpc-cni
            RouteTable eks-accelerators-dev-private-us-east-2a
            RouteTable eks-accelerators-dev-private-us-east-2b
            RouteTable eks-accelerators-dev-private-us-east-2c
            RouteTable eks-accelerators-dev-public
            Subnet eks-accelerators-dev-private-us-east-2a
            Subnet eks-accelerators-dev-private-us-east-2b
            Subnet eks-accelerators-dev-private-us-east-2c
            Subnet eks-accelerators-dev-public-us-east-2a
            Subnet eks-accelerators-dev-public-us-east-2b
            Subnet eks-accelerators-dev-public-us-east-2c
            Vpc eks-accelerators-dev
            VpcEndpoint eks-accelerators-dev-s3
            """,
        ),
        nodes=ROLL,
        system=ROLL,
        documented="`tags`",
    ),
]
OF_AN_H100 = """
    LaunchTemplate h100
    NodeGroup h100
    Release efa-device-plugin
    SecurityGroup h100-efa
    SecurityGroupEgressRule h100-efa-out
    SecurityGroupIngressRule h100-efa-in
    PlacementGroup h100
    Tag h100-label/eks-accelerators/node-group
    Tag h100-label/nvidia.com/device-plugin.config
    Tag h100-label/nvidia.com/gpu.deploy.operands
    Tag h100-label/nvidia.com/gpu.present
    Tag h100-label/vpc.amazonaws.com/efa.present
    Tag h100-resources/nvidia.com/gpu
    Tag h100-resources/vpc.amazonaws.com/efa
    Tag h100-taint/nvidia.com/gpu
"""
OF_ANOTHER_GROUP = [
    Edit(
        to(
            "nodeGroups.h100",
            {"instanceType": "p5.48xlarge", "size": {"max": 1}, "zones": ["us-east-2a"], "efa": {"enabled": True}},
        ),
        did("create", OF_AN_H100),
    ),
    Edit(without("nodeGroups.h100"), did("delete", OF_AN_H100)),
]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "history",
    [
        pytest.param(OF_A_NODE_GROUP, id="of-a-node-group"),
        pytest.param(OF_THE_CLUSTER, id="of-the-cluster"),
        pytest.param(OF_THE_NETWORK, id="of-the-network"),
        pytest.param(OF_ANOTHER_GROUP, id="of-another-group"),
    ],
)
def test_what_is_previewed_is_done(deployments, tmp_path, history):
    """One edit after the other: what an edit had left to do, the next would do too."""
    with deployments.copied("dev", tmp_path) as deployed:
        for number, edit in enumerate(history, 1):
            change, before = every(*(each.change for each in history[:number])), instances(deployed.account)

            planned, done = deployed.run("preview", change), deployed.run("up", change)

            assert (words(planned), done.errors, words(done)) == (edit.done | edit.foreseen, [], edit.done)
            became = fates(before, instances(deployed.account))
            assert (became["l4-shared"], became["eks-accelerators-dev-system"]) == (edit.nodes, edit.system)
        assert deployed.run("up", change).changes == {}
        assert deployed.running("llama") == 4


SHARING = Edit(
    to(f"{L4}.sharing.replicas", 2),
    did(
        "update",
        """
        Deployment llama
        NodeGroup l4-shared
        Tag l4-shared-label/nvidia.com/device-plugin.config
        Tag l4-shared-resources/nvidia.com/gpu
        """,
    )
    # Under the same name, so that the release is left alone: its pods restart on no other group's nodes.
    | did("recreate", "ConfigMap nvidia-device-plugin-configs"),
    documented="`sharing` on AL2023",
)


def test_another_sharing(deployments, tmp_path):
    """The same node advertises the new number of shares, and as many servers as fit are on it."""
    with deployments.copied("dev", tmp_path) as deployed:
        before = instances(deployed.account)

        planned, done = deployed.run("preview", SHARING.change), deployed.run("up", SHARING.change)

        assert (words(planned), done.errors, words(done)) == (SHARING.done, [], SHARING.done)
        assert fates(before, instances(deployed.account))["l4-shared"] == SHARING.nodes
        assert (deployed.running("llama"), deployed.advertised("nvidia.com/gpu")) == (2, {"g6.2xlarge": "2"})
        assert deployed.run("up", SHARING.change).changes == {}


OPERATOR = Edit(
    to("nvidia.stack", "operator"),
    did(
        "create",
        """
        ConfigMap gpu-operator-configs
        ConfigMap gpu-operator-counters
        ConfigMap gpu-operator-mig-layouts
        Namespace gpu-operator
        Release gpu-operator
        """,
    )
    | did(
        "delete",
        """
        ConfigMap nvidia-device-plugin-configs
        Namespace dcgm-exporter
        Namespace nvidia-device-plugin
        Release dcgm-exporter
        Release nvidia-device-plugin
        Tag l4-shared-label/nvidia.com/gpu.deploy.operands
        """,
    )
    | did("update", "NodeGroup l4-shared"),
    documented="`nvidia.stack`",
)


@pytest.mark.thorough
def test_the_gpu_operator_in_place_of_single_charts_and_back(deployments, tmp_path):
    """The same nodes, which show the same GPUs to the same servers; what is destroyed afterwards leaves nothing."""
    with deployments.copied("dev", tmp_path) as deployed:
        before = instances(deployed.account)

        planned, done = deployed.run("preview", OPERATOR.change), deployed.run("up", OPERATOR.change)

        assert (words(planned), done.errors, words(done)) == (OPERATOR.done, [], OPERATOR.done)
        assert fates(before, instances(deployed.account))["l4-shared"] == OPERATOR.nodes
        assert (deployed.running("llama"), deployed.advertised("nvidia.com/gpu")) == (4, {"g6.2xlarge": "4"})
        assert deployed.run("up", OPERATOR.change).changes == {}

        assert deployed.run("up").ok
        assert (deployed.running("llama"), deployed.advertised("nvidia.com/gpu")) == (4, {"g6.2xlarge": "4"})

        assert deployed.run("up", OPERATOR.change).errors == []
        assert deployed.run("destroy", OPERATOR.change).errors == []
        assert listed(left(deployed.account)) == deployments.first("dev").before


@pytest.mark.thorough
def test_another_version_of_a_chart(deployments, tmp_path, monkeypatch):
    with deployments.copied("dev", tmp_path) as deployed:
        shipped = charts.catalogue()
        newer = {**shipped, "nvidia-device-plugin": {**shipped["nvidia-device-plugin"], "version": "0.21.0"}}
        monkeypatch.setattr(charts, "catalogue", lambda: newer)

        planned, done = deployed.run("preview"), deployed.run("up")

        expected = did("update", "Release nvidia-device-plugin")
        assert (words(planned), done.errors, words(done)) == (expected, [], expected)
        assert deployed.run("up").changes == {}


@pytest.mark.thorough
def test_another_size_sets_the_number_of_nodes_too(deployments, tmp_path):
    """The provider sends all sizes at once, with the number that Pulumi knows: the documentation says to refresh."""
    with deployments.copied("dev", tmp_path) as deployed:
        for largest, flags, wanted in ((3, (), 1), (4, ("--refresh",), 2)):
            scale(deployed.account, "l4-shared", desiredSize=2)

            done = deployed.run("up", to(f"{L4}.size.max", largest), *flags)

            assert (done.errors, sizes(deployed.account, "l4-shared")) == ([], (0, wanted, largest))

        larger = to(f"{L4}.size", {"min": 3, "desired": 3, "max": 4})
        refused = deployed.run("up", larger)
        assert "Minimum capacity 3 can't be greater than desired size 2" in refused.errors[0]

        # A larger minimum needs the nodes first.
        scale(deployed.account, "l4-shared", desiredSize=3)
        done = deployed.run("up", larger, "--refresh")
        assert (done.errors, sizes(deployed.account, "l4-shared")) == ([], (3, 3, 4))
        assert deployed.run("up", larger).changes == {}
        assert deployed.running("llama") == 12  # as many as fit


@pytest.mark.thorough
def test_a_zone_that_is_not_there(deployments, tmp_path):
    """One error, and everything that was there before is there again with the file of before."""
    with deployments.copied("dev", tmp_path) as deployed:
        before = left(deployed.account)

        refused = deployed.run("up", to("network.create.zones", ["us-east-2a", "us-east-2b", "us-east-2d"]))

        failed = {step.name for step in refused.failed}
        assert failed
        # Both are made at once; the engine begins nothing more once the first has failed.
        assert failed <= {"eks-accelerators-dev-private-us-east-2d", "eks-accelerators-dev-public-us-east-2d"}
        assert set(refused.errors) == {
            "InvalidParameterValue when calling CreateSubnet: Value (us-east-2d) for parameter availabilityZone is "
            "invalid. Subnets can currently only be created in the following availability zones: us-east-2a, "
            "us-east-2b, us-east-2c.",
            "update failed",
        }
        assert deployed.run("up").ok
        assert left(deployed.account) == before
        assert deployed.run("up").changes == {}


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(
            lambda config: config.update({"aws:region": "us-east-1"}), {"zones-of-region"}, id="another-region"
        ),
        pytest.param(
            to("network.create.zones", ["us-east-1a", "us-east-1b"]), {"zones-of-region"}, id="zones-of-another-region"
        ),
    ],
)
def test_a_region_that_is_not_meant_never_reaches_aws(tmp_path, change, codes):
    found = load_stack_file(stack_file(tmp_path, "dev", change), NOW)

    assert {problem.code for problem in errors(found.problems)} == codes


def documented() -> dict[str, str]:
    """What docs/upgrading.md says about the nodes, by kind of change."""
    _, _, table = text(ROOT / "docs" / "upgrading.md").partition("| Change | Accelerator nodes | Note |")
    rows = [line.split("|")[1:3] for line in table.partition("\n\n")[0].splitlines() if line.startswith("| ")]
    return {change.strip(): nodes.strip().strip("*") for change, nodes in rows if "---" not in change}


EDITS = [*OF_A_NODE_GROUP, *OF_THE_CLUSTER, *OF_THE_NETWORK, SHARING, OPERATOR]


@pytest.mark.parametrize("edit", [pytest.param(edit, id=edit.documented) for edit in EDITS if edit.documented])
def test_the_documentation_says_so(edit):
    (said,) = [nodes for change, nodes in documented().items() if edit.documented in change]

    assert said.partition(",")[0] == edit.nodes
    assert ("the system group too" in said) is (STAY not in (edit.system, edit.nodes))
