"""A language model served by vLLM on the GPUs of one node group."""

from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_kubernetes as k8s

from components.base import Component
from components.charts import catalogue, name_of
from components.charts import namespace as secured_namespace
from components.resource_claims import claims_of, with_claims
from components.shapes import ResourcesArgs, ServedNodeGroupArgs, TolerationArgs
from components.validation import resolve_workload
from components.vllm_pod import PORT, labels, pod_spec
from settings.fit import vllm_fit
from settings.model.workloads import EBS_STORAGE_CLASSES, VllmWorkload

_PATIENCE_SECONDS = 1800
"""For the pull of the image, the download of the weights and the first load, on a node that is new."""

POD_SECURITY = "baseline"
POD_SECURITY_REASON = "the vLLM image runs as root; everything else of the restricted profile holds"


class ModelShapeArgs(TypedDict):
    """The numbers of a model that this package does not know."""

    parameters: int
    """Number of parameters."""
    layers: int
    """Number of layers."""
    attention_heads: int
    """Number of attention heads."""
    kv_heads: int
    """Number of key and value heads."""
    head_size: int
    """Size of a head."""
    max_model_len: int
    """Longest context in tokens."""
    bytes_per_parameter: NotRequired[int]
    """2 by default."""
    gated: NotRequired[bool]
    """Whether Hugging Face asks for a token."""


class CacheVolumeArgs(TypedDict):
    """A volume that keeps the weights."""

    size_gib: int
    """Size in GiB."""
    storage_class: NotRequired[str]
    """Storage class."""


class VllmServerArgs(TypedDict):
    """The model, and the node group that serves it."""

    model: str
    """Hugging Face model."""
    serves_on: ServedNodeGroupArgs
    """Node group that the servers run on."""
    namespace: NotRequired[pulumi.Input[str]]
    """Namespace that is there already; by default one of its own, called as the component."""
    model_shape: NotRequired[ModelShapeArgs]
    """The model's numbers, where this package does not know the model."""
    replicas: NotRequired[int]
    """Number of servers; by default as many as fit the node group at its desired size."""
    max_model_len: NotRequired[int]
    """Longest context in tokens, 4096 by default."""
    concurrent_sequences: NotRequired[int]
    """Sequences of that length that fit the KV cache at a time."""
    tensor_parallel_size: NotRequired[int]
    """GPUs that one server uses."""
    gpu_memory_gib: NotRequired[float]
    """GiB that each pod wants of its GPU at least; sizes the shares where `serves_on` writes no number of them."""
    resource_name: NotRequired[str]
    """Resource that pods ask for; follows from the sharing."""
    tolerations: NotRequired[list[TolerationArgs]]
    """Tolerations; follow from the node group's taints."""
    efa_interfaces: NotRequired[int]
    """EFA interfaces of one pod."""
    huge_pages_mib: NotRequired[int]
    """2 MiB huge pages of one pod, in MiB."""
    hugging_face_token: NotRequired[pulumi.Input[str]]
    """Token for gated models: a Pulumi secret."""
    existing_token_secret: NotRequired[str]
    """Kubernetes Secret with the key `token`, in place of the token."""
    cache: NotRequired[CacheVolumeArgs]
    """Volume that keeps the weights."""
    image: NotRequired[str]
    """Container image."""
    resources: NotRequired[ResourcesArgs]
    """CPU and memory of one pod."""
    wait_for_pods: NotRequired[bool]
    """Wait until the servers answer; true by default where they fit the node group at its desired size."""


class VllmServer(Component):
    """Namespace, Secret, Deployment, Service, PodDisruptionBudget, and ResourceClaimTemplate where GPUs are claimed.

    Needs a Kubernetes provider in its options.

    Memory per server follows from model, GPU and sharing; what does not fit is refused with the arithmetic.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of everything."""

    def __init__(self, name: str, args: VllmServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        group, workload = resolve_workload(VllmWorkload, name, args, args["serves_on"])
        super().__init__("VllmServer", name, args, opts)
        self._name, self._args, self._workload = name, args, workload
        self._space: list[pulumi.Resource] = []
        self.namespace_name = self._namespace()
        fit = vllm_fit(workload, group)
        account = k8s.core.v1.ServiceAccount(
            name,
            metadata=self._metadata(),
            automount_service_account_token=False,
            opts=self.child(depends_on=self._space),
        )
        spec = pod_spec(
            name,
            workload,
            group,
            fit,
            image=workload.image or catalogue()["vllm"]["image"],
            token_secret=self._token_secret(),
            claim=self._claim(),
            node_selector=args["serves_on"].get("node_selector", group.node_selector),
        )
        gpus = workload.tensor_parallel_size
        claims = claims_of(self, f"{name}-gpus", group, gpus, self.namespace_name, depends_on=self._space)
        waits = args.get("wait_for_pods", True) and fit.all_at_desired
        self._deployment(with_claims(spec, claims), account, fit.replicas, waits=waits)
        self._budget()
        service = k8s.core.v1.Service(
            name,
            # The Deployment waits for the pods, and longer than the ten minutes that Pulumi gives a Service.
            metadata=self._metadata(annotations={"pulumi.com/skipAwait": "true"}),
            spec={
                "selector": labels(name),
                "ports": [{"name": "http", "port": 80, "target_port": PORT}],
                "type": "ClusterIP",
            },
            opts=self.child(depends_on=self._space),
        )
        self.service_name = name_of(service)
        self.register_outputs({"service_name": self.service_name, "namespace_name": self.namespace_name})

    def _namespace(self) -> pulumi.Output[str]:
        if "namespace" in self._args:
            return pulumi.Output.from_input(self._args["namespace"])
        space = secured_namespace(self, self._name, pod_security=POD_SECURITY, reason=POD_SECURITY_REASON)
        self._space.append(space)
        return name_of(space)

    def _metadata(self, **more: Any) -> Any:
        return {"name": self._name, "namespace": self.namespace_name, "labels": labels(self._name), **more}

    def _deployment(self, spec: Any, account: k8s.core.v1.ServiceAccount, replicas: int, *, waits: bool) -> None:
        # Where the group may be at zero nodes, nobody knows when the pods become ready.
        annotations = {} if waits else {"pulumi.com/skipAwait": "true"}
        k8s.apps.v1.Deployment(
            self._name,
            metadata=self._metadata(annotations=annotations),
            spec={
                "replicas": replicas,
                "progress_deadline_seconds": _PATIENCE_SECONDS,
                "selector": {"match_labels": labels(self._name)},
                # A surge pod would need a share and memory that are not there.
                "strategy": {"type": "RollingUpdate", "rolling_update": {"max_surge": 0, "max_unavailable": 1}},
                "template": {"metadata": {"labels": labels(self._name)}, "spec": spec},
            },
            opts=self.child(
                depends_on=[*self._space, account],
                custom_timeouts=pulumi.CustomTimeouts(create=f"{_PATIENCE_SECONDS}s", update=f"{_PATIENCE_SECONDS}s"),
            ),
        )

    def _budget(self) -> None:
        """At most one server away at a time; a single server may go, or no node could ever be drained."""
        k8s.policy.v1.PodDisruptionBudget(
            self._name,
            metadata=self._metadata(),
            spec={"max_unavailable": 1, "selector": {"match_labels": labels(self._name)}},
            opts=self.child(depends_on=self._space),
        )

    def _token_secret(self) -> str | None:
        if "existing_token_secret" in self._args:
            return self._args["existing_token_secret"]
        if "hugging_face_token" not in self._args:
            return None
        secret = f"{self._name}-hugging-face"
        k8s.core.v1.Secret(
            secret,
            metadata={"name": secret, "namespace": self.namespace_name},
            string_data={"token": pulumi.Output.secret(self._args["hugging_face_token"])},
            opts=self.child(depends_on=self._space),
        )
        return secret

    def _claim(self) -> str | None:
        cache = self._workload.cache
        if not cache:
            return None
        claim = f"{self._name}-models"
        k8s.core.v1.PersistentVolumeClaim(
            claim,
            metadata={
                "name": claim,
                "namespace": self.namespace_name,
                # The volume is made for the first pod, which waits for this claim.
                "annotations": {"pulumi.com/skipAwait": "true"},
            },
            spec={
                "access_modes": [
                    "ReadWriteOnce" if cache.storage_class in (None, *EBS_STORAGE_CLASSES) else "ReadWriteMany"
                ],
                "storage_class_name": cache.storage_class,
                "resources": {"requests": {"storage": f"{cache.size_gib}Gi"}},
            },
            opts=self.child(depends_on=self._space),
        )
        return claim
