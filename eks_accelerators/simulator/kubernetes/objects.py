"""Kubernetes objects as plain dictionaries: the frame that every chart and add-on writes alike.

Probes are left out on purpose: nobody in a simulated pod answers them, and kwok decides what is ready.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Manifest = dict[str, Any]
"""One Kubernetes object, as in YAML."""

RBAC_GROUP = "rbac.authorization.k8s.io"


def filled(**fields: Any) -> Manifest:
    """The fields that have content: None, and an empty mapping, list or string, are left out."""
    return {key: value for key, value in fields.items() if value is not None and value not in ({}, [], "")}


def metadata(
    name: str,
    namespace: str | None = None,
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Manifest:
    """`metadata` of an object; without ``namespace`` of one that belongs to the whole cluster."""
    return filled(name=name, namespace=namespace, labels=dict(labels or {}), annotations=dict(annotations or {}))


def daemon_set(meta: Manifest, *, selector: Mapping[str, str], template: Manifest, **spec: Any) -> Manifest:
    """A DaemonSet; ``template`` is one of `pod_template`, ``spec`` further fields such as `updateStrategy`."""
    return _workload("DaemonSet", meta, selector, template, spec)


def deployment(
    meta: Manifest, *, replicas: int, selector: Mapping[str, str], template: Manifest, **spec: Any
) -> Manifest:
    """A Deployment of ``replicas`` pods."""
    return _workload("Deployment", meta, selector, template, {"replicas": replicas, **spec})


def pod_template(labels: Mapping[str, str], spec: Manifest, annotations: Mapping[str, str] | None = None) -> Manifest:
    """The template of a workload's pods."""
    return {"metadata": filled(labels=dict(labels), annotations=dict(annotations or {})), "spec": spec}


def service_account(meta: Manifest) -> Manifest:
    """A ServiceAccount as a manifest."""
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta}


def config_map(meta: Manifest, data: Mapping[str, str]) -> Manifest:
    """A ConfigMap whose values are texts, as a manifest."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": dict(data)}


def cluster_role(meta: Manifest, rules: Sequence[Manifest]) -> Manifest:
    """A ClusterRole with its rules, as a manifest."""
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": "ClusterRole", "metadata": meta, "rules": list(rules)}


def role(meta: Manifest, rules: Sequence[Manifest]) -> Manifest:
    """A Role in the namespace of ``meta``."""
    return {"apiVersion": f"{RBAC_GROUP}/v1", "kind": "Role", "metadata": meta, "rules": list(rules)}


def rule(groups: Sequence[str], resources: Sequence[str], verbs: Sequence[str], names: Sequence[str] = ()) -> Manifest:
    """One rule of a role; ``groups`` has the empty string for the core API."""
    return {
        "apiGroups": list(groups),
        "resources": list(resources),
        "verbs": list(verbs),
        **filled(resourceNames=list(names)),
    }


def binding(meta: Manifest, role_name: str, account: str, account_namespace: str) -> Manifest:
    """A RoleBinding where ``meta`` has a namespace, else a ClusterRoleBinding, for one ServiceAccount."""
    prefix = "" if "namespace" in meta else "Cluster"
    return {
        "apiVersion": f"{RBAC_GROUP}/v1",
        "kind": f"{prefix}RoleBinding",
        "metadata": meta,
        "roleRef": {"apiGroup": RBAC_GROUP, "kind": f"{prefix}Role", "name": role_name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": account_namespace}],
    }


def custom_resource_definition(
    group: str,
    version: str,
    kind: str,
    plural: str,
    *,
    namespaced: bool,
    short_names: Sequence[str] = (),
    categories: Sequence[str] = (),
    has_status: bool = True,
    scale: Mapping[str, str] | None = None,
    also_served: Sequence[str] = (),
) -> Manifest:
    """A CustomResourceDefinition that takes any content: nobody here reads these objects.

    Its status is a subresource where it ``has_status``. ``scale`` are the paths of the subresource `scale`, as
    `specReplicasPath`; ``also_served`` are versions beside the one that is stored.
    """
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    subresources = {**({"status": {}} if has_status else {}), **({"scale": dict(scale)} if scale else {})}
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {**names, **filled(shortNames=list(short_names), categories=list(categories))},
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [
                {
                    "name": each,
                    "served": True,
                    "storage": each == version,
                    "schema": {"openAPIV3Schema": schema},
                    **filled(subresources=subresources),
                }
                for each in (version, *also_served)
            ],
        },
    }


def host_path(name: str, path: str, kind: str | None = None) -> Manifest:
    """A volume from the node's file system; ``kind`` as `DirectoryOrCreate`."""
    return {"name": name, "hostPath": filled(path=path, type=kind)}


def mount(name: str, path: str, *, read_only: bool = False, **more: Any) -> Manifest:
    """Where a container sees a volume."""
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {}), **more}


def field_env(name: str, path: str) -> Manifest:
    """An environment variable from a field of the pod, such as `spec.nodeName`."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def requests(
    cpu: str | None = None, memory: str | None = None, *, cpu_limit: str | None = None, memory_limit: str | None = None
) -> Manifest:
    """`resources` of a container: what it asks for, and what it may not exceed."""
    return filled(requests=filled(cpu=cpu, memory=memory), limits=filled(cpu=cpu_limit, memory=memory_limit))


def required_node_affinity(*terms: Sequence[Manifest]) -> Manifest:
    """Required node affinity: a node meets every expression of at least one of ``terms``."""
    listed = [{"matchExpressions": list(term)} for term in terms]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": listed}}}


def expression(key: str, operator: str, *values: str) -> Manifest:
    """A match expression of node affinity, such as ``key In values``."""
    return {"key": key, "operator": operator, **filled(values=list(values))}


def _workload(
    kind: str, meta: Manifest, selector: Mapping[str, str], template: Manifest, spec: Mapping[str, Any]
) -> Manifest:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": meta,
        "spec": {**filled(**spec), "selector": {"matchLabels": dict(selector)}, "template": template},
    }
