"""What every model server has in common, whatever it runs."""

from abc import abstractmethod
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.cache_volume import Cache
from eks_accelerators.components.charts import name_of
from eks_accelerators.components.charts import namespace as secured_namespace
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.scaled_object import API_VERSION, scaled_object_spec, trigger_authentication_spec
from eks_accelerators.components.server_access import http_route_spec, network_policy_spec, service_access
from eks_accelerators.components.server_inputs import ServerInputs
from eks_accelerators.components.server_pod import ServerDescription, labels, pod_spec
from eks_accelerators.components.workload_component import WorkloadComponent
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of
from eks_accelerators.settings.model.server import ExposureKind
from eks_accelerators.settings.model.workload import CacheVolume
from eks_accelerators.settings.server_starts import patience_seconds
from eks_accelerators.settings.workload_kinds import start_of

RELOAD = "secret.reloader.stakater.com/reload"
"""Names of Secrets, on a Deployment whose pods Reloader replaces when one of them has changed.

Source: stakater/Reloader v1.4.21, README; read 2026-11-22.
"""

_PATIENCE_SECONDS = 1800
"""For the pull of the image, the download of the weights and the first load, on a node that is new; large models take longer."""


I = TypeVar("I", bound=ServerInputs)  # noqa: E741  (inputs)


class ModelServer(WorkloadComponent[I], Generic[I]):
    """Namespace, ServiceAccount, Deployment, Service, PodDisruptionBudget; ResourceClaimTemplate where GPUs are claimed,
    ScaledObject where servers follow their load, NetworkPolicy where callers are named, HTTPRoute with a Gateway.

    A kind of server says what is special to it in `_described`, and registers there what its pods need besides. For what it puts
    into ``_before_servers`` the Deployment waits.
    """

    # Each kind declares them again, with what they are: Pulumi's packaging describes them by the text of the class alone.
    service_name: pulumi.Output[str]
    namespace_name: pulumi.Output[str]
    example_request: pulumi.Output[str]

    EXPORTED = MappingProxyType({"Service": "service_name", "Request": "example_request"})

    @abstractmethod
    def _described(self, inputs: I) -> ServerDescription:
        """What is special to this kind."""

    def _create(self, name: str, inputs: I, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        workload, group, fit = inputs.workload, inputs.group, inputs.fit
        self._name, self._inputs = name, inputs
        self._space: list[pulumi.Resource] = []
        self._before_servers: list[pulumi.Resource] = []
        self._labels = labels(workload.PROGRAM, name)
        self.namespace_name = self._namespace()
        account = k8s.core.v1.ServiceAccount(
            name,
            metadata=self._metadata(),
            automount_service_account_token=False,
            opts=self.child(depends_on=self._space),
        )
        described = self._described(inputs)
        spec = pod_spec(name, workload, group, fit, described, inputs.node_selector or group.node_selector)
        claims = claims_of(
            self, f"{name}-gpus", group, workload.accelerators, self.namespace_name, depends_on=self._space
        )
        scaling = autoscaling_of(workload, fit)
        waits = inputs.waits and fit.all_at_desired and not (scaling and scaling.least == 0)
        servers = self._servers(
            with_claims(spec, claims), account, fit.replicas, waits=waits, is_scaled=scaling is not None
        )
        if scaling:
            self._scaled(scaling, servers)
        self._budget()
        service = self._service(described)
        self._callers(described)
        self._route(described)
        self.service_name = name_of(service)
        self.example_request = pulumi.Output.all(self.namespace_name, self.service_name).apply(
            lambda known: example_request(known[0], known[1], described)
        )
        self.register_outputs(
            {
                "service_name": self.service_name,
                "namespace_name": self.namespace_name,
                "example_request": self.example_request,
            }
        )

    def _namespace(self) -> pulumi.Output[str]:
        if self._inputs.namespace is not None:
            return pulumi.Output.from_input(self._inputs.namespace)
        space = secured_namespace(self, self._name, pod_security=self.POD_SECURITY, reason=self.POD_SECURITY_REASON)
        self._space.append(space)
        return name_of(space)

    def _metadata(self, **more: Any) -> Any:
        return {"name": self._name, "namespace": self.namespace_name, "labels": self._labels, **more}

    def _servers(
        self, spec: Any, account: k8s.core.v1.ServiceAccount, replicas: int, *, waits: bool, is_scaled: bool
    ) -> pulumi.Resource:
        """``replicas`` are those of the beginning where it ``is_scaled``: no deployment sets back what an autoscaler has set."""
        # Where the group may be at zero nodes, nobody knows when the pods become ready.
        annotations = {} if waits else {"pulumi.com/skipAwait": "true"}
        if rolls_with := self._inputs.rolls_with:
            annotations[RELOAD] = ",".join(rolls_with)
        patience = patience_seconds(
            start_of(self._inputs.workload, self._inputs.fit), _PATIENCE_SECONDS, with_image=True
        )
        whole: Any = {
            "replicas": replicas,
            "progress_deadline_seconds": patience,
            "selector": {"match_labels": self._labels},
            # A surge pod would need a share and memory that are not there.
            "strategy": {"type": "RollingUpdate", "rolling_update": {"max_surge": 0, "max_unavailable": 1}},
            "template": {"metadata": {"labels": self._labels}, "spec": spec},
        }
        return k8s.apps.v1.Deployment(
            self._name,
            metadata=self._metadata(annotations=annotations),
            spec=whole,
            opts=self.child(
                depends_on=[*self._space, account, *self._before_servers],
                custom_timeouts=pulumi.CustomTimeouts(create=f"{patience}s", update=f"{patience}s"),
                # Left out in place of this, the number would go to 1 when autoscaling is switched on, and begin with 1.
                ignore_changes=["spec.replicas"] if is_scaled else None,
            ),
        )

    def _scaled(self, scaling: Autoscaling, servers: pulumi.Resource) -> None:
        """KEDA makes a HorizontalPodAutoscaler of the ScaledObject. It goes before KEDA does, which has to let go of it."""
        load = self._inputs.load
        if load is None:
            raise ValueError(f"{self._name}: servers that follow their load need the address of a Prometheus")
        before: list[pulumi.Resource] = [*self._space, servers, *([load.keda] if load.keda else [])]
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
        spec: Any = {"max_unavailable": 1, "selector": {"match_labels": self._labels}}
        k8s.policy.v1.PodDisruptionBudget(
            self._name, metadata=self._metadata(), spec=spec, opts=self.child(depends_on=self._space)
        )

    def _service(self, described: ServerDescription) -> k8s.core.v1.Service:
        annotations, access = service_access(self._inputs.workload.exposure.kind)
        spec: Any = {
            "selector": {**self._labels, **described.asked},
            "ports": [
                {"name": port.name, "port": port.of_service, "target_port": port.number}
                for port in described.ports
                if port.of_service
            ],
            **access,
        }
        return k8s.core.v1.Service(
            self._name,
            # The Deployment waits for the pods, and longer than the ten minutes that Pulumi gives a Service.
            metadata=self._metadata(annotations={"pulumi.com/skipAwait": "true", **annotations}),
            spec=spec,
            opts=self.child(depends_on=self._space),
        )

    def _callers(self, described: ServerDescription) -> None:
        callers = self._inputs.workload.network_policy
        if callers is None:
            return
        together = self._inputs.workload.spans_nodes
        spec: Any = network_policy_spec(
            callers, self._labels, described.ports, self._inputs.scrapers, each_other=together
        )
        k8s.networking.v1.NetworkPolicy(
            self._name, metadata=self._metadata(), spec=spec, opts=self.child(depends_on=self._space)
        )

    def _route(self, described: ServerDescription) -> None:
        exposure = self._inputs.workload.exposure
        if exposure.kind is not ExposureKind.GATEWAY or exposure.gateway is None:
            return
        k8s.apiextensions.CustomResource(
            f"{self._name}-route",
            api_version="gateway.networking.k8s.io/v1",
            kind="HTTPRoute",
            metadata=self._metadata(),
            spec=http_route_spec(exposure, self._name, described.ports[0].of_service or 80),
            opts=self.child(depends_on=self._space),
        )

    def _cache(self, name: str, path: str, cache: CacheVolume | None) -> Cache:
        """What keeps the model, as the volume ``name`` in the pods, and the claim of a volume where none is there."""
        if not cache:
            return Cache(name, path)
        if cache.storage:
            return Cache(name, path, storage=cache.storage, directory=cache.sub_path or self._name)
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
                "access_modes": ["ReadWriteOnce" if cache.is_of_one_node else "ReadWriteMany"],
                "storage_class_name": cache.storage_class,
                "resources": {"requests": {"storage": f"{cache.size_gib}Gi"}},
            },
            opts=self.child(depends_on=self._space),
        )
        return Cache(name, path, claim)

    def _secret(self, name: str, data: dict[str, pulumi.Input[str]], kind: str | None = None) -> str:
        """A Kubernetes Secret, whose values are secret in Pulumi too."""
        k8s.core.v1.Secret(
            name,
            metadata={"name": name, "namespace": self.namespace_name},
            type=kind,
            string_data={key: pulumi.Output.secret(value) for key, value in data.items()},
            opts=self.child(depends_on=self._space),
        )
        return name


def example_request(namespace: str, service: str, described: ServerDescription) -> str:
    """Two commands: one makes a server reachable from here, the other asks it."""
    first = described.ports[0]
    here = f"http://127.0.0.1:{first.number}"
    forward = f"kubectl -n {namespace} port-forward service/{service} {first.number}:{first.of_service}"
    return f"{forward} & curl {described.request.replace('$URL', here)}"
