"""What every model server has in common: how many there are, where they run, and who reaches them."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.autoscaling import AutoscalingSettings, Replicas
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.workload import Namespace, Workload

Cidr = Annotated[str, StringConstraints(pattern=r"^\d{1,3}(\.\d{1,3}){3}/\d{1,2}$")]
StartSeconds = Annotated[int, Field(ge=10, le=3600)]
HostName = Annotated[str, StringConstraints(pattern=r"^(\*\.)?[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?$")]


class ServerPlacement(StrEnum):
    """On which nodes of its group the servers of a workload run."""

    SPREAD = "spread"
    PACK = "pack"


class ExposureKind(StrEnum):
    """How clients reach the servers of a workload."""

    CLUSTER_IP = "clusterIp"
    INTERNAL_LOAD_BALANCER = "internalLoadBalancer"
    GATEWAY = "gateway"


class GatewaySettings(Model):
    """A Gateway that is there already, of the Gateway API."""

    name: Namespace
    """Name of the Gateway."""
    namespace: Namespace | None = None
    """Its namespace; by default that of the servers."""


class ExposureSettings(Model):
    """How clients reach the servers."""

    kind: ExposureKind = ExposureKind.CLUSTER_IP
    """`clusterIp`: a Service, for pods of the cluster; `internalLoadBalancer`: a Network Load Balancer in the private subnets
    besides; `gateway`: an HTTPRoute from a Gateway to the Service."""
    gateway: GatewaySettings | None = None
    """The Gateway, with `kind: gateway`."""
    host_names: tuple[HostName, ...] = ()
    """Host names of the HTTPRoute; by default all that the Gateway listens to."""


class CallersSettings(Model):
    """Who may call the servers; everyone else is kept away. Kubelets may always ask whether a pod is ready."""

    namespaces: tuple[Namespace, ...] = ()
    """Namespaces whose pods may call, that of the servers among them only if it is named."""
    cidrs: tuple[Cidr, ...] = ()
    """IPv4 ranges that may call, such as those of the clients of a load balancer."""


class Server(Workload):
    """What every model server has in common: Deployment, Service and PodDisruptionBudget."""

    COUNT: ClassVar[str] = "replicas"
    PROGRAM: ClassVar[str]
    """Label `app.kubernetes.io/name` of its pods."""
    SCALES_BY: ClassVar[tuple[str, ...]] = ()
    """The metrics of `autoscaling` that it shows; none where it has nothing that tells of the load."""

    replicas: Replicas | None = None
    """Number of servers; by default as many as fit the node group at its desired size, at least one."""
    autoscaling: AutoscalingSettings | None = None
    """Let the number of servers follow the load, in place of `replicas`; by default it stays as it is."""
    placement: ServerPlacement = ServerPlacement.SPREAD
    """`spread` keeps servers on as many nodes as the group has at its desired size, so that no fault ends all; `pack` fills a node
    before the next."""
    exposure: ExposureSettings = ExposureSettings()
    """How clients reach the servers; by default a Service for the pods of the cluster."""
    network_policy: CallersSettings | None = None
    """Who may call the servers; by default everyone in the cluster, and whoever reaches the load balancer."""

    @property
    def pod_count(self) -> int | None:
        """How many pods the settings ask for, `replicas` or the fewest of `autoscaling`; None for as many as fit."""
        if self.replicas is None and self.autoscaling:
            return self.autoscaling.min
        return self.replicas

    @property
    def most_pods(self) -> int | None:
        """The most of `autoscaling`, else `replicas`; None for as many as fit."""
        return self.autoscaling.max if self.autoscaling else self.replicas

    @property
    def count_setting(self) -> str:
        """`autoscaling.min` where that says how many there are, else `replicas`."""
        return "autoscaling.min" if self.autoscaling and self.replicas is None else self.COUNT

    @property
    def shows_load(self) -> bool:
        """Whether its metrics tell of what waits for it, so that its number can follow."""
        return bool(self.SCALES_BY)

    def requests_at_a_time(self, held: int | None) -> int:
        """Requests that one server works on at a time, where its KV cache holds so many of full length."""
        return max(1, held or 1)
