"""Rules about the network."""

import ipaddress
from collections.abc import Iterable, Iterator

from eks_accelerators.accelerators import instance_types
from eks_accelerators.accelerators import zones as facts
from eks_accelerators.accelerators.cidr import enclosing
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.model.network import GatewayEndpoint, NatGateways
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.service_access import (
    ServiceAccess,
    autoscaler_access,
    monitoring_access,
    told_outside,
)

NODE_SERVICES = ("ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "sts", "logs")
"""Interface endpoints that nodes need where there is no NAT gateway, beside the S3 gateway endpoint."""


@rule("network-one-source")
def network_one_source(context: Context) -> Iterator[RuleFinding]:
    """The network is either created or existing."""
    network = context.settings.network
    if (network.create is None) == (network.existing is None):
        yield RuleFinding(
            "network",
            "a network is either created or existing",
            "both" if network.create else "neither",
            "one of the two",
            "remove one" if network.create else "add create: {zones: [...]} or existing: {...}",
        )


@rule("network-cidr")
def network_cidr(context: Context) -> Iterator[RuleFinding]:
    """The VPC's range is an IPv4 network of /16 to /20, large enough for the subnets of every zone.

    Source: VPC user guide, VPC CIDR blocks (/16 to /28); /20 leaves 256 addresses a subnet with eight zones.
    """
    created = context.settings.network.create
    if not created:
        return
    try:
        network = ipaddress.IPv4Network(created.cidr)
    except ValueError as error:
        yield RuleFinding(
            "network.create.cidr",
            str(error),
            created.cidr,
            "an IPv4 network such as 10.0.0.0/16",
            f"write {meant}" if (meant := enclosing(created.cidr)) else "write the network's address, and its size",
        )
        return
    if not 16 <= network.prefixlen <= 20:
        yield RuleFinding(
            "network.create.cidr",
            f"/{network.prefixlen} is no size for this network",
            created.cidr,
            "/16 to /20",
            "use a /16",
        )


@rule("region-unknown", Severity.WARNING)
def region_unknown(context: Context) -> Iterator[RuleFinding]:
    """The region is one where accelerated instance types were offered.

    Source: AWS's price list of 2026-10-20 and, for what has no price, a dated DescribeInstanceTypeOfferings snapshot
    (`eks_accelerators/accelerators/data/instance-types.json`).
    """
    known = instance_types.regions()
    region = context.settings.region
    if region not in known:
        guess = closest(region, known)
        yield RuleFinding(
            "region",
            f"no accelerated instance type was offered in {region}, and its prices are not known",
            region,
            ", ".join(known),
            f"did you mean {guess}?" if guess else "use another region",
        )


@rule("zones-of-region")
def zones_of_region(context: Context) -> Iterator[RuleFinding]:
    """Zones are Availability Zones of the region, each once, all by name or all by ID.

    Source: EKS user guide `local-zones`: no subnet of a Local Zone is given to a cluster; Wavelength developer guide,
    considerations.
    """
    zones, path = _zones(context)
    region = context.settings.region
    if meant := _region_of_zones(region, zones):
        yield RuleFinding(
            "region",
            f"there is no region {region} here, and all zones are those of {meant}",
            region,
            meant,
            f"write `aws:region: {meant}`",
        )
        return
    for index, zone in enumerate(zones if region else ()):  # of a node group by itself nobody knows the region
        if kind := facts.edge(zone):
            yield RuleFinding(
                f"{path}[{index}]",
                f"{zone} is a {kind}: EKS takes no subnets there for a cluster",
                zone,
                f"Availability Zones, such as {region}a or {facts.zone_id_prefix(region)}-az1",
                "use Availability Zones of aws:region",
            )
        elif not facts.belongs_to(zone, region):
            yield RuleFinding(
                f"{path}[{index}]",
                f"{zone} is no zone of {region}",
                zone,
                f"{region}a or {facts.zone_id_prefix(region)}-az1",
                "use zones of aws:region",
            )
    if len({facts.is_zone_id(zone) for zone in zones}) > 1:
        yield RuleFinding(
            path,
            "zone names and zone IDs cannot be compared",
            ", ".join(zones),
            "all names or all IDs",
            "write them alike",
        )
    if context.settings.network.create and len(set(zones)) < len(zones):
        yield RuleFinding(path, "a zone is given twice", ", ".join(zones), "each zone once", "remove the repetition")
    if context.settings.network.create and len(zones) > 6:
        yield RuleFinding(path, "more zones than any region has", str(len(zones)), "2 to 6", "remove some")


@rule("zone-unknown", Severity.WARNING)
def zone_unknown(context: Context) -> Iterator[RuleFinding]:
    """Zones are among those that AWS lists for the region; where no list is known, that is said.

    Source: AWS Regions and Availability Zones, `aws-availability-zones`, with its date in
    `eks_accelerators/accelerators/data/zones.json`. AWS adds zones, so it is no error.
    """
    zones, path = _zones(context)
    region = context.settings.region
    if region not in instance_types.regions():
        return
    for index, zone in enumerate(zones):
        known = facts.known(region, ids=facts.is_zone_id(zone))
        if known is None:
            yield RuleFinding(
                path,
                f"which zones {region} has is not known here",
                ", ".join(zones),
                "unknown",
                f"check with `aws ec2 describe-availability-zones --region {region}`",
            )
            return
        if facts.belongs_to(zone, region) and zone not in known:
            yield RuleFinding(
                f"{path}[{index}]",
                f"AWS listed no {zone} on {facts.known_as_of()}",
                zone,
                ", ".join(known),
                f"use one of these; `aws ec2 describe-availability-zones --region {region}` tells what your account has",
            )


@rule("zone-without-control-plane")
def zone_without_control_plane(context: Context) -> Iterator[RuleFinding]:
    """No zone in which EKS places no control plane; known for zone IDs only.

    Source: EKS user guide `network-reqs`.
    """
    zones, path = _zones(context)
    for index, zone in enumerate(zones):
        if facts.without_control_plane(zone):
            yield RuleFinding(
                f"{path}[{index}]",
                f"EKS places no control plane in {zone}",
                zone,
                "another zone of the region",
                "use another zone",
            )


@rule("no-path-to-services")
def no_path_to_services(context: Context) -> Iterator[RuleFinding]:
    """Without a NAT gateway, nodes reach the services they need through endpoints.

    Source: EKS user guide `private-clusters`: without them nodes cannot join or pull images.
    """
    created = context.settings.network.create
    yield from no_route(context, [ServiceAccess("nodes", NODE_SERVICES)])
    if created and without_nat(context) and GatewayEndpoint.S3 not in created.gateway_endpoints:
        yield RuleFinding(
            "network.create.gatewayEndpoints", "image layers in ECR come from S3", "no s3", "s3", "add s3"
        )


@rule("network-path-unknown", Severity.WARNING)
def network_path_unknown(context: Context) -> Iterator[RuleFinding]:
    """The stack file has no routes or endpoints of an existing network: whether monitoring and autoscalers find a way is not known.

    `accel preflight` asks AWS, by its check `existing-routes`.
    """
    settings, outside = context.settings, told_outside(context.settings)
    if settings.network.existing is None:
        return
    ways = [*map(str, monitoring_access(settings)), *([f"Alertmanager reaches {outside}"] if outside else [])]
    ways += map(str, autoscaler_access(settings))
    if ways:
        yield RuleFinding(
            "network.existing",
            f"whether {' and '.join(ways)} is not known",
            "subnets without their routes and endpoints",
            "a default route to a NAT gateway, or interface endpoints with private DNS",
            "run `accel preflight`, which asks AWS for routes and endpoints",
        )


def without_nat(context: Context) -> bool:
    """Whether the network is made here, without a NAT gateway."""
    created = context.settings.network.create
    return bool(created and created.nat_gateways is NatGateways.NONE)


def no_route(context: Context, asked: Iterable[ServiceAccess]) -> Iterator[RuleFinding]:
    """Of what is ``asked``, that to which neither a NAT gateway leads nor an interface endpoint. Of a network that is there
    nothing is known.
    """
    created = context.settings.network.create
    if created is None or created.nat_gateways is not NatGateways.NONE:
        return
    for each in asked:
        missing = [service for service in each.services if service not in created.interface_endpoints]
        if missing:
            yield RuleFinding(
                "network.create.interfaceEndpoints",
                f"there is no route from {each.who} to {', '.join(missing)}",
                ", ".join(created.interface_endpoints) or "none",
                ", ".join(each.services),
                f"add {', '.join(missing)}, or a NAT gateway",
            )


@rule("single-nat-gateway", Severity.WARNING)
def single_nat_gateway(context: Context) -> Iterator[RuleFinding]:
    """A cluster protected from deletion does not hang on one NAT gateway: it falls with its zone."""
    created = context.settings.network.create
    if created and created.nat_gateways is NatGateways.SINGLE and context.settings.cluster.deletion_protection:
        yield RuleFinding(
            "network.create.natGateways",
            "all zones lose their way out with the zone of the one NAT gateway",
            "single",
            "onePerZone",
            "set natGateways: onePerZone",
        )


def _region_of_zones(region: str, zones: tuple[str, ...]) -> str | None:
    """The one region that has all the zones, where ``region`` is none that is known."""
    if not region or region in instance_types.regions():
        return None
    found = [each for each in instance_types.regions() if zones and all(facts.belongs_to(z, each) for z in zones)]
    return found[0] if len(found) == 1 else None


def _zones(context: Context) -> tuple[tuple[str, ...], str]:
    network = context.settings.network
    if network.create:
        return network.create.zones, "network.create.zones"
    subnets = network.existing.private_subnets if network.existing else ()
    return tuple(subnet.zone for subnet in subnets), "network.existing.privateSubnets"
