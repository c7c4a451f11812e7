"""What the package sets aside for DaemonSets is no less than what those of a whole stack ask for."""

import pytest

from eks_accelerators import components
from eks_accelerators.accelerators.instance_types import get
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads, machine
from eks_accelerators.settings.model.cluster import OF_STORAGE
from eks_accelerators.simulator.kubernetes import addons, operator_labels
from tests.simulator.kubernetes.paper_cluster import RELEASED, daemon_sets, node, pods_on, released


def asked(pods, resource, units):
    quantities = [
        container.get("resources", {}).get("requests", {}).get(resource, "0" + units)
        for pod in pods
        for container in pod["spec"]["containers"]
    ]
    assert all(quantity.endswith(units) for quantity in quantities)
    return sum(int(quantity.removesuffix(units)) for quantity in quantities)


BY_THE_OPERATOR = (components.NvidiaDevicePlugin, components.DcgmExporter)
EVERYTHING = (*RELEASED, components.KubePrometheusStack)
STACKS = {
    "charts": [one for one in EVERYTHING if one is not components.GpuOperator],
    "operator": [one for one in EVERYTHING if one not in BY_THE_OPERATOR],
}


def seen_by_the_operator(here):
    """The node with what discovery and the operator write on it."""
    labels = here["metadata"]["labels"]
    labels |= {"feature.node.kubernetes.io/pci-10de.present": "true", "nvidia.com/mig.capable": "true"}
    labels |= operator_labels.changes(labels)
    return here


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize(("instance_type", "efa"), [("g6.2xlarge", 0), ("g6f.large", 0), ("p5.48xlarge", 32)])
def test_daemons_find_room_beside_workloads(instance_type, efa, stack):
    everything = [
        *(one for component in STACKS[stack] for one in daemon_sets(*released(component))),
        *(one for addon in addons.ADDONS for one in daemon_sets(*addons.manifests(addon))),
    ]
    here = node(instance_type, efa_interfaces=efa)
    daemons = pods_on(seen_by_the_operator(here) if stack == "operator" else here, everything)
    whole = machine(instance_type).allocatable(5128 if efa else 0)
    room = headroom_for_workloads(get(instance_type), efa=bool(efa), storage_drivers=len(OF_STORAGE))

    assert len(daemons) >= 8
    assert asked(daemons, "cpu", "m") <= whole.millicores - room.millicores
    assert asked(daemons, "memory", "Mi") <= whole.memory_mib - room.memory_mib
    assert len(daemons) <= whole.pods - room.pods
