"""Services of AWS that parts of a stack call from inside its network, besides those that every node needs."""

from collections.abc import Iterator
from dataclasses import dataclass

from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler


@dataclass(frozen=True, slots=True)
class AskedServices:
    """``who`` asks which services, by the names of their interface endpoints."""

    who: str
    services: tuple[str, ...]

    def __str__(self) -> str:
        """Who asks what, in words."""
        return f"{self.who} reaches {', '.join(self.services)}"


_BY_AUTOSCALERS = (
    (NodeAutoscaler.CLUSTER_AUTOSCALER, AskedServices("Cluster Autoscaler", ("autoscaling",))),
    (NodeAutoscaler.KARPENTER, AskedServices("Karpenter", ("ssm", "sqs"))),
)


def asked_by_monitoring(settings: Settings) -> Iterator[AskedServices]:
    """KEDA asks Amazon's Prometheus, and our Alertmanager tells a topic: of the region, as endpoints are.

    Source: Amazon Managed Service for Prometheus user guide, `AMP-and-interface-VPC`; Amazon SNS developer guide,
    `sns-vpc-create-endpoint`; read 2026-11-22.
    """
    monitoring = settings.monitoring
    if monitoring.prometheus is PrometheusKind.AMP and any(
        server.autoscaling for _, server in settings.workloads.servers()
    ):
        yield AskedServices("KEDA", ("aps-workspaces",))
    receiver = monitoring.told_by_alertmanager
    if receiver and receiver.sns and receiver.sns.region == settings.region:
        yield AskedServices("Alertmanager", ("sns",))


def asked_by_autoscalers(settings: Settings) -> Iterator[AskedServices]:
    """Cluster Autoscaler asks Auto Scaling, Karpenter its queue and the names of images.

    Source: kubernetes/autoscaler `cluster-autoscaler/cloudprovider/aws/README.md`; Karpenter documentation, private clusters.
    """
    scalers = {group.autoscaler for group in settings.node_groups.values()}
    yield from (asked for scaler, asked in _BY_AUTOSCALERS if scaler in scalers)


def told_outside(settings: Settings) -> str | None:
    """Whom our Alertmanager tells that no endpoint of the region leads to; None where there is nobody."""
    receiver = settings.monitoring.told_by_alertmanager
    if receiver and receiver.slack:
        return "Slack"
    if receiver and receiver.sns and receiver.sns.region != settings.region:
        return "a topic of another region"
    return None
