"""A namespace for workloads, under Pod Security admission."""

from typing import NotRequired, TypedDict

import pulumi

from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import name_of, namespace


class WorkloadNamespaceArgs(TypedDict):
    """The namespace and how strict it is."""

    namespace: NotRequired[str]
    """Its name; by default the component's."""
    pod_security: NotRequired[str]
    """Pod Security level that is enforced: `restricted` (default), `baseline` or `privileged`."""
    reason: NotRequired[str]
    """Why it is not `restricted`; kept as an annotation."""


class WorkloadNamespace(Component[WorkloadNamespaceArgs]):
    """One namespace, for one workload or several.

    Providers: Kubernetes.

    Alone: On any cluster; pass its `namespace_name` on. `restricted` unless you say otherwise.
    """

    namespace_name: pulumi.Output[str]
    """Name of the namespace, once it is there."""

    def __init__(self, name: str, args: WorkloadNamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._register(name, opts)
        level = args.get("pod_security", "restricted")
        made = namespace(self, args.get("namespace", name), pod_security=level, reason=args.get("reason", ""))
        self.namespace_name = name_of(made)
        self.register_outputs({"namespace_name": self.namespace_name})
