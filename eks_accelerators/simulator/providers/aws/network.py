"""The network: VPC, subnets and internet gateway."""

from typing import Any

from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.aws.ec2_kind import Ec2Kind
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind, PartlyCreatedError
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=("pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21."),
)


class VpcKind(Ec2Kind):
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
    facts = ResourceFacts(
        called="VPC",
        replacing=("cidrBlock",),
        grave={"replace": "the whole network is made anew", "remove": "the whole network is made anew"},
        permissions=(
            Permissions("any", ("ec2:DescribeNetworkAcls", "ec2:DescribeRouteTables", "ec2:DescribeSecurityGroups")),
        ),
        durations={
            "create": UsualTime(6, "clinicdesk"),
            "update": UsualTime(2, "estimate-aws-call"),
            "delete": UsualTime(1, "clinicdesk"),
        },
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


class SubnetKind(Ec2Kind):
    """`aws.ec2.Subnet`."""

    token = "aws:ec2/subnet:Subnet"
    properties = frozenset({"availabilityZone", "availabilityZoneId", "cidrBlock", "tags", "vpcId"})
    singular = "subnet"
    calls = tags.CALLS | frozenset({"ec2.create_subnet", "ec2.delete_subnet", "ec2.describe_subnets"})
    facts = ResourceFacts(
        called="VPC",
        replacing=("availabilityZone", "availabilityZoneId", "cidrBlock", "vpcId"),
        permissions=(
            Permissions(
                "any", ("ec2:ModifySubnetAttribute", "ec2:DescribeNetworkAcls", "ec2:DescribeNetworkInterfaces")
            ),
        ),
        durations=ONE_CALL | {"create": UsualTime(3, "gpu-lab"), "delete": UsualTime(2, "agones")},
    )

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


class InternetGatewayKind(Ec2Kind):
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
    facts = ResourceFacts(
        called="VPC",
        durations=ONE_CALL | {"create": UsualTime(1, "rhcs"), "delete": UsualTime(10, "estimate-internet-gateway")},
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


KINDS: tuple[Kind, ...] = (
    VpcKind(),
    SubnetKind(),
    InternetGatewayKind(),
)
