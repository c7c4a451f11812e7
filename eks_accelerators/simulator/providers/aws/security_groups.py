"""Security groups and their rules."""

from typing import Any

from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts, UsualTime

CHAPTER = Chapter(
    __doc__,
    source=(
        "terraform-provider-aws `internal/service/ec2/vpc_security_group_ingress_rule.go`, read 2026-11-21: a "
        "rule is changed in place, except for the kind of its source."
    ),
)

_SOURCES = {"cidrIpv4": "CidrIpv4", "referencedSecurityGroupId": "ReferencedGroupId"}
_ALL = -1


class SecurityGroupKind(Kind):
    """`aws.ec2.SecurityGroup` without rules of its own."""

    token = "aws:ec2/securityGroup:SecurityGroup"
    properties = frozenset({"description", "name", "tags", "vpcId"})
    changeable = frozenset({"tags"})
    name_property = "name"
    calls = tags.CALLS | frozenset(
        {
            "ec2.create_security_group",
            "ec2.delete_security_group",
            "ec2.describe_security_groups",
            "ec2.revoke_security_group_egress",
        }
    )
    facts = ResourceFacts(
        called="security group",
        replacing=("description", "name", "vpcId"),
        permissions=(Permissions("any", ("ec2:DescribeNetworkInterfaces",)),),
        durations=ONE_CALL | {"create": UsualTime(2, "otel-demo"), "delete": UsualTime(2, "agones")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        identifier = aws.call(
            "ec2",
            "create_security_group",
            GroupName=inputs["name"],
            Description=inputs.get("description", "Managed by Pulumi"),
            VpcId=inputs["vpcId"],
            **tags.specification("security-group", inputs.get("tags")),
        )["GroupId"]
        # The provider removes the rule that AWS makes, which lets everything out.
        _revoke_egress(aws, identifier, _group(aws, identifier))
        return Created(identifier, {"arn": _arn(aws, identifier)})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        group = _group(aws, identifier)
        return {
            "name": group["GroupName"],
            "description": group["Description"],
            "vpcId": group["VpcId"],
            "tags": tags.mapping(group.get("Tags")),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_security_group", GroupId=identifier)


class DefaultSecurityGroupKind(Kind):
    """`aws.ec2.DefaultSecurityGroup`: adopts the VPC's own, closes it, and leaves it there at the end."""

    token = "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"
    properties = frozenset({"tags", "vpcId"})
    changeable = frozenset({"tags"})
    calls = tags.CALLS | frozenset(
        {"ec2.describe_security_groups", "ec2.revoke_security_group_egress", "ec2.revoke_security_group_ingress"}
    )
    facts = ResourceFacts(
        called="VPC",
        replacing=("vpcId",),
        durations=ONE_CALL | {"create": UsualTime(2, "rhcs")},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        filters = [
            {"Name": "vpc-id", "Values": [inputs["vpcId"]]},
            {"Name": "group-name", "Values": ["default"]},
        ]
        group = aws.call("ec2", "describe_security_groups", Filters=filters)["SecurityGroups"][0]
        _revoke_ingress(aws, group["GroupId"], group)
        _revoke_egress(aws, group["GroupId"], group)
        tags.retag(aws, group["GroupId"], {"tags": tags.mapping(group.get("Tags"))}, inputs)
        return Created(group["GroupId"], {"arn": _arn(aws, group["GroupId"]), "name": "default"})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        group = _group(aws, identifier)
        return {"vpcId": group["VpcId"], "tags": tags.mapping(group.get("Tags"))}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        tags.retag(aws, identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        """It goes with its VPC."""


class _Rule(Kind):
    properties = frozenset(
        {
            "cidrIpv4",
            "description",
            "fromPort",
            "ipProtocol",
            "referencedSecurityGroupId",
            "securityGroupId",
            "tags",
            "toPort",
        }
    )
    changeable = frozenset({"cidrIpv4", "description", "fromPort", "ipProtocol", "tags", "toPort"})
    direction: str

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call(
            "ec2",
            f"authorize_security_group_{self.direction}",
            GroupId=inputs["securityGroupId"],
            IpPermissions=[_permission(inputs)],
            **tags.specification("security-group-rule", inputs.get("tags")),
        )
        rule = made["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return Created(rule, {"securityGroupRuleId": rule, "arn": _arn(aws, rule, "security-group-rule")})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call(
            "ec2",
            "describe_security_group_rules",
            Filters=[{"Name": "group-id", "Values": [state["securityGroupId"]]}],
        )["SecurityGroupRules"]
        rule = next((rule for rule in found if rule["SecurityGroupRuleId"] == identifier), None)
        if rule is None:
            return None
        return {
            "ipProtocol": rule["IpProtocol"],
            "cidrIpv4": rule.get("CidrIpv4"),
            "referencedSecurityGroupId": rule.get("ReferencedGroupInfo", {}).get("GroupId"),
            "fromPort": rule["FromPort"],
            "toPort": rule["ToPort"],
            "description": rule.get("Description") or None,
            "tags": tags.mapping(rule.get("Tags")),
        }

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        changed = {**old, "tags": new.get("tags")} != {**new, "tags": new.get("tags")}
        if changed:
            rule = {"SecurityGroupRuleId": identifier, "SecurityGroupRule": _rule(new)}
            aws.call("ec2", "modify_security_group_rules", GroupId=new["securityGroupId"], SecurityGroupRules=[rule])
        tags.retag(aws, identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call(
            "ec2",
            f"revoke_security_group_{self.direction}",
            GroupId=state["securityGroupId"],
            SecurityGroupRuleIds=[identifier],
        )


class IngressRule(_Rule):
    """`aws.vpc.SecurityGroupIngressRule`."""

    token = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
    direction = "ingress"
    calls = tags.CALLS | frozenset(
        {
            "ec2.authorize_security_group_ingress",
            "ec2.describe_security_group_rules",
            "ec2.modify_security_group_rules",
            "ec2.revoke_security_group_ingress",
        }
    )
    facts = ResourceFacts(
        called="security group",
        replacing=("securityGroupId",),
        permissions=(Permissions("any", ("ec2:DescribeSecurityGroups",)),),
        durations=ONE_CALL | {"create": UsualTime(2, "learn-variables")},
    )


class EgressRule(_Rule):
    """`aws.vpc.SecurityGroupEgressRule`."""

    token = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
    direction = "egress"
    calls = tags.CALLS | frozenset(
        {
            "ec2.authorize_security_group_egress",
            "ec2.describe_security_group_rules",
            "ec2.modify_security_group_rules",
            "ec2.revoke_security_group_egress",
        }
    )
    facts = ResourceFacts(
        called="security group",
        replacing=("securityGroupId",),
        permissions=(Permissions("any", ("ec2:DescribeSecurityGroups",)),),
        durations=ONE_CALL | {"create": UsualTime(2, "learn-variables")},
    )


def _permission(inputs: dict[str, Any]) -> dict[str, Any]:
    described = {"Description": inputs["description"]} if "description" in inputs else {}
    permission: dict[str, Any] = {"IpProtocol": inputs["ipProtocol"]}
    for name, key in (("fromPort", "FromPort"), ("toPort", "ToPort")):
        if name in inputs:
            permission[key] = inputs[name]
    if "cidrIpv4" in inputs:
        permission["IpRanges"] = [{"CidrIp": inputs["cidrIpv4"], **described}]
    if "referencedSecurityGroupId" in inputs:
        permission["UserIdGroupPairs"] = [{"GroupId": inputs["referencedSecurityGroupId"], **described}]
    return permission


def _rule(inputs: dict[str, Any]) -> dict[str, Any]:
    source = {key: inputs[name] for name, key in _SOURCES.items() if name in inputs}
    ports = {"FromPort": inputs.get("fromPort", _ALL), "ToPort": inputs.get("toPort", _ALL)}
    return {"IpProtocol": inputs["ipProtocol"], "Description": inputs.get("description", ""), **ports, **source}


def _group(aws: Calls, identifier: str) -> dict[str, Any]:
    found: dict[str, Any] = aws.call("ec2", "describe_security_groups", GroupIds=[identifier])["SecurityGroups"][0]
    return found


def _revoke_ingress(aws: Calls, identifier: str, group: dict[str, Any]) -> None:
    if rules := group["IpPermissions"]:
        aws.call("ec2", "revoke_security_group_ingress", GroupId=identifier, IpPermissions=rules)


def _revoke_egress(aws: Calls, identifier: str, group: dict[str, Any]) -> None:
    if rules := group["IpPermissionsEgress"]:
        aws.call("ec2", "revoke_security_group_egress", GroupId=identifier, IpPermissions=rules)


def _arn(aws: Calls, identifier: str, kind: str = "security-group") -> str:
    return f"arn:aws:ec2:{aws.region}:{ACCOUNT_ID}:{kind}/{identifier}"


KINDS: tuple[Kind, ...] = (SecurityGroupKind(), DefaultSecurityGroupKind(), IngressRule(), EgressRule())
