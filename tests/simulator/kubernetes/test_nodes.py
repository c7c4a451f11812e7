"""Nodes as machines show them: against a real one, against EC2's own table, and case by case."""

import gzip
import json
from pathlib import Path

import kubernetes_validate
import moto
import pytest

from eks_accelerators.accelerators import instance_types, kubernetes_versions, system_instance_types
from eks_accelerators.accelerators.node_capacity import Machine, UnknownNodeTypeError, machine
from tests.simulator.kubernetes.paper_cluster import node

EVERY_TYPE = (*instance_types.names(), *system_instance_types.names())
EC2 = Path(moto.__file__).parent / "ec2" / "resources" / "instance_types.json.gz"
"""The answer of DescribeInstanceTypes, from which the package's own tables are."""


def shown(instance_type, **changes):
    status = node(instance_type, **changes)["status"]
    return status["capacity"], status["allocatable"]


def mib(quantity):
    return int(quantity.removesuffix("Mi"))


def test_a_node_is_whole_and_as_it_was(snapshot):
    made = node("p5.48xlarge", capacity_type="CAPACITY_BLOCK", efa_interfaces=32, raid0_gb=30400)

    kubernetes_validate.validate(made, kubernetes_versions.default(), strict=True)
    assert made == snapshot


def test_a_g4dn_xlarge_shows_what_a_real_one_showed():
    """EKS 1.34, 2025-11-25: `kubectl describe node`, 20 GiB of root volume. Memory was 16164852Ki and 15474676Ki."""
    capacity, allocatable = shown("g4dn.xlarge", root_gib=20)

    assert capacity == {
        "cpu": "4",
        "memory": f"{round(16164852 / 1024)}Mi",
        "ephemeral-storage": str(20893676 * 1024),
        "pods": "29",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
    }
    assert allocatable == {
        **capacity,
        "cpu": "3920m",
        "memory": f"{round(15474676 / 1024)}Mi",
        "ephemeral-storage": "18181869946",
    }


@pytest.mark.parametrize(
    ("vcpus", "millicores"),
    [
        pytest.param(1, 60, id="one"),
        pytest.param(2, 70, id="two"),
        pytest.param(4, 80, id="four"),
        pytest.param(8, 90, id="eight"),
        pytest.param(16, 110, id="sixteen"),
        pytest.param(192, 550, id="most"),
    ],
)
def test_reserved_processors(vcpus, millicores):
    assert Machine("x86_64", vcpus, 1024, 110).reserved_cpu_millicores == millicores


@pytest.mark.parametrize(
    ("instance_type", "by_addresses", "pods"),
    [
        pytest.param("g6.2xlarge", 58, 58, id="by-addresses"),
        pytest.param("g5.4xlarge", 234, 110, id="capped-below-30-vcpus"),
        pytest.param("g5.48xlarge", 345, 250, id="capped-above"),
        pytest.param("p5.48xlarge", 100, 100, id="card-0-alone-counts"),
        pytest.param("p6e-gb200.36xlarge", 110, 110, id="unknown"),
        pytest.param("m7i.large", 29, 29, id="system"),
        pytest.param("t3.large", 35, 35, id="burstable"),
        pytest.param("m8i.xlarge", 118, 110, id="newest"),
    ],
)
def test_how_many_pods(instance_type, by_addresses, pods):
    assert (machine(instance_type).uncapped_pods, machine(instance_type).pods) == (by_addresses, pods)


def test_addresses_are_those_that_ec2_gives():
    described = json.loads(gzip.decompress(EC2.read_bytes()))
    known = [name for name in EVERY_TYPE if name in described and name != "p6e-gb200.36xlarge"]

    assert len(known) > 100
    for name in known:
        network = described[name]["NetworkInfo"]
        interfaces = network["NetworkCards"][0]["MaximumNetworkInterfaces"]
        assert machine(name).uncapped_pods == interfaces * (network["Ipv4AddressesPerInterface"] - 1) + 2, name


def test_memory_is_reserved_for_as_many_pods_as_there_are_addresses():
    """nodeadm computes it before EKS' cap of `maxPods` comes in."""
    capacity, allocatable = shown("g5.4xlarge")

    assert mib(capacity["memory"]) - mib(allocatable["memory"]) == 255 + 11 * 234 + 100


@pytest.mark.parametrize("instance_type", EVERY_TYPE)
def test_every_type_has_less_for_pods_than_it_has(instance_type):
    kind = instance_types.find(instance_type) or system_instance_types.find(instance_type)
    capacity, allocatable = shown(instance_type)

    assert 0 < mib(allocatable["memory"]) < mib(capacity["memory"]) < kind.memory_mib
    assert 0 < int(allocatable["cpu"].removesuffix("m")) < 1000 * int(capacity["cpu"]) == 1000 * kind.vcpus
    assert int(allocatable["ephemeral-storage"]) < int(capacity["ephemeral-storage"])
    assert not [name for name in allocatable if "/" in name]


def test_huge_pages_of_efa_are_no_memory_for_pods():
    _, without = shown("p5.48xlarge")
    capacity, allocatable = shown("p5.48xlarge", efa_interfaces=32)

    assert capacity["hugepages-2Mi"] == allocatable["hugepages-2Mi"] == "10256Mi"
    assert mib(without["memory"]) - mib(allocatable["memory"]) == 10256


def test_bottlerocket_has_the_huge_pages_that_its_settings_ask_for():
    bottlerocket = {"ami_type": "BOTTLEROCKET_x86_64_NVIDIA", "efa_interfaces": 1}
    settings = '[settings.kernel.sysctl]\n"vm.nr_hugepages" = "3000"\n'

    assert shown("g6.8xlarge", **bottlerocket)[0]["hugepages-2Mi"] == "0"
    assert shown("g6.8xlarge", **bottlerocket, bottlerocket_settings=settings)[0]["hugepages-2Mi"] == "6000Mi"


def test_local_nvme_takes_the_place_of_the_root_volume():
    capacity, _ = shown("g6.2xlarge", raid0_gb=450)

    assert capacity["ephemeral-storage"] == str(450 * 10**9)


def test_well_known_labels_are_eks_own():
    made = node("trn1.32xlarge", labels={"team": "ml", "kubernetes.io/arch": "wrong"})

    assert (
        made["metadata"]["labels"].items()
        >= {
            "team": "ml",
            "kubernetes.io/arch": "amd64",
            "kubernetes.io/hostname": "ip-10-20-0-12.us-east-2.compute.internal",
            "node.kubernetes.io/instance-type": "trn1.32xlarge",
            "topology.kubernetes.io/zone": "us-east-2a",
            "topology.k8s.aws/zone-id": "use2-az1",
            "eks.amazonaws.com/nodegroup": "gpu-1a2b",
            "eks.amazonaws.com/capacityType": "ON_DEMAND",
        }.items()
    )
    assert made["spec"]["providerID"] == "aws:///us-east-2a/i-0a"


@pytest.mark.parametrize(
    ("instance_type", "architecture"), [pytest.param("m7g.large", "arm64", id="arm"), ("m7i.large", "amd64")]
)
def test_the_architecture_is_the_type_s(instance_type, architecture):
    made = node(instance_type)

    assert made["metadata"]["labels"]["kubernetes.io/arch"] == architecture
    assert made["status"]["nodeInfo"]["architecture"] == architecture


@pytest.mark.parametrize(
    ("version", "kubelet"), [("1.35", "v1.35.0-eks-simulated"), ("1.35.2", "v1.35.2-eks-simulated")]
)
def test_the_kubelet_has_the_cluster_s_version(version, kubelet):
    assert node(kubernetes_version=version)["status"]["nodeInfo"]["kubeletVersion"] == kubelet


def test_addresses_follow_from_the_name():
    addresses = {entry["type"]: entry["address"] for entry in node()["status"]["addresses"]}

    assert addresses["InternalIP"] == "10.20.0.12"
    assert {entry["type"] for entry in node(name="odd")["status"]["addresses"]} == {"InternalDNS", "Hostname"}


def test_taints_and_image_are_kept():
    made = node(taints=[{"key": "a", "value": "", "effect": "NoExecute"}], ami_type="CUSTOM")

    assert made["spec"]["taints"] == [{"key": "a", "effect": "NoExecute"}]
    assert made["metadata"]["annotations"]["eks-accelerators/ami-type"] == "CUSTOM"


def test_an_unknown_type_is_named():
    with pytest.raises(UnknownNodeTypeError, match=r"'x9\.large'"):
        node("x9.large")
