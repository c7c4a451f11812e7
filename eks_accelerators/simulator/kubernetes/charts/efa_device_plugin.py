"""Stand-in for AWS' chart `aws-efa-k8s-device-plugin`: the plugin that hands out EFA interfaces.

Source: aws/eks-charts at 5239609 (v0.5.30), `stable/aws-efa-k8s-device-plugin` (values.yaml,
`templates/daemonset.yaml`), read 2026-11-22. The chart's list of instance types is in
`eks_accelerators/accelerators/data/charts-instance-types.json`.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.accelerators import data
from eks_accelerators.simulator.kubernetes import objects, roles
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "aws-efa-k8s-device-plugin"

_COMPUTE_TYPE = objects.expression("eks.amazonaws.com/compute-type", "NotIn", "auto")
_LISTED: list[str] = data.load("charts-instance-types")[CHART]["types"]

_DEFAULTS: dict[str, Any] = {
    "image": {
        "repository": "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin",
        "tag": "v0.5.20",
    },
    "securityContext": {
        "allowPrivilegeEscalation": True,
        "privileged": True,
        "runAsNonRoot": False,
        "runAsUser": 0,
    },
    "supportedInstanceLabels": {"keys": ["node.kubernetes.io/instance-type"], "values": _LISTED},
    "resources": {"requests": {"cpu": "10m", "memory": "20Mi"}},
    "nodeSelector": {},
    "tolerations": [],
    "updateStrategy": {"type": "RollingUpdate"},
    "additionalPodAnnotations": {},
    "additionalPodLabels": {},
    "nameOverride": "",
    "fullnameOverride": "",
    "imagePullSecrets": [],
}


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """The plugin's DaemonSet, which has no ServiceAccount of its own."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    value = made.value
    name = value("nameOverride") or CHART
    full_name = made.full_name(name, value("fullnameOverride"))
    container = objects.filled(
        name="aws-efa-k8s-device-plugin",
        image=f"{value('image.repository')}:{value('image.tag')}",
        securityContext=value("securityContext"),
        resources=value("resources"),
        volumeMounts=[
            objects.mount("device-plugin", "/var/lib/kubelet/device-plugins"),
            objects.mount("infiniband-volume", "/dev/infiniband/"),
            objects.mount("neuron-tools", "/opt/aws/neuron/"),
        ],
    )
    listed = value("supportedInstanceLabels.values") or []
    terms = [[objects.expression(key, "In", *listed)] for key in value("supportedInstanceLabels.keys") or []]
    if terms:
        terms[-1].append(_COMPUTE_TYPE)  # the template writes it once, behind the last of the keys
    pod = objects.filled(
        automountServiceAccountToken=False,
        imagePullSecrets=value("imagePullSecrets"),
        tolerations=[{"key": "CriticalAddonsOnly", "operator": "Exists"}, *(value("tolerations") or [])],
        priorityClassName="system-node-critical",
        nodeSelector=value("nodeSelector"),
        affinity=objects.required_node_affinity(*terms),
        hostNetwork=True,
        containers=[container],
        volumes=[
            objects.host_path("device-plugin", "/var/lib/kubelet/device-plugins"),
            objects.host_path("infiniband-volume", "/dev/infiniband/"),
            objects.host_path("neuron-tools", "/opt/aws/neuron/", "DirectoryOrCreate"),
        ],
    )
    # The chart's pods have the label `name` only; those of the application are ours, as on other charts' pods.
    labels = {"name": full_name, **made.selector_labels(name), **(value("additionalPodLabels") or {})}
    template = objects.pod_template(
        {**labels, **roles.role_label(roles.EFA_DEVICE_PLUGIN)}, pod, value("additionalPodAnnotations")
    )
    return [
        objects.daemon_set(
            made.metadata(full_name, made.labels(name)),
            selector={"name": full_name},
            template=template,
            updateStrategy=value("updateStrategy"),
        )
    ]
