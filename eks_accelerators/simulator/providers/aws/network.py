"""The network: VPC, subnets, gateways and addresses."""

from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, PartlyCreatedError, is_gone

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21. The private "
        "DNS of an endpoint is off where the program says nothing: terraform-provider-aws "
        "`internal/service/ec2/vpc_endpoint.go`."
    ),
)


class _Ec2Kind(Kind):
    """What EC2 resources with tags have in common."""

    changeable = frozenset({"tags"})
    singular: str
    """Name in ARNs and tag specifications, such as `subnet`."""

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def arn(self, aws: Calls, identifier: str) -> str:
        """ARN of the resource."""
        return f"arn:aws:ec2:{aws.region}:{ACCOUNT_ID}:{self.singular}/{identifier}"


class VpcKind(_Ec2Kind):
    """`aws.ec2.Vpc`."""

    token = "aws:ec2/vpc:Vpc"
    properties = frozenset({"cidrBlock", "enableDnsHostnames", "enableDnsSupport", "tags"})
    changeable = frozenset({"enableDnsHostnames", "enableDnsSupport", "tags"})
    singular = "vpc"
    calls = tags.CALLS | frozenset(
        {
            "ec2.create_vpc",
            "ec2.delete_vpc",
            "ec2.describe_vpc_attribute",
            "ec2.describe_vpcs",
            "ec2.modify_vpc_attribute",
        }
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2", "create_vpc", CidrBlock=inputs["cidrBlock"], **tags.specification("vpc", inputs.get("tags"))
        )["Vpc"]
        self._dns(aws, made["VpcId"], inputs)
        return Created(made["VpcId"], {"arn": self.arn(aws, made["VpcId"]), "ownerId": ACCOUNT_ID})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        vpc = aws.call("ec2", "describe_vpcs", VpcIds=[identifier])["Vpcs"][0]
        return {
            "cidrBlock": vpc["CidrBlock"],
            "enableDnsHostnames": self._attribute(aws, identifier, "enableDnsHostnames"),
            "enableDnsSupport": self._attribute(aws, identifier, "enableDnsSupport"),
            "tags": tags.mapping(vpc.get("Tags")),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        self._dns(aws, identifier, new)
        return super().update(aws, identifier, old, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_vpc", VpcId=identifier)

    @staticmethod
    def _attribute(aws: Calls, identifier: str, name: str) -> bool:
        found = aws.call("ec2", "describe_vpc_attribute", VpcId=identifier, Attribute=name)
        return bool(found[f"{name[0].upper()}{name[1:]}"]["Value"])

    @staticmethod
    def _dns(aws: Calls, identifier: str, inputs: dict[str, Any]) -> None:
        for name in ("enableDnsSupport", "enableDnsHostnames"):
            if name in inputs:
                value = {"Value": inputs[name]}
                aws.call("ec2", "modify_vpc_attribute", VpcId=identifier, **{f"{name[0].upper()}{name[1:]}": value})


class SubnetKind(_Ec2Kind):
    """`aws.ec2.Subnet`."""

    token = "aws:ec2/subnet:Subnet"
    properties = frozenset({"availabilityZone", "availabilityZoneId", "cidrBlock", "tags", "vpcId"})
    singular = "subnet"
    calls = tags.CALLS | frozenset({"ec2.create_subnet", "ec2.delete_subnet", "ec2.describe_subnets"})

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        zone = {
            key: inputs[name]
            for key, name in (("AvailabilityZone", "availabilityZone"), ("AvailabilityZoneId", "availabilityZoneId"))
            if name in inputs
        }
        made = aws.call(
            "ec2",
            "create_subnet",
            VpcId=inputs["vpcId"],
            CidrBlock=inputs["cidrBlock"],
            **zone,
            **tags.specification("subnet", inputs.get("tags")),
        )["Subnet"]
        return Created(made["SubnetId"], {"arn": self.arn(aws, made["SubnetId"]), **self._observed(made)})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_subnets", SubnetIds=[identifier])["Subnets"][0]
        return {**self._observed(found), "tags": tags.mapping(found.get("Tags"))}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_subnet", SubnetId=identifier)

    @staticmethod
    def _observed(subnet: dict[str, Any]) -> dict[str, Any]:
        return {
            "availabilityZone": subnet["AvailabilityZone"],
            "availabilityZoneId": subnet["AvailabilityZoneId"],
            "cidrBlock": subnet["CidrBlock"],
            "vpcId": subnet["VpcId"],
            "mapPublicIpOnLaunch": subnet["MapPublicIpOnLaunch"],
        }


class InternetGatewayKind(_Ec2Kind):
    """`aws.ec2.InternetGateway`."""

    token = "aws:ec2/internetGateway:InternetGateway"
    properties = frozenset({"tags", "vpcId"})
    changeable = frozenset({"tags", "vpcId"})
    singular = "internet-gateway"
    calls = tags.CALLS | frozenset(
        {
            "ec2.attach_internet_gateway",
            "ec2.create_internet_gateway",
            "ec2.delete_internet_gateway",
            "ec2.describe_internet_gateways",
            "ec2.detach_internet_gateway",
        }
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call("ec2", "create_internet_gateway", **tags.specification(self.singular, inputs.get("tags")))
        identifier = made["InternetGateway"]["InternetGatewayId"]
        created = Created(identifier, {"arn": self.arn(aws, identifier)})
        try:
            aws.call("ec2", "attach_internet_gateway", InternetGatewayId=identifier, VpcId=inputs["vpcId"])
        except AwsError as error:
            raise PartlyCreatedError(created, str(error)) from None
        return created

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_internet_gateways", InternetGatewayIds=[identifier])["InternetGateways"][0]
        attached = [each["VpcId"] for each in found["Attachments"]]
        return {"vpcId": attached[0] if attached else "", "tags": tags.mapping(found.get("Tags"))}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if old["vpcId"] != new["vpcId"]:
            self._detach(aws, identifier)
            aws.call("ec2", "attach_internet_gateway", InternetGatewayId=identifier, VpcId=new["vpcId"])
        return super().update(aws, identifier, old, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        self._detach(aws, identifier)
        aws.call("ec2", "delete_internet_gateway", InternetGatewayId=identifier)

    @staticmethod
    def _detach(aws: Calls, identifier: str) -> None:
        found = aws.call("ec2", "describe_internet_gateways", InternetGatewayIds=[identifier])["InternetGateways"][0]
        for each in found["Attachments"]:
            aws.call("ec2", "detach_internet_gateway", InternetGatewayId=identifier, VpcId=each["VpcId"])


class EipKind(_Ec2Kind):
    """`aws.ec2.Eip`."""

    token = "aws:ec2/eip:Eip"
    properties = frozenset({"domain", "tags"})
    singular = "elastic-ip"
    calls = tags.CALLS | frozenset({"ec2.allocate_address", "ec2.describe_addresses", "ec2.release_address"})

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2", "allocate_address", Domain=inputs["domain"], **tags.specification(self.singular, inputs.get("tags"))
        )
        outputs = {"allocationId": made["AllocationId"], "publicIp": made["PublicIp"]}
        return Created(made["AllocationId"], {"arn": self.arn(aws, made["AllocationId"]), **outputs})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_addresses", AllocationIds=[identifier])["Addresses"][0]
        return {"publicIp": found["PublicIp"], "tags": tags.mapping(found.get("Tags"))}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "release_address", AllocationId=identifier)


class NatGatewayKind(_Ec2Kind):
    """`aws.ec2.NatGateway`."""

    token = "aws:ec2/natGateway:NatGateway"
    properties = frozenset({"allocationId", "subnetId", "tags"})
    singular = "natgateway"
    calls = tags.CALLS | frozenset({"ec2.create_nat_gateway", "ec2.delete_nat_gateway", "ec2.describe_nat_gateways"})

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            "create_nat_gateway",
            SubnetId=inputs["subnetId"],
            AllocationId=inputs["allocationId"],
            **tags.specification(self.singular, inputs.get("tags")),
        )["NatGateway"]
        return Created(made["NatGatewayId"], {"connectivityType": "public"})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_nat_gateways", NatGatewayIds=[identifier])["NatGateways"]
        if not found or found[0]["State"] in ("deleted", "failed"):
            return None
        return {"subnetId": found[0]["SubnetId"], "tags": tags.mapping(found[0].get("Tags"))}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_nat_gateway", NatGatewayId=identifier)


class VpcEndpointKind(_Ec2Kind):
    """`aws.ec2.VpcEndpoint`, gateway or interface."""

    token = "aws:ec2/vpcEndpoint:VpcEndpoint"
    properties = frozenset(
        {
            "privateDnsEnabled",
            "routeTableIds",
            "securityGroupIds",
            "serviceName",
            "subnetIds",
            "tags",
            "vpcEndpointType",
            "vpcId",
        }
    )
    changeable = frozenset({"tags", "routeTableIds", "subnetIds", "securityGroupIds"})
    singular = "vpc-endpoint"
    calls = tags.CALLS | frozenset(
        {"ec2.create_vpc_endpoint", "ec2.delete_vpc_endpoints", "ec2.describe_vpc_endpoints", "ec2.modify_vpc_endpoint"}
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        names = {
            "RouteTableIds": "routeTableIds",
            "SecurityGroupIds": "securityGroupIds",
            "SubnetIds": "subnetIds",
            "VpcEndpointType": "vpcEndpointType",
        }
        private = inputs.get("privateDnsEnabled", False)  # the provider's default, which AWS's is not
        made = aws.call(
            "ec2",
            "create_vpc_endpoint",
            VpcId=inputs["vpcId"],
            ServiceName=inputs["serviceName"],
            PrivateDnsEnabled=private,
            **{key: inputs[name] for key, name in names.items() if name in inputs},
            **tags.specification(self.singular, inputs.get("tags")),
        )["VpcEndpoint"]
        outputs = {"arn": self.arn(aws, made["VpcEndpointId"]), "state": "available", "privateDnsEnabled": private}
        return Created(made["VpcEndpointId"], outputs)

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_vpc_endpoints", VpcEndpointIds=[identifier])["VpcEndpoints"][0]
        if found["State"] == "deleted":
            return None
        return {
            "serviceName": found["ServiceName"],
            "vpcId": found["VpcId"],
            "routeTableIds": found.get("RouteTableIds", []),
            "subnetIds": found.get("SubnetIds", []),
            "securityGroupIds": [group["GroupId"] for group in found.get("Groups", [])],
            "privateDnsEnabled": found.get("PrivateDnsEnabled"),
            "vpcEndpointType": found.get("VpcEndpointType"),
            "tags": tags.mapping(found.get("Tags")),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        change: dict[str, list[str]] = {}
        for name, key in (
            ("routeTableIds", "RouteTableIds"),
            ("subnetIds", "SubnetIds"),
            ("securityGroupIds", "SecurityGroupIds"),
        ):
            before, after = set(old.get(name) or ()), set(new.get(name) or ())
            if after - before:
                change[f"Add{key}"] = sorted(after - before)
            if before - after:
                change[f"Remove{key}"] = sorted(before - after)
        if change:
            aws.call("ec2", "modify_vpc_endpoint", VpcEndpointId=identifier, **change)
        return super().update(aws, identifier, old, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_vpc_endpoints", VpcEndpointIds=[identifier])


class PlacementGroupKind(_Ec2Kind):
    """`aws.ec2.PlacementGroup`, whose ID is its name."""

    token = "aws:ec2/placementGroup:PlacementGroup"
    properties = frozenset({"name", "strategy", "tags"})
    name_property = "name"
    singular = "placement-group"
    calls = tags.CALLS | frozenset(
        {"ec2.create_placement_group", "ec2.delete_placement_group", "ec2.describe_placement_groups"}
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            "create_placement_group",
            GroupName=inputs["name"],
            Strategy=inputs["strategy"],
            **tags.specification(self.singular, inputs.get("tags")),
        )["PlacementGroup"]
        return Created(inputs["name"], {"placementGroupId": made["GroupId"], "arn": self.arn(aws, inputs["name"])})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        try:
            found = aws.call("ec2", "describe_placement_groups", GroupNames=[identifier])["PlacementGroups"][0]
        except AwsError as error:
            if is_gone(error):
                return None
            raise
        return {"strategy": found["Strategy"], "tags": tags.mapping(found["Tags"])}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        found = aws.call("ec2", "describe_placement_groups", GroupNames=[identifier])["PlacementGroups"][0]
        return super().update(aws, found["GroupId"], old, new)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_placement_group", GroupName=identifier)


KINDS: tuple[Kind, ...] = (
    VpcKind(),
    SubnetKind(),
    InternetGatewayKind(),
    EipKind(),
    NatGatewayKind(),
    VpcEndpointKind(),
    PlacementGroupKind(),
)
