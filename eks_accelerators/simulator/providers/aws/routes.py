"""Route tables, their routes, and the subnets that use them."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21. An "
        "association with another table has another ID, which no update can tell the engine: "
        "terraform-provider-aws `internal/service/ec2/vpc_route_table_association.go`."
    ),
)

_TARGETS = {"gatewayId": "GatewayId", "natGatewayId": "NatGatewayId"}


class RouteTableKind(Kind):
    """`aws.ec2.RouteTable` without routes of its own."""

    token = "aws:ec2/routeTable:RouteTable"
    properties = frozenset({"tags", "vpcId"})
    changeable = frozenset({"tags"})
    calls = tags.CALLS | frozenset({"ec2.create_route_table", "ec2.delete_route_table", "ec2.describe_route_tables"})
    facts = ResourceFacts(
        called="VPC",
        replacing=("vpcId",),
        durations=ONE_CALL | {"create": UsualTime(1, "rhcs")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            "create_route_table",
            VpcId=inputs["vpcId"],
            **tags.specification("route-table", inputs.get("tags")),
        )["RouteTable"]
        return Created(made["RouteTableId"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        table = _table(aws, identifier)
        return {"vpcId": table["VpcId"], "tags": tags.mapping(table.get("Tags"))}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_route_table", RouteTableId=identifier)


class RouteKind(Kind):
    """`aws.ec2.Route`."""

    token = "aws:ec2/route:Route"
    properties = frozenset({"destinationCidrBlock", "gatewayId", "natGatewayId", "routeTableId"})
    changeable = frozenset(_TARGETS)
    calls = frozenset({"ec2.create_route", "ec2.delete_route", "ec2.describe_route_tables", "ec2.replace_route"})
    facts = ResourceFacts(
        called="VPC",
        replacing=("destinationCidrBlock", "routeTableId"),
        permissions=(Permissions("any", ("ec2:DescribeNetworkInterfaces",)),),
        durations=ONE_CALL | {"create": UsualTime(2, "rhcs")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        table, block = inputs["routeTableId"], inputs["destinationCidrBlock"]
        aws.call("ec2", "create_route", RouteTableId=table, DestinationCidrBlock=block, **_target(inputs))
        return Created(f"r-{table}_{block}", {"origin": "CreateRoute", "state": "active"})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        for route in _table(aws, state["routeTableId"])["Routes"]:
            if route.get("DestinationCidrBlock") == state["destinationCidrBlock"]:
                return {name: route.get(key) for name, key in _TARGETS.items()}
        return None

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        table, block = new["routeTableId"], new["destinationCidrBlock"]
        aws.call("ec2", "replace_route", RouteTableId=table, DestinationCidrBlock=block, **_target(new))
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        block = state["destinationCidrBlock"]
        aws.call("ec2", "delete_route", RouteTableId=state["routeTableId"], DestinationCidrBlock=block)


class RouteTableAssociationKind(Kind):
    """`aws.ec2.RouteTableAssociation` of a subnet."""

    token = "aws:ec2/routeTableAssociation:RouteTableAssociation"
    properties = frozenset({"routeTableId", "subnetId"})
    calls = frozenset({"ec2.associate_route_table", "ec2.describe_route_tables", "ec2.disassociate_route_table"})
    facts = ResourceFacts(
        called="VPC",
        replacing=("gatewayId", "subnetId"),
        permissions=(Permissions("any", ("ec2:ReplaceRouteTableAssociation", "ec2:DescribeSubnets")),),
        durations=ONE_CALL | {"create": UsualTime(1, "rhcs")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2", "associate_route_table", RouteTableId=inputs["routeTableId"], SubnetId=inputs["subnetId"]
        )
        return Created(made["AssociationId"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        for association in _table(aws, state["routeTableId"])["Associations"]:
            if association["RouteTableAssociationId"] == identifier:
                return {"subnetId": association.get("SubnetId")}
        return None

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "disassociate_route_table", AssociationId=identifier)


def _table(aws: Calls, identifier: str) -> dict[str, Any]:
    found: dict[str, Any] = aws.call("ec2", "describe_route_tables", RouteTableIds=[identifier])["RouteTables"][0]
    return found


def _target(inputs: dict[str, Any]) -> dict[str, str]:
    return {key: inputs[name] for name, key in _TARGETS.items() if name in inputs}


KINDS: tuple[Kind, ...] = (RouteTableKind(), RouteKind(), RouteTableAssociationKind())
