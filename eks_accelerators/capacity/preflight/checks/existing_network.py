"""A VPC that is there already: whether nodes fit into its subnets and find their way out."""

from collections.abc import Iterator, Sequence

from eks_accelerators.accelerators.zones import is_zone_id
from eks_accelerators.capacity.aws_calls import Answer, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning
from eks_accelerators.settings.model.network import ExistingNetwork
from eks_accelerators.settings.rules.networks import NODE_SERVICES
from eks_accelerators.settings.service_access import (
    ServiceAccess,
    autoscaler_access,
    monitoring_access,
    told_outside,
)

_SUBNETS = "network.existing.privateSubnets"
_CONTROL_PLANE_ADDRESSES = 6
"""What EKS wants free in each of the cluster's subnets. Source: EKS user guide `network-reqs`, read 2026-11-20."""
_ANYWHERE = "0.0.0.0/0"


class SubnetAnswer(PascalCase):
    """A subnet, in an answer of EC2."""

    subnet_id: str
    vpc_id: str
    availability_zone: str
    availability_zone_id: str
    available_ip_address_count: int


class Association(PascalCase):
    """A subnet of a route table, or that it is the main one."""

    main: bool = False
    subnet_id: str | None = None


class RouteAnswer(PascalCase):
    """A route of a table, as `DescribeRouteTables` answers it."""

    destination_cidr_block: str | None = None
    gateway_id: str | None = None
    state: str = "active"


class RouteTableAnswer(PascalCase):
    """Which subnets a route table is for, and where it sends what: of DescribeRouteTables."""

    route_table_id: str
    associations: list[Association] = []
    routes: list[RouteAnswer] = []


class EndpointAnswer(PascalCase):
    """A way to a service of AWS without the internet: of DescribeVpcEndpoints."""

    service_name: str
    state: str = "available"
    private_dns_enabled: bool = False
    route_table_ids: list[str] = []


class AttributeValue(PascalCase):
    """Whether names are resolved, or handed out, in a VPC: of DescribeVpcAttribute."""

    value: bool = False


class SecurityGroupAnswer(PascalCase):
    """In which VPC a security group is: of DescribeSecurityGroups."""

    group_id: str
    vpc_id: str | None = None


@check("existing-subnets", _SUBNETS)
def existing_subnets(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The subnets are there, in the VPC and in the zones that the settings say. Source: DescribeSubnets."""
    network = inquiry.settings.network.existing
    if network is None:
        return
    answer = inquiry.aws.ask(_subnets(inquiry.region, network))
    there = {subnet.subnet_id: subnet for subnet in answer.value}
    for index, wanted in enumerate(network.private_subnets):
        path, found = f"{_SUBNETS}[{index}]", there.get(wanted.id)
        if found is None:
            yield problem(path, f"there is no subnet {wanted.id} in {inquiry.region}", "name another subnet", answer)
        elif found.vpc_id != network.vpc_id:
            yield problem(path, f"{wanted.id} is in {found.vpc_id}, not in {network.vpc_id}", "name another", answer)
        elif wanted.zone not in (found.availability_zone, found.availability_zone_id):
            where = found.availability_zone_id if is_zone_id(wanted.zone) else found.availability_zone
            found_text = (
                f"{wanted.id} is in {found.availability_zone} ({found.availability_zone_id}), not in {wanted.zone}"
            )
            yield problem(f"{path}.zone", found_text, f"write zone: {where}", answer)
        else:
            yield ok(path, f"{wanted.id} is in {found.availability_zone} ({found.availability_zone_id})", answer)


@check("existing-subnet-addresses", _SUBNETS)
def existing_subnet_addresses(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Each subnet has addresses for the control plane and for its share of the nodes and their pods.

    The VPC CNI holds all addresses of one interface and of a spare one on every node: that is an estimate, so a subnet
    that is short of it is a warning; one that is short of the nodes themselves is a problem. Sources: DescribeSubnets;
    VPC CNI `WARM_ENI_TARGET` (1), from general knowledge.
    """
    network = inquiry.settings.network.existing
    if network is None:
        return
    answer = inquiry.aws.ask(_subnets(inquiry.region, network))
    for subnet in answer.value:
        names = (subnet.availability_zone, subnet.availability_zone_id)
        beside = sum(each.zone in names for each in network.private_subnets)
        nodes, addresses = _share(inquiry, names, beside)
        free, path = subnet.available_ip_address_count, _path_of(network, subnet.subnet_id)
        text = f"{subnet.subnet_id} has {free} free addresses; its share of {nodes} nodes and their pods takes about {addresses}"
        if free < nodes + _CONTROL_PLANE_ADDRESSES:
            yield problem(path, text, "use a larger subnet, or fewer nodes", answer)
        elif free < addresses + _CONTROL_PLANE_ADDRESSES:
            yield warning(path, text, "use a larger subnet, or set WARM_IP_TARGET of the VPC CNI", answer)
        else:
            yield ok(path, text, answer)


@check("existing-routes", _SUBNETS)
def existing_routes(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Nodes, monitoring and autoscalers reach the services that they ask: by a default route, or by endpoints with private DNS.

    Sources: EKS user guide `private-clusters`; DescribeRouteTables; DescribeVpcEndpoints.
    """
    network = inquiry.settings.network.existing
    if network is None:
        return
    filters = [{"Name": "vpc-id", "Values": [network.vpc_id]}]
    tables = Call(
        "ec2", "describe_route_tables", inquiry.region, "RouteTables", list[RouteTableAnswer], {"Filters": filters}
    )
    ends = Call(
        "ec2", "describe_vpc_endpoints", inquiry.region, "VpcEndpoints", list[EndpointAnswer], {"Filters": filters}
    )
    routes, endpoints = inquiry.aws.ask(tables), inquiry.aws.ask(ends)
    for index, subnet in enumerate(network.private_subnets):
        yield _way_out(f"{_SUBNETS}[{index}]", subnet.id, _asked(inquiry), routes, endpoints)


@check("existing-vpc-dns", "network.existing.vpcId")
def existing_vpc_dns(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """DNS resolution and host names are on: nodes do not register without. Source: EKS user guide `network-reqs`."""
    network = inquiry.settings.network.existing
    if network is None:
        return
    calls = [
        Call(
            "ec2",
            "describe_vpc_attribute",
            inquiry.region,
            f"{name[0].upper()}{name[1:]}",
            AttributeValue,
            {"VpcId": network.vpc_id, "Attribute": name},
        )
        for name in ("enableDnsSupport", "enableDnsHostnames")
    ]
    answers = inquiry.aws.ask_all(calls)
    if any(answer.refusal == "InvalidVpcID.NotFound" for answer in answers):
        found = f"there is no VPC {network.vpc_id} in {inquiry.region}"
        yield problem("network.existing.vpcId", found, "name another VPC", answers[0])
        return
    for call, answer in zip(calls, answers, strict=True):
        name = call.parameters["Attribute"]
        if answer.value.value:
            yield ok("network.existing.vpcId", f"{name} is on", answer)
        else:
            flag = "--enable-dns-support" if name == "enableDnsSupport" else "--enable-dns-hostnames"
            fix = f"aws ec2 modify-vpc-attribute --region {inquiry.region} --vpc-id {network.vpc_id} {flag}"
            yield problem("network.existing.vpcId", f"{name} is off", fix, answer)


@check("existing-security-groups", "nodeGroups")
def existing_security_groups(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Security groups that the settings name are there, and in the VPC. Source: DescribeSecurityGroups."""
    named = {
        f"nodeGroups.{name}.securityGroupIds[{index}]": identifier
        for name, group in inquiry.settings.node_groups.items()
        for index, identifier in enumerate(group.security_group_ids)
    }
    if not named:
        return
    filters = [{"Name": "group-id", "Values": sorted(set(named.values()))}]
    call = Call(
        "ec2",
        "describe_security_groups",
        inquiry.region,
        "SecurityGroups",
        list[SecurityGroupAnswer],
        {"Filters": filters},
    )
    answer = inquiry.aws.ask(call)
    there = {group.group_id: group for group in answer.value}
    vpc = inquiry.settings.network.existing.vpc_id if inquiry.settings.network.existing else None
    for path, identifier in named.items():
        found = there.get(identifier)
        if found is None:
            yield problem(path, f"there is no security group {identifier} in {inquiry.region}", "name another", answer)
        elif found.vpc_id != vpc:
            other = vpc or "the VPC that the stack creates"
            yield problem(path, f"{identifier} is in {found.vpc_id}, not in {other}", "name another", answer)
        else:
            yield ok(path, f"{identifier} is in {vpc}", answer)


def _subnets(region: str, network: ExistingNetwork) -> Call[list[SubnetAnswer]]:
    # A filter, as one ID that is not there would have the whole call refused.
    filters = [{"Name": "subnet-id", "Values": sorted({subnet.id for subnet in network.private_subnets})}]
    return Call("ec2", "describe_subnets", region, "Subnets", list[SubnetAnswer], {"Filters": filters})


def _path_of(network: ExistingNetwork, identifier: str) -> str:
    index = next(i for i, subnet in enumerate(network.private_subnets) if subnet.id == identifier)
    return f"{_SUBNETS}[{index}]"


def _share(inquiry: Inquiry, zone: tuple[str, str], beside: int) -> tuple[int, int]:
    """Nodes, and addresses, of a subnet where every group spreads evenly; ``beside`` counts the subnets of its zone."""
    nodes = addresses = 0
    system = inquiry.settings.system_node_group.size.max
    nodes += -(-system // (len(inquiry.settings.network.zones) * beside))
    addresses += nodes
    for group in inquiry.groups.values():
        zones = group.zones or inquiry.settings.network.zones
        if not set(zone) & set(zones):
            continue
        here = -(-group.settings.size.max // (len(zones) * beside))
        nodes += here
        addresses += here * 2 * (group.type.network.ipv4_per_interface or 1)
    return nodes, addresses


def _asked(inquiry: Inquiry) -> tuple[ServiceAccess, ...]:
    """Who asks what from the subnets; to whom no endpoint leads is a service that has none."""
    settings, outside = inquiry.settings, told_outside(inquiry.settings)
    told = [ServiceAccess("Alertmanager", (outside,))] if outside else []
    return (
        ServiceAccess("nodes", (*NODE_SERVICES, "s3")),
        *monitoring_access(settings),
        *told,
        *autoscaler_access(settings),
    )


def _way_out(
    path: str,
    subnet: str,
    asked: Sequence[ServiceAccess],
    routes: Answer[list[RouteTableAnswer]],
    endpoints: Answer[list[EndpointAnswer]],
) -> CheckFinding:
    tables = {each.subnet_id: table for table in routes.value for each in table.associations if each.subnet_id}
    main = [table for table in routes.value if any(each.main for each in table.associations)]
    table = tables.get(subnet, main[0] if main else None)
    if table is None:
        return problem(path, f"{subnet} has no route table", "associate one", routes)
    default = next((route for route in table.routes if route.destination_cidr_block == _ANYWHERE), None)
    if default and default.state == "blackhole":
        return problem(path, f"the default route of {subnet} leads nowhere ({table.route_table_id})", "fix it", routes)
    if default and (default.gateway_id or "").startswith("igw-"):
        found = f"the default route of {subnet} is an internet gateway, and nodes get no public address"
        return problem(path, found, "use private subnets with a NAT gateway, or endpoints", routes)
    if default:
        return ok(path, f"{subnet} has a default route ({table.route_table_id})", routes)
    lacking = {
        each.who: [service for service in each.services if not _reached(service, table, endpoints.value)]
        for each in asked
    }
    missing = [f"{', '.join(services)} for {who}" for who, services in lacking.items() if services]
    if missing:
        found = f"{subnet} has no default route, and no endpoint of {'; '.join(missing)}"
        if lacking["nodes"]:
            found += ": nodes cannot join or pull images"
        return problem(path, found, "add a NAT gateway, or these endpoints with private DNS", routes, endpoints)
    return ok(path, f"{subnet} reaches what the stack asks through endpoints", routes, endpoints)


def _reached(service: str, table: RouteTableAnswer, endpoints: list[EndpointAnswer]) -> bool:
    """By an interface endpoint, or by a gateway endpoint in the subnet's route table."""
    return any(
        endpoint.service_name.endswith(f".{service}")
        and endpoint.state.lower() == "available"
        and (endpoint.private_dns_enabled or table.route_table_id in endpoint.route_table_ids)
        for endpoint in endpoints
    )
