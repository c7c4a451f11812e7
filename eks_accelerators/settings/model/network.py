"""The network: created here, or an existing VPC."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model


class NatGateways(StrEnum):
    """How many NAT gateways a created network has."""

    NONE = "none"
    SINGLE = "single"
    ONE_PER_ZONE = "onePerZone"


class GatewayEndpoint(StrEnum):
    """Services reached through a gateway endpoint, which costs nothing."""

    S3 = "s3"
    DYNAMODB = "dynamodb"


class CreatedNetwork(Model):
    """A VPC with one public and one private subnet in each zone."""

    cidr: Annotated[str, StringConstraints(pattern=r"^\d{1,3}(\.\d{1,3}){3}/\d{1,2}$")] = "10.0.0.0/16"
    """IPv4 range of the VPC, /16 to /20."""
    zones: Annotated[tuple[str, ...], Field(min_length=1)]
    """Availability Zones, all by name (`us-east-2a`) or all by ID (`use2-az1`)."""
    nat_gateways: NatGateways = NatGateways.SINGLE
    """`single` is cheapest, `onePerZone` survives the loss of a zone, `none` needs interface endpoints."""
    gateway_endpoints: tuple[GatewayEndpoint, ...] = (GatewayEndpoint.S3,)
    """Gateway endpoints; S3 carries the layers of every image in ECR, so it saves NAT traffic."""
    interface_endpoints: tuple[str, ...] = ()
    """Services reached through interface endpoints, such as `ecr.api`; each costs by zone and hour."""


class ExistingSubnet(Model):
    """A subnet that is there already."""

    id: Annotated[str, StringConstraints(pattern=r"^subnet-[0-9a-f]{8,17}$")]
    """The subnet's ID."""
    zone: str
    """The Availability Zone it lies in, by name or by ID."""


class ExistingNetwork(Model):
    """A VPC that is there already. Nothing in it is changed."""

    vpc_id: Annotated[str, StringConstraints(pattern=r"^vpc-[0-9a-f]{8,17}$")]
    """The VPC's ID."""
    private_subnets: Annotated[tuple[ExistingSubnet, ...], Field(min_length=1)]
    """Subnets for the control plane and all nodes."""


class NetworkSettings(Model):
    """Either `create` or `existing`."""

    create: CreatedNetwork | None = None
    """A network made for this cluster."""
    existing: ExistingNetwork | None = None
    """A network that is there already."""

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones that nodes can be in, without repetition."""
        if self.create:
            return tuple(dict.fromkeys(self.create.zones))
        if self.existing:
            return tuple(dict.fromkeys(subnet.zone for subnet in self.existing.private_subnets))
        return ()
