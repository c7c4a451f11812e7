"""Services of AWS that parts of a stack must reach from inside its network, besides those that every node needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler


@dataclass(frozen=True, slots=True)
class ServiceAccess:
    """``who`` must reach which services, by the names of their interface endpoints."""

    who: str
    services: tuple[str, ...]

    def __str__(self) -> str:
        """Who reaches what, in words."""
        return f"{self.who} reaches {', '.join(self.services)}"


_BY_AUTOSCALERS = (
    (NodeAutoscaler.CLUSTER_AUTOSCALER, ServiceAccess("Cluster Autoscaler", ("autoscaling",))),
    (NodeAutoscaler.KARPENTER, ServiceAccess("Karpenter", ("ssm", "sqs"))),
)


def monitoring_access(settings: Settings) -> Iterator[ServiceAccess]:
    """KEDA asks Amazon's Prometheus, and our Alertmanager tells a topic: of the region, as endpoints are.

    Source: Amazon Managed Service for Prometheus user guide, `AMP-and-interface-VPC`; Amazon SNS developer guide,
    `sns-vpc-create-endpoint`; read 2026-11-22.
    """
    monitoring = settings.monitoring
    if monitoring.prometheus is PrometheusKind.AMP and any(
        server.autoscaling for _, server in settings.workloads.servers()
    ):
        yield ServiceAccess("KEDA", ("aps-workspaces",))
    receiver = monitoring.told_by_alertmanager
    if receiver and receiver.sns and receiver.sns.region == settings.region:
        yield ServiceAccess("Alertmanager", ("sns",))


def autoscaler_access(settings: Settings) -> Iterator[ServiceAccess]:
    """Cluster Autoscaler asks Auto Scaling, Karpenter its queue and the names of images.

    Source: kubernetes/autoscaler `cluster-autoscaler/cloudprovider/aws/README.md`; Karpenter documentation, private clusters.
    """
    scalers = {group.autoscaler for group in settings.node_groups.values()}
    yield from (access for scaler, access in _BY_AUTOSCALERS if scaler in scalers)


def told_outside(settings: Settings) -> str | None:
    """Whom our Alertmanager tells that no endpoint of the region leads to; None where there is nobody."""
    receiver = settings.monitoring.told_by_alertmanager
    if receiver and receiver.slack:
        return "Slack"
    if receiver and receiver.sns and receiver.sns.region != settings.region:
        return "a topic of another region"
    return None
