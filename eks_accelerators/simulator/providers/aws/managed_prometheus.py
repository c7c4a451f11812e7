"""Amazon Managed Service for Prometheus: workspaces, and the rules and receivers in them."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.aws import tags
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import ONE_CALL, Permissions, ResourceFacts

CHAPTER = Chapter(
    __doc__,
    source=(
        "pulumi-aws 7.51, documentation of its resources; Amazon Managed Service for Prometheus API (botocore 1.44.5); what "
        "changes in place is believed; read 2026-11-22."
    ),
)


class WorkspaceKind(Kind):
    """`aws.amp.Workspace`, whose ID is AWS's own."""

    token = "aws:amp/workspace:Workspace"
    properties = frozenset({"alias", "tags"})
    changeable = frozenset({"alias", "tags"})
    calls = frozenset(
        {
            "amp.create_workspace",
            "amp.delete_workspace",
            "amp.describe_workspace",
            "amp.tag_resource",
            "amp.untag_resource",
            "amp.update_workspace_alias",
        }
    )
    facts = ResourceFacts(
        called="Prometheus",
        replacing=("kmsKeyArn",),
        scope="metrics",
        permissions=(
            Permissions("any", ("aps:CreateWorkspace",)),
            Permissions("metrics", ("aps:ListTagsForResource",)),
        ),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call("amp", "create_workspace", **{key: inputs[key] for key in self.properties if key in inputs})
        identifier = made["workspaceId"]
        found = aws.call("amp", "describe_workspace", workspaceId=identifier)["workspace"]
        return Created(identifier, {"arn": made["arn"], "prometheusEndpoint": found["prometheusEndpoint"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("amp", "describe_workspace", workspaceId=identifier)["workspace"]
        return {"alias": found.get("alias"), "tags": found.get("tags", {})}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if old.get("alias") != new.get("alias"):
            aws.call("amp", "update_workspace_alias", workspaceId=identifier, alias=new.get("alias", ""))
        arn = aws.call("amp", "describe_workspace", workspaceId=identifier)["workspace"]["arn"]
        tags.retag_by_mapping(aws, "amp", arn, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("amp", "delete_workspace", workspaceId=identifier)


class WorkspaceConfigurationKind(Kind):
    """`aws.amp.WorkspaceConfiguration`: how long metrics are kept. To delete it leaves what it says."""

    token = "aws:amp/workspaceConfiguration:WorkspaceConfiguration"
    properties = frozenset({"retentionPeriodInDays", "workspaceId"})
    changeable = frozenset({"retentionPeriodInDays"})
    calls = frozenset({"amp.describe_workspace_configuration", "amp.update_workspace_configuration"})
    facts = ResourceFacts(
        called="Prometheus",
        replacing=("workspaceId",),
        scope="metrics",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        aws.call("amp", "update_workspace_configuration", **_whole(inputs))
        return Created(inputs["workspaceId"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("amp", "describe_workspace_configuration", workspaceId=identifier)["workspaceConfiguration"]
        return {"retentionPeriodInDays": found["retentionPeriodInDays"]}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        aws.call("amp", "update_workspace_configuration", **_whole(new))
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        """Nothing in AWS goes with it."""


class RuleGroupNamespaceKind(Kind):
    """`aws.amp.RuleGroupNamespace`, whose ID is its ARN."""

    token = "aws:amp/ruleGroupNamespace:RuleGroupNamespace"
    properties = frozenset({"data", "name", "tags", "workspaceId"})
    changeable = frozenset({"data", "tags"})
    name_property = "name"
    calls = frozenset(
        {
            "amp.create_rule_groups_namespace",
            "amp.delete_rule_groups_namespace",
            "amp.describe_rule_groups_namespace",
            "amp.put_rule_groups_namespace",
            "amp.tag_resource",
            "amp.untag_resource",
        }
    )
    facts = ResourceFacts(
        called="alerts",
        replacing=("name", "workspaceId"),
        scope="metrics",
        permissions=(Permissions("metrics", ("aps:ListTagsForResource",)),),
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        given = {key: inputs[key] for key in self.properties if key in inputs}
        made = aws.call("amp", "create_rule_groups_namespace", **given)
        return Created(made["arn"], {"arn": made["arn"]})

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("amp", "describe_rule_groups_namespace", **_named(state))["ruleGroupsNamespace"]
        return {"data": _text(found["data"]), "tags": found.get("tags", {})}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        if old["data"] != new["data"]:
            aws.call("amp", "put_rule_groups_namespace", **_named(new), data=new["data"])
        tags.retag_by_mapping(aws, "amp", identifier, old, new)
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("amp", "delete_rule_groups_namespace", **_named(state))


class AlertManagerDefinitionKind(Kind):
    """`aws.amp.AlertManagerDefinition`, whose ID is that of its workspace."""

    token = "aws:amp/alertManagerDefinition:AlertManagerDefinition"
    properties = frozenset({"definition", "workspaceId"})
    changeable = frozenset({"definition"})
    calls = frozenset(
        {
            "amp.create_alert_manager_definition",
            "amp.delete_alert_manager_definition",
            "amp.describe_alert_manager_definition",
            "amp.put_alert_manager_definition",
        }
    )
    facts = ResourceFacts(
        called="alerts",
        replacing=("workspaceId",),
        scope="metrics",
        durations=ONE_CALL,
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        workspace = inputs["workspaceId"]
        aws.call("amp", "create_alert_manager_definition", workspaceId=workspace, data=inputs["definition"])
        return Created(workspace)

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("amp", "describe_alert_manager_definition", workspaceId=identifier)["alertManagerDefinition"]
        return {"definition": _text(found["data"])}

    def update(self, aws: Calls, identifier: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        aws.call("amp", "put_alert_manager_definition", workspaceId=identifier, data=new["definition"])
        return {}

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("amp", "delete_alert_manager_definition", workspaceId=identifier)


def _whole(properties: dict[str, Any]) -> dict[str, Any]:
    """Pulumi's numbers are all of one kind, AWS wants a whole one."""
    days = properties.get("retentionPeriodInDays")
    return {"workspaceId": properties["workspaceId"], **({} if days is None else {"retentionPeriodInDays": int(days)})}


def _named(properties: dict[str, Any]) -> dict[str, str]:
    return {"workspaceId": properties["workspaceId"], "name": properties["name"]}


def _text(data: bytes | str) -> str:
    return data.decode() if isinstance(data, bytes) else data


KINDS: tuple[Kind, ...] = (
    WorkspaceKind(),
    WorkspaceConfigurationKind(),
    RuleGroupNamespaceKind(),
    AlertManagerDefinitionKind(),
)
