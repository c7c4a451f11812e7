"""NAT gateways and their addresses."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.aws.ec2_kind import Ec2Kind
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=("pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21."),
)


class EipKind(Ec2Kind):
    """`aws.ec2.Eip`."""

    token = "aws:ec2/eip:Eip"
    properties = frozenset({"domain", "tags"})
    singular = "elastic-ip"
    calls = tags.CALLS | frozenset({"ec2.allocate_address", "ec2.describe_addresses", "ec2.release_address"})
    facts = ResourceFacts(
        called="NAT",
        replacing=("domain",),
        permissions=(Permissions("any", ("ec2:DescribeAddressesAttribute", "ec2:DisassociateAddress")),),
        durations=ONE_CALL | {"create": UsualTime(1, "devopsart-vpc"), "delete": UsualTime(9, "clinicdesk")},
    )

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


class NatGatewayKind(Ec2Kind):
    """`aws.ec2.NatGateway`."""

    token = "aws:ec2/natGateway:NatGateway"
    properties = frozenset({"allocationId", "subnetId", "tags"})
    singular = "natgateway"
    calls = tags.CALLS | frozenset({"ec2.create_nat_gateway", "ec2.delete_nat_gateway", "ec2.describe_nat_gateways"})
    facts = ResourceFacts(
        called="NAT",
        replacing=("allocationId", "connectivityType", "subnetId"),
        durations={
            "create": UsualTime(94, "clinicdesk"),
            "update": UsualTime(2, "estimate-aws-call"),
            "delete": UsualTime(79, "clinicdesk"),
        },
    )

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


KINDS: tuple[Kind, ...] = (
    EipKind(),
    NatGatewayKind(),
)
