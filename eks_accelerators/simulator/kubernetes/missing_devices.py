"""Why a node with accelerators shows none: which DaemonSet should have served it, and what keeps its pod away."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eks_accelerators.accelerators import ami, instance_types
from eks_accelerators.accelerators.device_plugin.nodes import MIG_PREFIX
from eks_accelerators.accelerators.scheduling import DRA_LABEL
from eks_accelerators.accelerators.sharing import EFA_DEVICE, NEURON_DEVICE, NVIDIA_GPU, NVIDIA_SHARED_GPU
from eks_accelerators.simulator.kubernetes import roles
from eks_accelerators.simulator.kubernetes.charts.dra_driver import DRIVER
from eks_accelerators.simulator.kubernetes.nodes import (
    AMI_TYPE_ANNOTATION,
    EFA_INTERFACES_ANNOTATION,
    INSTANCE_TYPE_LABEL,
)
from eks_accelerators.simulator.kubernetes.placement import obstacles

_PLUGINS = {
    roles.NVIDIA_DEVICE_PLUGIN: "NVIDIA device plugin",
    roles.NEURON_DEVICE_PLUGIN: "Neuron device plugin",
    roles.EFA_DEVICE_PLUGIN: "EFA device plugin",
    roles.DRA_DRIVER: "DRA driver",
}


def why_none(
    node: Mapping[str, Any],
    daemon_sets: Sequence[Mapping[str, Any]],
    notes: Sequence[str] = (),
    devices: int = 0,
) -> str | None:
    """Why ``node`` does not show what its hardware has; None where it shows all, or has no accelerator.

    ``daemon_sets`` are all of the cluster; ``notes`` are what `advertised` says of pods that add nothing, and
    ``devices`` counts those of its ResourceSlice. A resource that is shown as 0 is not shown.
    """
    allocatable = {**((node.get("status") or {}).get("allocatable") or {}), DRIVER: devices}
    reasons = [
        f"no {names[0]}: {_noted(role, notes) or _reason(role, node, daemon_sets)}"
        for role, names in _expected(node)
        if not any(_is_one_of(name, names) and int(count) for name, count in allocatable.items())
    ]
    return "; ".join(reasons) or None


def _is_one_of(resource: str, names: tuple[str, ...]) -> bool:
    """Whether it is one of ``names``, or an instance of what MIG has divided where GPUs are among them."""
    return resource in names or (NVIDIA_GPU in names and resource.startswith(MIG_PREFIX))


def _expected(node: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The roles that the node's hardware calls for, with the resources of which each brings one."""
    annotations = node["metadata"].get("annotations") or {}
    labels = node["metadata"].get("labels") or {}
    kind = instance_types.find(labels.get(INSTANCE_TYPE_LABEL, ""))
    if kind is not None and kind.has_nvidia_gpu and labels.get(DRA_LABEL) == "true":
        yield roles.DRA_DRIVER, (DRIVER,)
    elif kind is not None and kind.has_nvidia_gpu:
        yield roles.NVIDIA_DEVICE_PLUGIN, (NVIDIA_GPU, NVIDIA_SHARED_GPU)
    elif kind is not None:
        yield roles.NEURON_DEVICE_PLUGIN, (NEURON_DEVICE,)
    if int(annotations.get(EFA_INTERFACES_ANNOTATION, "0")):
        yield roles.EFA_DEVICE_PLUGIN, (EFA_DEVICE,)


def _noted(role: str, notes: Sequence[str]) -> str:
    """What was noted of the pod that plays ``role`` here, or of the image in its place."""
    own = (f"{role}: ", "image: ") if role == roles.NVIDIA_DEVICE_PLUGIN else (f"{role}: ",)
    return "; ".join(f"the {note}" for note in notes if note.startswith(own))


def _reason(role: str, node: Mapping[str, Any], daemon_sets: Sequence[Mapping[str, Any]]) -> str:
    image = (node["metadata"].get("annotations") or {}).get(AMI_TYPE_ANNOTATION, "")
    if role == roles.NVIDIA_DEVICE_PLUGIN and ami.runs_nvidia_device_plugin(image):
        return f"the image {image} runs the plugin itself, and it has not reported yet"
    candidates = [
        one for one in daemon_sets if _template(one)["metadata"].get("labels", {}).get(roles.ROLE_LABEL) == role
    ]
    if not candidates:
        return f"no {_PLUGINS[role]} is installed"
    return "; ".join(_kept_away(candidate, node) for candidate in candidates)


def _kept_away(daemon_set: Mapping[str, Any], node: Mapping[str, Any]) -> str:
    meta = daemon_set["metadata"]
    name = f"the DaemonSet {meta.get('namespace', 'default')}/{meta['name']}"
    found = obstacles(_template(daemon_set)["spec"], node, daemon=True)
    if found:
        return f"{name} has no pod here: {', and '.join(found)}"
    return f"{name} may run here, and has advertised nothing yet"


def _template(daemon_set: Mapping[str, Any]) -> Mapping[str, Any]:
    template: Mapping[str, Any] = daemon_set["spec"]["template"]
    return template
