"""The NVIDIA DCGM exporter: metrics of every GPU, attributed to pods."""

import hashlib
from typing import Any

import pulumi

from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import NVIDIA_GPU, NVIDIA_SHARED_GPU
from eks_accelerators.components.arguments import DcgmExporterArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import catalogue, name_of, namespace, release, values_of
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import DcgmExporterInputs


class DcgmExporter(Component[DcgmExporterInputs]):
    """Namespace and Helm release.

    Nodes whose GPUs pods claim have a release of their own: an exporter that knows of shares looks at no claim.

    Providers: Kubernetes.

    Alone: Serves nodes with the label `nvidia.com/gpu.present=true`. Say so where GPUs are shared: it cannot know.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release."""

    def __init__(self, name: str, args: DcgmExporterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, release_inputs(DcgmExporterInputs, args), opts)

    def _create(self, name: str, inputs: DcgmExporterInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        space = namespace(
            self,
            inputs.namespace,
            pod_security="privileged",
            reason="profiling counters need SYS_ADMIN and the kubelet's pod resources socket",
        )
        exporter = release(
            self,
            name,
            "dcgm-exporter",
            namespace=name_of(space),
            values=exporter_values(inputs),
            depends_on=[space],
        )
        self.release_name = exporter.name.apply(str)
        self.register_outputs({"release_name": self.release_name})


def exporter_values(inputs: DcgmExporterInputs) -> dict[str, Any]:
    """What the inputs add to `charts-values/dcgm-exporter.yaml`."""
    values: dict[str, Any] = {
        "nodeSelector": inputs.node_selector,
        "affinity": {"nodeAffinity": _nodes(claimed=inputs.claimed_gpus)},
        "tolerations": list(inputs.tolerations),
        # The chart mounts the counters by subPath: without this, a change reaches no running pod.
        "podAnnotations": {"checksum/counters": hashlib.sha256(counters().encode()).hexdigest()[:16]},
        "serviceMonitor": {
            "enabled": inputs.service_monitor,
            "additionalLabels": inputs.service_monitor_labels,
        },
    }
    if inputs.claimed_gpus:
        values["kubernetesDRA"] = {"enabled": True}  # without it their metrics name no pod
        values["image"] = {"tag": catalogue()["dcgm-exporter-of-claims"]["tag"]}
    elif inputs.shared_gpus:
        # An exporter that knows of shares takes load and memory of every pod, of whole GPUs too, from its processes.
        # It finds them with both of these; without, it says 0.
        values["hostPID"] = True
        values["kubernetes"] = {"enablePodUID": True}
        values["extraEnv"] = attribution(renamed_shares=inputs.renamed_shares)
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
