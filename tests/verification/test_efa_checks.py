"""The domains of libfabric: of the EFA interfaces that are free, and who holds the others."""

from copy import deepcopy

import pytest

from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.verification.tools import printed
from tests.simulator.metrics.worlds import pod
from tests.verification.test_faults_found import EIGHT, ONE, TRAINIUM
from tests.verification.worlds import IMAGES, Level, PaperCluster, made_by, stack_of, verification

DOMAIN = "provider: efa\n    fabric: efa-direct\n    domain: rdmap{}s27-rdm\n    version: 201.0\n    type: FI_EP_RDM\n"


def found(cluster):
    """What is said of EFA: of the devices in `/sys`, and of the domains."""
    of_efa = [each for each in verification(cluster.stack, cluster).findings() if each.code == "efa-devices"]
    devices, domains = sorted(of_efa, key=lambda each: "libfabric" in each.expected)
    return devices, domains


def held(count):
    """A node of 32 interfaces, of which a pod has so many."""
    cluster = PaperCluster(stack_of(EIGHT))
    (node,) = [each for each in cluster.paper.nodes if EFA_DEVICE in each["status"]["allocatable"]]
    cluster.paper.run(pod("train-0", node, {EFA_DEVICE: count}, namespace="training"))
    return cluster


@pytest.mark.parametrize(
    ("count", "severity", "expected", "said"),
    [
        (0, "pass", "32 domains of libfabric", "32 domains"),
        (8, "pass", "24 domains of libfabric, beside what training/train-0 holds", "24 domains"),
        (32, "notVerified", "libfabric opens every EFA interface that no pod holds", "held by training/train-0"),
    ],
)
def test_a_pod_asks_for_the_interfaces_that_are_free(count, severity, expected, said):
    cluster = held(count) if count else PaperCluster(stack_of(EIGHT))

    devices, domains = found(cluster)

    assert (devices.severity, devices.found) == ("pass", "32 EFA devices"), "what the node has, whoever holds it"
    assert (domains.severity, domains.expected, domains.found) == (severity, expected, said)
    assert any(each.startswith("create jobs efa-domains") for each in cluster.asked) == (count < 32)


PRINTED = {
    "one interface does not open": (0, "".join(DOMAIN.format(number) for number in range(31)), "reboot", "31 domains"),
    "each twice": (0, "".join(DOMAIN.format(number) for number in range(32)) * 2, "pass", "32 domains"),
    "no provider": (61, "fi_getinfo: -61 (No data available)\n", "reboot", "0 domains: fi_getinfo: -61"),
    "no such program": (127, "sh: 1: exec: fi_info: not found\n", "notVerified", "fi_info: not found"),
}


@pytest.mark.parametrize("case", PRINTED)
def test_what_fi_info_prints(case):
    status, text, severity, said = PRINTED[case]
    cluster = PaperCluster(stack_of(EIGHT))
    simulated = cluster.log
    cluster.log = lambda namespace, name: (
        printed("efa", text, status) if name.startswith("efa-domains") else simulated(namespace, name)
    )

    _, domains = found(cluster)

    assert domains.severity == severity
    assert said in domains.found


def test_where_none_is_advertised_that_is_why():
    cluster = PaperCluster(stack_of(EIGHT))
    there = cluster.list

    def without(kind, *about):
        found = deepcopy(there(kind, *about))
        for each in found if kind == "nodes" else ():
            each["status"]["allocatable"].pop(EFA_DEVICE, None)
        return found

    cluster.list = without

    _, domains = found(cluster)

    assert (domains.severity, domains.found) == ("notVerified", f"the node advertises no {EFA_DEVICE}")


@pytest.mark.parametrize(
    ("stack", "image"),
    [(EIGHT, "pytorch"), (TRAINIUM, "pytorch-neuron"), (ONE, None)],
    ids=["NVIDIA", "Neuron", "none"],
)
def test_its_pod_asks_for_interfaces_and_for_nothing_else(stack, image):
    jobs = [each for kind, each in made_by(stack, nodes=1, level=Level.QUICK) if kind == "jobs"]
    chosen = [each for each in jobs if each["metadata"]["generateName"] == "efa-domains-"]

    images = [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in chosen]
    limits = [each["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] for each in chosen]
    assert images == ([IMAGES[image]] if image else [])
    assert all(set(each) == {EFA_DEVICE} for each in limits)
