"""What moto lacks of Amazon Managed Service for Prometheus: scrapers, Alertmanager definitions, and how long metrics are kept.

All is ready at once: no scraper makes network interfaces or scrapes here, and nobody evaluates the rules.
"""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "Amazon Managed Service for Prometheus API (botocore 1.44.5) and user guide `AMP-collector-how-to` (subnets in at "
            "least two zones); read 2026-11-22."
        ),
    )
)

NO_WORKSPACE = ApiRefusal("ResourceNotFoundException", "Workspace not found")
NO_SCRAPER = ApiRefusal("ResourceNotFoundException", "Scraper not found: {scraper}")
NO_DEFINITION = ApiRefusal("ResourceNotFoundException", "Alert manager definition not found")
DEFINED = ApiRefusal("ConflictException", "Alert manager definition already exists for workspace {workspace}")
ONE_ZONE = ApiRefusal("ValidationException", "Subnets must be in at least two different availability zones.")

_ACTIVE = {"statusCode": "ACTIVE"}
_DAYS = 150


@operation("amp", "create_scraper", refusals=(NO_WORKSPACE, ONE_ZONE))
def create_scraper(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A scraper in subnets of two zones, for a workspace that is there."""
    _workspace(account, parameters["destination"]["ampConfiguration"]["workspaceArn"].rpartition("/")[2])
    subnets = parameters["source"]["eksConfiguration"]["subnetIds"]
    found = account.moto("ec2", "describe_subnets", {"SubnetIds": subnets})["Subnets"]
    if len({subnet["AvailabilityZone"] for subnet in found}) < 2:
        raise ONE_ZONE()
    digest = hashlib.sha256(f"{parameters.get('alias')}/{subnets}/{account.state.now}".encode()).hexdigest()
    identifier = f"s-{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}"
    scraper: dict[str, Any] = {
        "scraperId": identifier,
        "arn": f"arn:aws:aps:{account.state.region}:{ACCOUNT_ID}:scraper/{identifier}",
        "roleArn": f"arn:aws:iam::{ACCOUNT_ID}:role/aws-service-role/scraper.aps.amazonaws.com/"
        f"AWSServiceRoleForAmazonPrometheusScraper_{digest[:10]}",
        "status": _ACTIVE,
        "tags": parameters.get("tags", {}),
        **{
            key: parameters[key]
            for key in ("alias", "scrapeConfiguration", "source", "destination")
            if key in parameters
        },
    }
    account.state.scrapers[identifier] = scraper
    return {key: scraper[key] for key in ("scraperId", "arn", "status", "tags")}


@operation("amp", "describe_scraper", refusals=(NO_SCRAPER,))
def describe_scraper(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The scraper of that ID."""
    return {"scraper": _scraper(account, parameters)}


@operation("amp", "update_scraper", refusals=(NO_SCRAPER,))
def update_scraper(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Another configuration, alias or destination; the source is fixed."""
    scraper = _scraper(account, parameters)
    scraper |= {key: parameters[key] for key in ("alias", "scrapeConfiguration", "destination") if key in parameters}
    return {key: scraper[key] for key in ("scraperId", "arn", "status", "tags")}


@operation("amp", "delete_scraper", refusals=(NO_SCRAPER,))
def delete_scraper(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Delete a scraper, at once."""
    scraper = _scraper(account, parameters)
    del account.state.scrapers[scraper["scraperId"]]
    return {"scraperId": scraper["scraperId"], "status": {"statusCode": "DELETING"}}


@operation("amp", "create_alert_manager_definition", refusals=(NO_WORKSPACE, DEFINED))
def create_alert_manager_definition(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The configuration of the workspace's Alertmanager, which has one at a time."""
    workspace = _workspace(account, parameters["workspaceId"])
    if workspace in account.state.alert_managers:
        raise DEFINED(workspace=workspace)
    account.state.alert_managers[workspace] = parameters["data"]
    return {"status": _ACTIVE}


@operation("amp", "put_alert_manager_definition", refusals=(NO_WORKSPACE, NO_DEFINITION))
def put_alert_manager_definition(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Another configuration in place of the one that Alertmanager has."""
    workspace = _defined(account, parameters)
    account.state.alert_managers[workspace] = parameters["data"]
    return {"status": _ACTIVE}


@operation("amp", "describe_alert_manager_definition", refusals=(NO_WORKSPACE, NO_DEFINITION))
def describe_alert_manager_definition(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The configuration of the Alertmanager, as it was last put."""
    workspace, now = _defined(account, parameters), account.state.now
    data = account.state.alert_managers[workspace]
    described = {"status": _ACTIVE, "data": data, "createdAt": now, "modifiedAt": now}
    return {"alertManagerDefinition": described}


@operation("amp", "delete_alert_manager_definition", refusals=(NO_WORKSPACE, NO_DEFINITION))
def delete_alert_manager_definition(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Nobody is told of alerts any more."""
    del account.state.alert_managers[_defined(account, parameters)]
    return {}


@operation("amp", "update_workspace_configuration", refusals=(NO_WORKSPACE,))
def update_workspace_configuration(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set the days for which a workspace keeps metrics."""
    workspace = _workspace(account, parameters["workspaceId"])
    if "retentionPeriodInDays" in parameters:
        account.state.metric_retention_days[workspace] = parameters["retentionPeriodInDays"]
    return {"status": _ACTIVE}


@operation("amp", "describe_workspace_configuration", refusals=(NO_WORKSPACE,))
def describe_workspace_configuration(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """How long metrics are kept: 150 days where nobody says otherwise."""
    days = account.state.metric_retention_days.get(_workspace(account, parameters["workspaceId"]), _DAYS)
    return {"workspaceConfiguration": {"status": _ACTIVE, "retentionPeriodInDays": days}}


@operation("amp", "tag_resource", refusals=(NO_SCRAPER,))
def tag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags of a scraper; moto knows those of all else."""
    if scraper := _tagged(account, parameters):
        scraper["tags"] = {**scraper["tags"], **parameters["tags"]}
        return {}
    return account.moto("amp", "tag_resource", parameters)


@operation("amp", "untag_resource", refusals=(NO_SCRAPER,))
def untag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Remove tags from a scraper; moto does so for all else."""
    if scraper := _tagged(account, parameters):
        scraper["tags"] = {key: value for key, value in scraper["tags"].items() if key not in parameters["tagKeys"]}
        return {}
    return account.moto("amp", "untag_resource", parameters)


@operation("amp", "delete_rule_groups_namespace")
def delete_rule_groups_namespace(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The rules, with their tags: moto would give these to the next one of the name."""
    named = {key: parameters[key] for key in ("workspaceId", "name")}
    found = account.moto("amp", "describe_rule_groups_namespace", named)["ruleGroupsNamespace"]
    if keys := list(found.get("tags") or {}):
        account.moto("amp", "untag_resource", {"resourceArn": found["arn"], "tagKeys": keys})
    return account.moto("amp", "delete_rule_groups_namespace", parameters)


def _tagged(account: Backend, parameters: dict[str, Any]) -> dict[str, Any] | None:
    kind, _, identifier = parameters["resourceArn"].rpartition(":")[2].partition("/")
    return _scraper(account, {"scraperId": identifier}) if kind == "scraper" else None


def _workspace(account: Backend, identifier: str) -> str:
    try:
        account.moto("amp", "describe_workspace", {"workspaceId": identifier})
    except AwsError:
        raise NO_WORKSPACE() from None
    return identifier


def _scraper(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    if parameters["scraperId"] not in account.state.scrapers:
        raise NO_SCRAPER(scraper=parameters["scraperId"])
    return account.state.scrapers[parameters["scraperId"]]


def _defined(account: Backend, parameters: dict[str, Any]) -> str:
    workspace = _workspace(account, parameters["workspaceId"])
    if workspace not in account.state.alert_managers:
        raise NO_DEFINITION()
    return workspace
