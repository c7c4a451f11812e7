"""What a stack costs per hour, from settings and list prices alone.

What is left out because nobody can know it beforehand: traffic, logs, storage that pods ask for.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property

from eks_accelerators.accelerators import kubernetes_versions, prices
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.network import NatGateways
from eks_accelerators.settings.model.node_groups import CapacityType, Disk, Size, VolumeType
from eks_accelerators.settings.storage_cost import storage_costs

NOT_COUNTED = ("network traffic", "CloudWatch logs", "volumes that pods ask for", "tax")


@dataclass(frozen=True, slots=True)
class CostLine:
    """One thing that costs: ``usd`` per hour and piece, None where unknown, and how many pieces."""

    name: str
    usd: Decimal | None
    at_desired: int
    at_max: int
    note: str = ""

    def total(self, *, at_max: bool = False) -> Decimal | None:
        """USD per hour; unknown stays unknown unless there is nothing to pay for."""
        count = self.at_max if at_max else self.at_desired
        if count == 0:
            return Decimal(0)
        return None if self.usd is None else self.usd * count


@dataclass(frozen=True)
class Cost:
    """The cost of a stack, line by line."""

    lines: tuple[CostLine, ...]

    def per_hour(self, *, at_max: bool = False) -> Decimal:
        """USD per hour of all lines whose price is known."""
        return sum((line.total(at_max=at_max) or Decimal(0) for line in self.lines), Decimal(0))

    def per_month(self, *, at_max: bool = False) -> Decimal:
        """USD for a month of 730 hours."""
        return self.per_hour(at_max=at_max) * prices.HOURS_PER_MONTH

    def unknown(self, *, at_max: bool = False) -> tuple[CostLine, ...]:
        """Lines that cost something that is not known."""
        return tuple(line for line in self.lines if line.total(at_max=at_max) is None)

    @cached_property
    def by_subject(self) -> Mapping[str, tuple[CostLine, ...]]:
        """The lines by what stands before the colon of their names, such as `node group l4`."""
        found: defaultdict[str, tuple[CostLine, ...]] = defaultdict(tuple)
        for line in self.lines:
            found[line.name.partition(": ")[0]] += (line,)
        return found


def estimate(settings: Settings, today: date) -> Cost:
    """The cost of everything that the settings create."""
    return Cost(
        (
            _control_plane(settings, today),
            *_network(settings),
            *_system_group(settings),
            *(line for name in settings.node_groups for line in _accelerator_group(settings, name)),
            *_monitoring(settings),
            *(CostLine(each.name, each.usd, 1, 1, each.note) for each in storage_costs(settings)),
        )
    )


def group_per_hour(cost: Cost, name: str, *, at_max: bool = False) -> Decimal | None:
    """USD per hour of the accelerator node group ``name``, disks included; None where a part is unknown."""
    return _sum(line.total(at_max=at_max) for line in cost.by_subject.get(f"node group {name}", ()))


def node_per_hour(cost: Cost, name: str) -> Decimal | None:
    """USD per hour of one node of the accelerator node group ``name``, its disk included; None where a part is unknown."""
    return _sum(line.usd for line in cost.by_subject.get(f"node group {name}", ()))


def _sum(totals: Iterable[Decimal | None]) -> Decimal | None:
    result = Decimal(0)
    for total in totals:
        if total is None:
            return None
        result += total
    return result


def _control_plane(settings: Settings, today: date) -> CostLine:
    version = kubernetes_versions.every().get(settings.cluster.kubernetes_version)
    ended = (
        version is not None and version.end_of_standard_support is not None and version.end_of_standard_support < today
    )
    name = "eks_cluster_extended_support_hour" if ended else "eks_cluster_hour"
    return CostLine(
        "EKS control plane", prices.service(name, settings.region), 1, 1, "extended support" if ended else ""
    )


def _network(settings: Settings) -> Iterator[CostLine]:
    created = settings.network.create
    if not created:
        return
    gateways = {NatGateways.NONE: 0, NatGateways.SINGLE: 1, NatGateways.ONE_PER_ZONE: len(created.zones)}[
        created.nat_gateways
    ]
    if gateways:
        yield CostLine(
            "NAT gateways", prices.service("nat_gateway_hour", settings.region), gateways, gateways, "without traffic"
        )
        yield CostLine("public IPv4 addresses", prices.service("public_ipv4_hour", settings.region), gateways, gateways)
    if endpoints := len(set(created.interface_endpoints)) * len(created.zones):
        usd = prices.service("interface_endpoint_zone_hour", settings.region)
        yield CostLine("interface endpoints", usd, endpoints, endpoints, "without traffic")


def _system_group(settings: Settings) -> Iterator[CostLine]:
    group = settings.system_node_group
    usd = prices.on_demand(group.instance_types[0], settings.region)
    yield CostLine(f"system node group: {group.instance_types[0]}", usd, group.size.desired, group.size.max)
    disk = prices.gp3_volume(settings.region, group.disk_size_gib)
    yield CostLine("system node group: disks", disk, group.size.desired, group.size.max)


def _accelerator_group(settings: Settings, name: str) -> Iterator[CostLine]:
    group = settings.node_groups[name]
    types = group.instance_types
    known = [prices.on_demand(kind, settings.region) for kind in types]
    # Karpenter takes the cheapest that there is: at most it costs the dearest.
    usd = None if None in known else max(price for price in known if price is not None)
    note = f"the dearest of {len(types)} types" if len(types) > 1 else ""
    if group.bought_as is CapacityType.CAPACITY_BLOCK:
        usd, note = None, "paid up front with the Capacity Block"
    elif group.bought_as is CapacityType.SPOT:
        usd, note = None, "Spot price moves" + (f"; on demand it is {usd:f}" if usd else "")
    elif group.capacity_reservation_id:
        note = "a reservation is paid for whether used or not"
    elif usd is None:
        note = "no public price"
    size: Size = group.size
    yield CostLine(f"node group {name}: {group.instance_type}", usd, size.desired, size.max, note)
    yield CostLine(f"node group {name}: disks", _volume(settings.region, group.disk), size.desired, size.max)


def _monitoring(settings: Settings) -> Iterator[CostLine]:
    """The volume of Prometheus, and what nobody knows beforehand: Amazon takes a fee for every sample."""
    monitoring = settings.monitoring
    if monitoring.prometheus is PrometheusKind.STACK:
        is_gp3 = monitoring.storage.storage_class == VolumeType.GP3.value
        usd = prices.gp3_volume(settings.region, monitoring.storage.size_gib) if is_gp3 else None
        note = "" if is_gp3 else f"volume of StorageClass {monitoring.storage.storage_class}"
        yield CostLine("monitoring: volume of Prometheus", usd, 1, 1, note)
    elif monitoring.prometheus is PrometheusKind.AMP:
        note = "by samples, queries and hours of the scraper"
        yield CostLine("monitoring: Amazon Managed Service for Prometheus", None, 1, 1, note)
    if monitoring.cloud_watch:
        yield CostLine("monitoring: CloudWatch", None, 1, 1, "by metrics, observations and logs")


def _volume(region: str, disk: Disk) -> Decimal | None:
    if disk.type is not VolumeType.GP3:
        return None
    return prices.gp3_volume(region, disk.size_gib, disk.iops, disk.throughput_mibps)
