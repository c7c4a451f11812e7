"""What a node's GPUs become under a configuration that has been loaded: resources, or a reason why there are none.

Source: NVIDIA k8s-device-plugin v0.20.0, `internal/rm/device_map.go` (which devices are there), `internal/plugin/mps.go`,
`internal/lm/nvml.go` and `cmd/mps-control-daemon/mps` (what MPS refuses), read 2026-11-20 and 2026-11-21.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eks_accelerators.accelerators import gpus, mig
from eks_accelerators.accelerators.device_plugin.configuration_loader import Loaded
from eks_accelerators.accelerators.device_plugin.report import ConfigurationReport
from eks_accelerators.accelerators.device_plugin.yaml_reader import join
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.mig import Layout
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.accelerators.sharing import NVIDIA_GPU

MIG_PREFIX = "nvidia.com/mig-"
"""What names of resources begin with under the MIG strategy `mixed`."""


@dataclass(frozen=True, slots=True)
class Node:
    """The GPUs of a node. ``layouts`` has an entry for each: None without MIG, empty for MIG without instances."""

    instance_type: InstanceType
    layouts: tuple[Layout | None, ...]

    @classmethod
    def of(cls, instance_type: InstanceType, layouts: Sequence[Layout | None] = (None,)) -> "Node":
        """A node whose GPUs are all divided by the one layout, or each by its own."""
        many = tuple(layouts) * (instance_type.accelerator.count if len(layouts) == 1 else 1)
        if len(many) != instance_type.accelerator.count:
            raise ValueError(
                f"{number_of(len(many), 'layout')} for the {instance_type.accelerator.count} of {instance_type.name}"
            )
        return cls(instance_type, many)

    @property
    def in_mig_mode(self) -> int:
        """How many of the GPUs are in MIG mode."""
        return sum(layout is not None for layout in self.layouts)


def advertised(loaded: Loaded, node: Node, report: ConfigurationReport) -> dict[str, int]:
    """Every resource and its count, as `status.allocatable` shows it; what is wrong goes to ``report``."""
    devices = _devices(loaded, node, report)
    if loaded.strategy == "mps":
        _check_mps(loaded, node, report)
    if loaded.section is None:
        return devices
    path = f"{_section_path(loaded)}.resources"
    found = {
        name: count for name, count in devices.items() if name not in {one.name for one in loaded.section.resources}
    }
    for index, shared in enumerate(loaded.section.resources):
        if shared.name not in devices:
            there = ", ".join(sorted(devices)) or "nothing"
            _not_there(
                join(path, index), f"the node has no {shared.name}, so nothing is shared; it has {there}", report
            )
            continue
        count = devices[shared.name] * shared.replicas
        found[shared.advertised_as] = max(found.get(shared.advertised_as, 0), count)
    return found


def check_anywhere(loaded: Loaded, report: ConfigurationReport) -> None:
    """Report what holds on every node: resources that no node has under the MIG strategy, too many MPS clients."""
    mixed = loaded.mig_strategy == "mixed"
    for index, shared in enumerate(loaded.section.resources if loaded.section else ()):
        if shared.name != NVIDIA_GPU and not (mixed and shared.name.startswith(MIG_PREFIX)):
            message = f"no node has {shared.name} under the MIG strategy {loaded.mig_strategy}, so nothing is shared"
            _not_there(f"{_section_path(loaded)}.resources[{index}]", message, report)
    _check_mps_clients(loaded, None, report)


def _section_path(loaded: Loaded) -> str:
    return "sharing.mps" if loaded.strategy == "mps" else "sharing.timeSlicing"


def _not_there(path: str, message: str, report: ConfigurationReport) -> None:
    report.ignore("resource-not-there", path, f"ignored: {message}")


def _check_mps_clients(loaded: Loaded, gpu: str | None, report: ConfigurationReport) -> None:
    """Report more replicas than an MPS server has clients on this GPU; None for the newest."""
    most = gpus.most_mps_clients(gpu)
    for index, shared in enumerate(loaded.section.resources if loaded.section else ()):
        if loaded.strategy == "mps" and shared.name == NVIDIA_GPU and shared.replicas > most:
            path = f"sharing.mps.resources[{index}].replicas"
            report.error("mps-clients", path, f"{shared.replicas} exceed the {most} clients of an MPS server")


def _devices(loaded: Loaded, node: Node, report: ConfigurationReport) -> dict[str, int]:
    """Resources before sharing."""
    whole = len(node.layouts) - node.in_mig_mode
    instances = Counter[str]()
    for layout in node.layouts:
        instances.update(layout or {})
    match loaded.mig_strategy:
        case "single":
            _check_uniform(node, whole, instances, report)
            return {NVIDIA_GPU: whole + instances.total()}
        case "mixed":
            gpu = mig.gpu_of(node.instance_type)
            named = {gpu.profiles[name].resource: count for name, count in sorted(instances.items())} if gpu else {}
            return ({NVIDIA_GPU: whole} if whole else {}) | named
    if node.in_mig_mode:
        message = f"none advertises GPUs in MIG mode ({node.in_mig_mode} here) as whole ones, and no pod can use them"
        report.warning("mig-not-served", "flags.migStrategy", message)
    return {NVIDIA_GPU: len(node.layouts)}


def _check_uniform(node: Node, whole: int, instances: Counter[str], report: ConfigurationReport) -> None:
    """The strategy `single` names everything `nvidia.com/gpu`, so everything has to be alike."""
    path = "flags.migStrategy"
    if any(layout is not None and not layout for layout in node.layouts):
        report.error("mig-not-uniform", path, "single: a GPU in MIG mode has no instances")
    elif whole and instances:
        report.error("mig-not-uniform", path, f"single: {whole} of the GPUs are not in MIG mode, and others are")
    elif len(instances) > 1:
        report.error("mig-not-uniform", path, f"single: more than one profile: {', '.join(sorted(instances))}")


def _check_mps(loaded: Loaded, node: Node, report: ConfigurationReport) -> None:
    if node.in_mig_mode:
        report.error("mps-on-mig", "sharing.mps", f"MPS does not go with GPUs in MIG mode ({node.in_mig_mode} here)")
    _check_mps_clients(loaded, node.instance_type.accelerator.name, report)
    if loaded.section and all(shared.name != NVIDIA_GPU for shared in loaded.section.resources):
        # The plugin waits for a control daemon for each of its resources; daemons are started for shared ones only.
        message = f"none is {NVIDIA_GPU}: no MPS control daemon starts for it, and the plugin waits for one for ever"
        report.error("mps-without-daemon", "sharing.mps.resources", message)
