"""Stand-in for the chart `external-secrets`: the program, and the CRDs that a stack uses.

Source: external-secrets/external-secrets v2.9.0, `deploy/charts/external-secrets` (values.yaml, `templates/deployment.yaml`,
`templates/serviceaccount.yaml`), read 2026-11-22. The CRDs take any content. Left out: webhook and certificate controller, which
must be off, RBAC rules, and CRDs of what nobody here makes. What the program does is done by
`eks_accelerators.simulator.kubernetes.secret_sync`.
"""

from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import objects
from eks_accelerators.simulator.kubernetes.charts.release import ChartRelease, completed
from eks_accelerators.simulator.kubernetes.objects import Manifest

CHART = "external-secrets"
GROUP = "external-secrets.io"

_DEFAULTS: dict[str, Any] = {
    "replicaCount": 1,
    "revisionHistoryLimit": 10,
    "image": {"repository": "ghcr.io/external-secrets/external-secrets", "pullPolicy": "IfNotPresent", "tag": ""},
    "installCRDs": True,
    "crds": {
        "createClusterExternalSecret": True,
        "createClusterSecretStore": True,
        "createSecretStore": True,
        "createPushSecret": True,
    },
    "processClusterExternalSecret": True,
    "processClusterPushSecret": True,
    "processClusterStore": True,
    "processPushSecret": True,
    "serviceAccount": {"create": True, "automount": True, "annotations": {}, "name": ""},
    "securityContext": {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
        "runAsNonRoot": True,
        "runAsUser": 1000,
        "seccompProfile": {"type": "RuntimeDefault"},
    },
    "resources": {},
    "nodeSelector": {},
    "tolerations": [],
    "topologySpreadConstraints": [],
    "affinity": {},
    "priorityClassName": "",
    "webhook": {"create": True},
    "certController": {"create": True},
}
_KINDS = (("ExternalSecret", "externalsecrets", "es"), ("SecretStore", "secretstores", "ss"))


def manifests(version: str, release: str, namespace: str, values: Mapping[str, Any]) -> list[Manifest]:
    """CustomResourceDefinitions, rights and Deployment of External Secrets."""
    made = ChartRelease(CHART, version, release, namespace, completed(CHART, _DEFAULTS, values))
    value = made.value
    made.refuse(CHART, ("webhook.create", "certController.create"))
    name = release if CHART in release else f"{release}-{CHART}"
    account = str(value("serviceAccount.name") or name)
    labels = {"app.kubernetes.io/name": CHART, "app.kubernetes.io/instance": release}
    container = objects.filled(
        name=CHART,
        image=f"{value('image.repository')}:{value('image.tag') or f'v{version}'}",
        imagePullPolicy=value("image.pullPolicy"),
        securityContext=value("securityContext"),
        resources=value("resources"),
    )
    pod = objects.filled(
        serviceAccountName=account,
        containers=[container],
        priorityClassName=value("priorityClassName"),
        nodeSelector=value("nodeSelector"),
        affinity=value("affinity"),
        topologySpreadConstraints=value("topologySpreadConstraints"),
        tolerations=value("tolerations"),
    )
    crds = [
        objects.custom_resource_definition(
            GROUP, "v1", kind, plural, namespaced=True, short_names=[short_name], categories=[CHART]
        )
        for kind, plural, short_name in _KINDS
    ]
    return [
        *(crds if value("installCRDs") else []),
        objects.service_account(made.metadata(account, labels)),
        objects.deployment(
            made.metadata(name, labels),
            replicas=value("replicaCount"),
            selector=labels,
            template=objects.pod_template(labels, pod),
        ),
    ]
