"""VPC endpoints."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.aws.ec2_kind import Ec2Kind
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; EC2 API (botocore 1.44.5); read 2026-11-21. The private "
        "DNS of an endpoint is off where the program says nothing: terraform-provider-aws "
        "`internal/service/ec2/vpc_endpoint.go`."
    ),
)


class VpcEndpointKind(Ec2Kind):
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
    facts = ResourceFacts(
        called="endpoint",
        replacing=("serviceName", "vpcEndpointType", "vpcId"),
        permissions=(
            Permissions(
                "any",
                (
                    "ec2:DescribePrefixLists",
                    "ec2:DescribeNetworkInterfaces",
                    "ec2:DescribeSecurityGroups",
                    "ec2:DescribeSecurityGroupRules",
                    "ec2:DescribeSubnets",
                    "ec2:DescribeVpcs",
                ),
            ),
            Permissions("hosted-zones", ("route53:AssociateVPCWithHostedZone",), where="privateDnsEnabled"),
        ),
        details={
            "Gateway": {
                "create": UsualTime(6, "gateway-endpoints"),
                "update": UsualTime(5, "estimate-aws-call"),
                "delete": UsualTime(6, "estimate-aws-call"),
            },
            "Interface": {
                "create": UsualTime(60, "estimate-interface-endpoint"),
                "update": UsualTime(30, "estimate-interface-endpoint"),
                "delete": UsualTime(60, "estimate-interface-endpoint"),
            },
        },
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


KINDS: tuple[Kind, ...] = (VpcEndpointKind(),)
