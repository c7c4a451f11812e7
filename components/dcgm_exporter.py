"""The NVIDIA DCGM exporter: metrics of every GPU, attributed to pods."""

import hashlib
from typing import Any, NotRequired, TypedDict

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import NVIDIA_GPU, NVIDIA_SHARED_GPU
from eks_accelerators.components.arguments import TolerationArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import catalogue, name_of, namespace, release, values_of


class DcgmExporterArgs(TypedDict):
    """What the exporter measures, and who scrapes it."""

    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations of the exporter; by default that of the package's own taint."""
    shared_gpus: NotRequired[bool]
    """Whether pods share GPUs: metrics are repeated for each pod, load and memory told apart by the host's processes."""
    renamed_shares: NotRequired[bool]
    """Whether shares are called `nvidia.com/gpu.shared`. MIG instances are known by their names, shared or not."""
    node_selector: NotRequired[dict[str, str]]
    """Labels of the nodes that it measures; by default all with NVIDIA GPUs."""
    claimed_gpus: NotRequired[bool]
    """Measure the nodes of Dynamic Resource Allocation, and name the pods by their claims. Other exporters leave them."""
    service_monitor: NotRequired[bool]
    """Create a ServiceMonitor; needs the Prometheus Operator."""
    service_monitor_labels: NotRequired[dict[str, str]]
    """Labels by which Prometheus selects it."""
    namespace: NotRequired[str]
    """Namespace, created; `dcgm-exporter` by default."""


class DcgmExporter(Component[DcgmExporterArgs]):
    """Namespace and Helm release. Needs a Kubernetes provider in its options.

    Nodes whose GPUs pods claim have a release of their own: an exporter that knows of shares looks at no claim.
    """

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
        "affinity": {"nodeAffinity": _nodes(claimed=args.get("claimed_gpus", False))},
        "tolerations": args.get("tolerations", [scheduling.NVIDIA.taint.toleration]),
        # The chart mounts the counters by subPath: without this, a change reaches no running pod.
        "podAnnotations": {"checksum/counters": hashlib.sha256(counters().encode()).hexdigest()[:16]},
        "serviceMonitor": {
            "enabled": args.get("service_monitor", False),
            "additionalLabels": args.get("service_monitor_labels", {}),
        },
    }
    if args.get("claimed_gpus"):
        values["kubernetesDRA"] = {"enabled": True}  # without it their metrics name no pod
        values["image"] = {"tag": catalogue()["dcgm-exporter-of-claims"]["tag"]}
    elif args.get("shared_gpus"):
        # An exporter that knows of shares takes load and memory of every pod, of whole GPUs too, from its processes.
        # It finds them with both of these; without, it says 0.
        values["hostPID"] = True
        values["kubernetes"] = {"enablePodUID": True}
        values["extraEnv"] = attribution(renamed_shares=args.get("renamed_shares", False))
    return values


def _nodes(*, claimed: bool) -> dict[str, Any]:
    """Affinity to the nodes with a driver for claims, or to all the others: a node has one exporter."""
    label = {"key": scheduling.DRA_LABEL, "operator": "In" if claimed else "NotIn", "values": ["true"]}
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [label]}]}}


def counters() -> str:
    """What is measured: lines of field, kind and help text."""
    return str(values_of("dcgm-exporter", {})["customMetrics"])


def attribution(*, renamed_shares: bool) -> list[dict[str, str]]:
    """Environment of an exporter that repeats the metrics of a shared GPU for each of its pods.

    Without it they show the labels of one arbitrary pod. It is of no use without host processes and UIDs of pods.
    """
    environment = [{"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"}]
    if renamed_shares:
        names = f"{NVIDIA_GPU},{NVIDIA_SHARED_GPU}"
        environment.append({"name": "NVIDIA_RESOURCE_NAMES", "value": names})
    return environment
