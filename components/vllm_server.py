"""A language model served by vLLM on the GPUs of one node group."""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import VllmServerArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import catalogue, name_of
from eks_accelerators.components.charts import namespace as secured_namespace
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.scaled_object import API_VERSION, scaled_object_spec, trigger_authentication_spec
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.vllm_pod import PORT, labels, pod_spec
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of
from eks_accelerators.settings.fit import Fit, vllm_fit
from eks_accelerators.settings.model.vllm import HUGGING_FACE, VllmWorkload
from eks_accelerators.settings.model.workload import EBS_STORAGE_CLASSES
from eks_accelerators.settings.resolved import ResolvedNodeGroup

_PATIENCE_SECONDS = 1800
"""For the pull of the image, the download of the weights and the first load, on a node that is new."""

POD_SECURITY = "baseline"
POD_SECURITY_REASON = "the vLLM image runs as root; everything else of the restricted profile holds"


@dataclass(frozen=True, slots=True)
class LoadSource:
    """What servers that follow their load need: the ``address`` of a Prometheus, in ``region`` where questions are signed, and
    what has to be there before (``keda``).
    """

    address: pulumi.Input[str]
    region: str | None = None
    keda: pulumi.Resource | None = None


@dataclass(frozen=True, slots=True)
class VllmInputs:
    """A server, the node group that it runs on, and how it fits there.

    ``namespace`` is there already, or None for one of its own. The token is a secret value, or stands in the Secret
    ``token_secret``. A deployment waits for the pods where ``waits``, and they all fit at the group's desired size.
    ``load`` is needed where the settings say `autoscaling`.
    """

    workload: VllmWorkload
    group: ResolvedNodeGroup
    fit: Fit
    namespace: pulumi.Input[str] | None = None
    token: pulumi.Input[str] | None = None
    token_secret: str | None = None
    waits: bool = True
    node_selector: dict[str, str] | None = None
    load: LoadSource | None = None


class VllmServer(Component[VllmInputs]):
    """Namespace, Secret, Deployment, Service, PodDisruptionBudget; ResourceClaimTemplate where GPUs are claimed, ScaledObject
    where servers follow their load.

    Needs a Kubernetes provider in its options, and KEDA in the cluster for a ScaledObject.

    Memory per server follows from model, GPU and sharing; what does not fit is refused with the arithmetic.
    """

    service_name: pulumi.Output[str]
    """Name of the Service, port 80."""
    namespace_name: pulumi.Output[str]
    """Namespace of everything."""

    def __init__(self, name: str, args: VllmServerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _create(self, name: str, inputs: VllmInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        workload, group, fit = inputs.workload, inputs.group, inputs.fit
        self._name, self._inputs = name, inputs
        self._space: list[pulumi.Resource] = []
        self.namespace_name = self._namespace()
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
            node_selector=inputs.node_selector or group.node_selector,
        )
        gpus = workload.tensor_parallel_size
        claims = claims_of(self, f"{name}-gpus", group, gpus, self.namespace_name, depends_on=self._space)
        scaling = autoscaling_of(workload, fit)
        waits = inputs.waits and fit.all_at_desired and not (scaling and scaling.least == 0)
        deployment = self._deployment(
            with_claims(spec, claims), account, fit.replicas, waits=waits, is_scaled=scaling is not None
        )
        if scaling:
            self._scaled(scaling, deployment)
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
        if self._inputs.namespace is not None:
            return pulumi.Output.from_input(self._inputs.namespace)
        space = secured_namespace(self, self._name, pod_security=POD_SECURITY, reason=POD_SECURITY_REASON)
        self._space.append(space)
        return name_of(space)

    def _metadata(self, **more: Any) -> Any:
        return {"name": self._name, "namespace": self.namespace_name, "labels": labels(self._name), **more}

    def _deployment(
        self, spec: Any, account: k8s.core.v1.ServiceAccount, replicas: int, *, waits: bool, is_scaled: bool
    ) -> k8s.apps.v1.Deployment:
        """``replicas`` are those of the beginning where it ``is_scaled``: no deployment sets back what an autoscaler has set."""
        # Where the group may be at zero nodes, nobody knows when the pods become ready.
        annotations = {} if waits else {"pulumi.com/skipAwait": "true"}
        return k8s.apps.v1.Deployment(
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
                # Left out in place of this, the number would go to 1 when autoscaling is switched on, and begin with 1.
                ignore_changes=["spec.replicas"] if is_scaled else None,
            ),
        )

    def _scaled(self, scaling: Autoscaling, deployment: k8s.apps.v1.Deployment) -> None:
        """KEDA makes a HorizontalPodAutoscaler of the ScaledObject. It goes before KEDA does, which has to let go of it."""
        load = self._inputs.load
        if load is None:
            raise ValueError(f"{self._name}: servers that follow their load need the address of a Prometheus")
        before: list[pulumi.Resource] = [*self._space, deployment, *([load.keda] if load.keda else [])]
        if load.region:
            before.append(
                k8s.apiextensions.CustomResource(
                    f"{self._name}-prometheus",
                    api_version=API_VERSION,
                    kind="TriggerAuthentication",
                    metadata=self._metadata(),
                    spec=trigger_authentication_spec(),
                    opts=self.child(depends_on=before),
                )
            )
        spec = pulumi.Output.all(self.namespace_name, load.address).apply(
            lambda known: scaled_object_spec(self._name, known[0], scaling, known[1], region=load.region)
        )
        k8s.apiextensions.CustomResource(
            self._name,
            api_version=API_VERSION,
            kind="ScaledObject",
            metadata=self._metadata(),
            spec=spec,
            opts=self.child(depends_on=before),
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
        if self._inputs.token_secret is not None or self._inputs.token is None:
            return self._inputs.token_secret
        secret = f"{self._name}-{HUGGING_FACE}"
        k8s.core.v1.Secret(
            secret,
            metadata={"name": secret, "namespace": self.namespace_name},
            string_data={"token": pulumi.Output.secret(self._inputs.token)},
            opts=self.child(depends_on=self._space),
        )
        return secret

    def _claim(self) -> str | None:
        cache = self._inputs.workload.cache
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


def _parsed(name: str, args: VllmServerArgs) -> VllmInputs:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    serves_on = args["serves_on"]
    group, workload = resolve_workload(VllmWorkload, name, args, serves_on)
    return VllmInputs(
        workload=workload,
        group=group,
        fit=vllm_fit(workload, group),
        namespace=args.get("namespace"),
        token=args.get("hugging_face_token"),
        token_secret=args.get("existing_token_secret"),
        waits=args.get("wait_for_pods", True),
        node_selector=serves_on.get("node_selector"),
        load=LoadSource(args["prometheus_address"], args.get("prometheus_region"))
        if "prometheus_address" in args
        else None,
    )
