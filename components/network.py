"""A VPC with one public and one private subnet in each zone."""

import ipaddress
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators.endpoint_services import gateway_service, interface_service
from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.components.arguments import NetworkArgs
from eks_accelerators.components.base import Component, named
from eks_accelerators.components.validation import as_model
from eks_accelerators.components.wiring import SubnetArgs
from eks_accelerators.settings.model.network import CreatedNetwork, NatGateways


@dataclass(frozen=True, slots=True)
class NetworkInputs:
    """The network as the settings have it, and where it is."""

    created: CreatedNetwork
    region: str
    tags: dict[str, str] | None = None


class Network(Component[NetworkInputs]):
    """VPC, subnets, NAT gateways and endpoints. Nodes are in private subnets only.

    Providers: AWS.

    Alone: A network for a cluster that another program makes. `subnets` of the Python object has the private subnets as
    `AcceleratorNodeGroup` takes them.
    """

    vpc_id: pulumi.Output[str]
    """The VPC's ID."""
    private_subnet_ids: pulumi.Output[list[str]]
    """Private subnets, in the order of the zones."""
    public_subnet_ids: pulumi.Output[list[str]]
    """Public subnets, in the order of the zones."""

    def __init__(self, name: str, args: NetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, NetworkInputs(as_model(CreatedNetwork, args), args["region"], args.get("tags")), opts)

    def _create(self, name: str, inputs: NetworkInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        created, tags = inputs.created, inputs.tags
        self._name, self._tags, self._created, self._region = name, tags, created, inputs.region
        self._vpc = aws.ec2.Vpc(
            name,
            cidr_block=created.cidr,
            enable_dns_hostnames=True,  # interface endpoints and the private API endpoint answer by name
            enable_dns_support=True,
            tags=named(tags, name),
            opts=self.child(),
        )
        # Closed, so that nothing attaches to it by accident.
        aws.ec2.DefaultSecurityGroup(f"{name}-default", vpc_id=self._vpc.id, tags=tags, opts=self.child())
        blocks = subnet_blocks(created.cidr, len(created.zones))
        private = [self._subnet("private", zone, block) for zone, block in zip(created.zones, blocks[0], strict=True)]
        public = [self._subnet("public", zone, block) for zone, block in zip(created.zones, blocks[1], strict=True)]
        tables = self._routes(private, public)
        self._endpoints(private, tables)
        self.subnets: list[SubnetArgs] = [
            {"id": subnet.id, "zone": zone} for subnet, zone in zip(private, created.zones, strict=True)
        ]
        self.vpc_id = self._vpc.id
        self.private_subnet_ids = pulumi.Output.all(*[subnet.id for subnet in private])
        self.public_subnet_ids = pulumi.Output.all(*[subnet.id for subnet in public])
        self.register_outputs(
            {
                "vpc_id": self.vpc_id,
                "private_subnet_ids": self.private_subnet_ids,
                "public_subnet_ids": self.public_subnet_ids,
            }
        )

    def _subnet(self, kind: str, zone: str, block: str) -> aws.ec2.Subnet:
        role = "internal-elb" if kind == "private" else "elb"
        return aws.ec2.Subnet(
            f"{self._name}-{kind}-{zone}",
            vpc_id=self._vpc.id,
            cidr_block=block,
            availability_zone=None if is_zone_id(zone) else zone,
            availability_zone_id=zone if is_zone_id(zone) else None,
            tags={**named(self._tags, f"{self._name}-{kind}-{zone}"), f"kubernetes.io/role/{role}": "1"},
            opts=self.child(),
        )

    def _routes(self, private: list[aws.ec2.Subnet], public: list[aws.ec2.Subnet]) -> list[aws.ec2.RouteTable]:
        """Route tables of the private subnets; public ones lead to the internet gateway."""
        name, zones = self._name, self._created.zones
        gateway = aws.ec2.InternetGateway(name, vpc_id=self._vpc.id, tags=named(self._tags, name), opts=self.child())
        table = self._route_table("public")
        self._default_route("public", table, gateway_id=gateway.id)
        for zone, subnet in zip(zones, public, strict=True):
            self._associate("public", zone, subnet, table)
        nats = self._nat_gateways(public, gateway)
        tables = []
        for index, (zone, subnet) in enumerate(zip(zones, private, strict=True)):
            table = self._route_table(f"private-{zone}")
            if nats:
                self._default_route(f"private-{zone}", table, nat_gateway_id=nats[index % len(nats)].id)
            self._associate("private", zone, subnet, table)
            tables.append(table)
        return tables

    def _nat_gateways(self, public: list[aws.ec2.Subnet], gateway: aws.ec2.InternetGateway) -> list[aws.ec2.NatGateway]:
        count = {NatGateways.NONE: 0, NatGateways.SINGLE: 1, NatGateways.ONE_PER_ZONE: len(public)}[
            self._created.nat_gateways
        ]
        nats = []
        for zone, subnet in list(zip(self._created.zones, public, strict=True))[:count]:
            name = f"{self._name}-{zone}"
            address = aws.ec2.Eip(
                name, domain="vpc", tags=named(self._tags, name), opts=self.child(depends_on=[gateway])
            )
            nats.append(
                aws.ec2.NatGateway(
                    name,
                    subnet_id=subnet.id,
                    allocation_id=address.allocation_id,
                    tags=named(self._tags, name),
                    opts=self.child(depends_on=[gateway]),
                )
            )
        return nats

    def _endpoints(self, private: list[aws.ec2.Subnet], tables: list[aws.ec2.RouteTable]) -> None:
        region = self._region
        for service in map(str, self._created.gateway_endpoints):
            aws.ec2.VpcEndpoint(
                f"{self._name}-{service}",
                vpc_id=self._vpc.id,
                service_name=gateway_service(region, service),
                vpc_endpoint_type="Gateway",
                route_table_ids=[table.id for table in tables],
                tags=named(self._tags, f"{self._name}-{service}"),
                opts=self.child(),
            )
        services = self._created.interface_endpoints
        if not services:
            return
        group = aws.ec2.SecurityGroup(
            f"{self._name}-endpoints",
            description="HTTPS from the VPC to interface endpoints",
            vpc_id=self._vpc.id,
            tags=named(self._tags, f"{self._name}-endpoints"),
            opts=self.child(),
        )
        aws.vpc.SecurityGroupIngressRule(
            f"{self._name}-endpoints",
            security_group_id=group.id,
            cidr_ipv4=self._created.cidr,
            ip_protocol="tcp",
            from_port=443,
            to_port=443,
            description="HTTPS from the VPC",
            tags=named(self._tags, f"{self._name}-endpoints"),
            opts=self.child(),
        )
        for service in services:
            aws.ec2.VpcEndpoint(
                f"{self._name}-{service}",
                vpc_id=self._vpc.id,
                service_name=interface_service(region, service),
                vpc_endpoint_type="Interface",
                subnet_ids=[subnet.id for subnet in private],
                security_group_ids=[group.id],
                private_dns_enabled=True,
                tags=named(self._tags, f"{self._name}-{service}"),
                opts=self.child(),
            )

    def _route_table(self, suffix: str) -> aws.ec2.RouteTable:
        name = f"{self._name}-{suffix}"
        return aws.ec2.RouteTable(name, vpc_id=self._vpc.id, tags=named(self._tags, name), opts=self.child())

    def _default_route(
        self,
        suffix: str,
        table: aws.ec2.RouteTable,
        gateway_id: pulumi.Input[str] | None = None,
        nat_gateway_id: pulumi.Input[str] | None = None,
    ) -> None:
        aws.ec2.Route(
            f"{self._name}-{suffix}",
            route_table_id=table.id,
            destination_cidr_block="0.0.0.0/0",
            gateway_id=gateway_id,
            nat_gateway_id=nat_gateway_id,
            opts=self.child(),
        )

    def _associate(self, kind: str, zone: str, subnet: aws.ec2.Subnet, table: aws.ec2.RouteTable) -> None:
        aws.ec2.RouteTableAssociation(
            f"{self._name}-{kind}-{zone}", subnet_id=subnet.id, route_table_id=table.id, opts=self.child()
        )


def subnet_blocks(cidr: str, zones: int) -> tuple[list[str], list[str]]:
    """Private and public blocks of each zone, cut from ``cidr``.

    The lower half is private, as nodes and pods take addresses there; each zone gets an eighth of a
    half, so that a zone can be added later without moving another.
    """
    private, public = ipaddress.IPv4Network(cidr).subnets(prefixlen_diff=1)
    return (
        [str(block) for block in list(private.subnets(prefixlen_diff=3))[:zones]],
        [str(block) for block in list(public.subnets(prefixlen_diff=3))[:zones]],
    )
