"""The NVIDIA DCGM exporter: metrics of every GPU, attributed to pods."""

import hashlib
from typing import Any, NotRequired, TypedDict

import pulumi

from accelerators import scheduling
from accelerators.sharing import NVIDIA_GPU, NVIDIA_SHARED_GPU
from components.arguments import TolerationArgs
from components.base import Component
from components.charts import name_of, namespace, release, values_of


class DcgmExporterArgs(TypedDict):
    """What the exporter measures, and who scrapes it."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the exporter; by default that of the package's own taint."""
    shared_gpus: NotRequired[bool]
    """Whether pods share GPUs: metrics of a GPU are repeated for each of its pods."""
    time_sliced_gpus: NotRequired[bool]
    """Whether some of those take turns: attribution by process, which needs the host's process IDs."""
    renamed_shares: NotRequired[bool]
    """Whether shares are called `nvidia.com/gpu.shared`. MIG instances are known by their names, shared or not."""
    node_selector: NotRequired[dict[str, str]]
    """Labels of the nodes that it measures; by default all with NVIDIA GPUs."""
    claimed_gpus: NotRequired[bool]
    """Whether pods claim GPUs by Dynamic Resource Allocation."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""
    namespace: NotRequired[str]
    """Namespace, created; `dcgm-exporter` by default."""


class DcgmExporter(Component[DcgmExporterArgs]):
    """Namespace and Helm release. Needs a Kubernetes provider in its options."""

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: DcgmExporterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        space = namespace(
            self,
            args.get("namespace", "dcgm-exporter"),
            pod_security="privileged",
            reason="profiling counters need SYS_ADMIN and the kubelet's pod resources socket",
        )
        exporter = release(
            self,
            name,
            "dcgm-exporter",
            namespace=name_of(space),
            values=exporter_values(args),
            depends_on=[space],
        )
        self.release_name = exporter.name.apply(str)
        self.register_outputs({"release_name": self.release_name})


def exporter_values(args: DcgmExporterArgs) -> dict[str, Any]:
    """What the arguments add to `charts-values/dcgm-exporter.yaml`."""
    values: dict[str, Any] = {
        "nodeSelector": args.get("node_selector", {}),
        "tolerations": args.get("tolerations", [scheduling.NVIDIA.taint.toleration]),
        # The chart mounts the counters by subPath: without this, a change reaches no running pod.
        "podAnnotations": {"checksum/counters": hashlib.sha256(counters().encode()).hexdigest()[:16]},
        "serviceMonitor": {
            "enabled": args.get("service_monitor", False),
            "additionalLabels": args.get("service_monitor_labels", {}),
        },
    }
    if args.get("time_sliced_gpus"):
        # Says which pod a process is of. Under MPS all processes run below one server, so there is nothing to look up.
        values["hostPID"] = True
        values["kubernetes"] = {"enablePodUID": True}
    if args.get("shared_gpus") or args.get("time_sliced_gpus"):
        values["extraEnv"] = attribution(renamed_shares=args.get("renamed_shares", False))
    if args.get("claimed_gpus"):
        values["kubernetesDRA"] = {"enabled": True}  # without it their metrics name no pod
    return values


def counters() -> str:
    """What is measured: lines of field, kind and help text."""
    return str(values_of("dcgm-exporter", {})["customMetrics"])


def attribution(*, renamed_shares: bool) -> list[dict[str, str]]:
    """Environment of an exporter that repeats the metrics of a shared GPU for each of its pods.

    Without it they show the labels of one arbitrary pod.
    """
    environment = [{"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}]
    if renamed_shares:
        names = f"{NVIDIA_GPU},{NVIDIA_SHARED_GPU}"
        environment.append({"name": "NVIDIA_RESOURCE_NAMES", "value": names})
    return environment
