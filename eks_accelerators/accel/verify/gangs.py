"""The pods that measure between nodes: those of the workload `collectiveTest`, on nodes of a verification's choice."""

from typing import Any

from eks_accelerators.accelerators.sharing import EFA_DEVICE
from eks_accelerators.components.collective_test import pod_of, program_files
from eks_accelerators.components.gang import GangInputs, job_spec, program_text, programs_of, service_spec
from eks_accelerators.settings.model.training import CollectiveTestSettings
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.training_fit import collective_fit
from eks_accelerators.verification.tasks import GangManifests


def gang(name: str, group: ResolvedNodeGroup, *, nodes: int, largest_mib: int, namespace: str) -> GangManifests:
    """A test with all accelerators and EFA interfaces of so many nodes of ``group``, as a stack file would write it."""
    workload = CollectiveTestSettings(
        node_group=group.name,
        namespace=namespace,
        nodes=nodes,
        accelerators_per_node=group.share_of(None).count,
        efa_interfaces=group.resources.get(EFA_DEVICE, 0),
        largest_mib=largest_mib,
    )
    inputs = GangInputs(workload=workload, group=group, fit=collective_fit(workload, group))
    service: dict[str, Any] = {"apiVersion": "v1", "kind": "Service", "spec": service_spec(name)}
    programs: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "data": {each: program_text(each) for each in program_files(inputs)},
    }
    service["metadata"] = {"name": name, "namespace": namespace}
    programs["metadata"] = {"name": programs_of(name), "namespace": namespace}
    # A pod that fails ends the test: there is no second try that would hide it.
    fails: list[dict[str, Any]] = [{"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}}]
    spec: dict[str, Any] = job_spec(name, nodes, pod_of(name, inputs), 0, fails)
    return GangManifests(spec, (("services", service), ("configmaps", programs)))
