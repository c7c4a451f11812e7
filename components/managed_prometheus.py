"""Amazon Managed Service for Prometheus: workspace, scraper, rules, and who is told of alerts.

Source: Amazon Managed Service for Prometheus user guide, `AMP-collector-how-to`, `AMP-ruler`, `AMP-alertmanager-config`, read
2026-11-22: a scraper has one network interface in each subnet, and EKS gives it its access entry by itself where the cluster
has access entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

import pulumi
import pulumi_aws as aws
import yaml

from eks_accelerators.components.base import Component

_MOST_SUBNETS = 5
"""As the API takes them: botocore 1.44.5, `SubnetIds`."""


class ManagedPrometheusArgs(TypedDict):
    """The cluster, and what is scraped of it."""

    cluster_arn: pulumi.Input[str]
    """ARN of the cluster."""
    subnet_ids: list[pulumi.Input[str]]
    """Private subnets in at least two zones; the first five are taken."""
    scrape_configuration: dict[str, Any]
    """Configuration of Prometheus: `global` and `scrape_configs`."""
    rules: NotRequired[pulumi.Input[str]]
    """A rule file of Prometheus, YAML."""
    alertmanager: NotRequired[dict[str, Any]]
    """Configuration of Alertmanager. The topic's policy has to let `aps.amazonaws.com` publish."""
    retention_days: NotRequired[int]
    """Days that metrics are kept; AWS keeps them for 150 by itself."""
    tags: NotRequired[dict[str, str]]
    """Tags on every resource."""


@dataclass(frozen=True, slots=True)
class ManagedPrometheusInputs:
    """The cluster, and what is scraped of it. Fields are those of `ManagedPrometheusArgs`."""

    cluster_arn: pulumi.Input[str]
    subnet_ids: Sequence[pulumi.Input[str]]
    scrape_configuration: dict[str, Any]
    rules: pulumi.Input[str] | None = None
    alertmanager: dict[str, Any] | None = None
    retention_days: int | None = None
    tags: dict[str, str] | None = None


class ManagedPrometheus(Component[ManagedPrometheusInputs]):
    """Workspace, scraper, rule groups namespace and Alertmanager definition. Nothing of it runs in the cluster.

    Providers: AWS.

    Alone: For any cluster with access entries and subnets in two zones, see `docs/monitoring.md`.
    """

    workspace_id: pulumi.Output[str]
    """ID of the workspace."""
    workspace_arn: pulumi.Output[str]
    """ARN of the workspace."""
    endpoint: pulumi.Output[str]
    """URL below which it answers signed requests: `api/v1/query` and the like."""

    def __init__(self, name: str, args: ManagedPrometheusArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, ManagedPrometheusInputs(**args), opts)

    def _create(self, name: str, inputs: ManagedPrometheusInputs, opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        workspace = aws.amp.Workspace(name, alias=name, tags=inputs.tags, opts=self.child())
        if inputs.retention_days is not None:
            aws.amp.WorkspaceConfiguration(
                name,
                workspace_id=workspace.id,
                retention_period_in_days=inputs.retention_days,
                opts=self.child(),
            )
        aws.amp.Scraper(
            name,
            alias=name,
            scrape_configuration=yaml.safe_dump(inputs.scrape_configuration, sort_keys=False),
            source={"eks": {"cluster_arn": inputs.cluster_arn, "subnet_ids": list(inputs.subnet_ids)[:_MOST_SUBNETS]}},
            destination={"amp": {"workspace_arn": workspace.arn}},
            tags=inputs.tags,
            opts=self.child(),
        )
        if inputs.rules is not None:
            aws.amp.RuleGroupNamespace(
                name,
                name="accelerators",
                workspace_id=workspace.id,
                data=inputs.rules,
                tags=inputs.tags,
                opts=self.child(),
            )
        if inputs.alertmanager is not None:
            # Its file has the configuration as text inside.
            told = {"alertmanager_config": yaml.safe_dump(inputs.alertmanager, sort_keys=False)}
            aws.amp.AlertManagerDefinition(
                name,
                workspace_id=workspace.id,
                definition=yaml.safe_dump(told, sort_keys=False),
                opts=self.child(),
            )
        self.workspace_id, self.workspace_arn = workspace.id.apply(str), workspace.arn
        self.endpoint = workspace.prometheus_endpoint
        self.register_outputs(
            {"workspace_id": self.workspace_id, "workspace_arn": self.workspace_arn, "endpoint": self.endpoint}
        )
