"""The published definitions of custom resources, which `make engines MORE=1` lays beside the engines: NAME-crds."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

TOOLS = Path(__file__).parents[2] / ".tools"

GROUPS = {
    "jobset": ("jobset.x-k8s.io",),
    "lws": ("leaderworkerset.x-k8s.io",),
    "kubeflow-trainer": ("trainer.kubeflow.org",),
    "kuberay-operator": ("ray.io",),
    "external-secrets": ("external-secrets.io",),
    "prometheus-operator": ("monitoring.coreos.com",),
    "gateway-api": ("gateway.networking.k8s.io",),
    "gpu-operator": ("nvidia.com",),
    "keda-operator": ("keda.sh",),
    "karpenter": ("karpenter.sh", "karpenter.k8s.aws"),
}
"""The groups of the kinds of each project."""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Takes a bare `=` for text, as YAML 1.2 and Kubernetes do: the Prometheus Operator's definitions list it."""


_Loader.add_constructor("tag:yaml.org,2002:value", yaml.SafeLoader.construct_yaml_str)


def project_of(api_version: str) -> str | None:
    """Whose kinds those of this version are; None where they are Kubernetes' own, or of a project without definitions here."""
    group = api_version.rpartition("/")[0]
    return next((name for name, groups in GROUPS.items() if group in groups), None)


@cache
def _read(project: str) -> tuple[dict[str, Any], ...]:
    files = sorted((TOOLS / f"{project}-crds").glob("*.yaml"))
    found = [each for file in files for each in yaml.load_all(file.read_text(encoding="utf-8"), _Loader)]
    return tuple(each for each in found if each and each["kind"] == "CustomResourceDefinition")


def present() -> list[dict[str, Any]]:
    """All definitions that are here."""
    return [each for project in GROUPS for each in _read(project)]


def definition_of(api_version: str, kind: str) -> dict[str, Any] | None:
    """That of one kind, without its words; None where it is not here, or where the kind is Kubernetes' own."""
    group = api_version.rpartition("/")[0]
    found = (each for each in present() if (each["spec"]["group"], each["spec"]["names"]["kind"]) == (group, kind))
    definition = next(found, None)
    return without_words(definition) if definition else None


def without_words(schema: Any) -> Any:
    """The same without descriptions, which are most of it: an API server works on them for long, and judges nothing by them."""
    if isinstance(schema, list):
        return [without_words(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    # A property that is called `description` is a schema.
    kept = {key: value for key, value in schema.items() if key != "description" or not isinstance(value, str)}
    return {key: without_words(value) for key, value in kept.items()}


def takes(api_version: str) -> bool:
    """Whether a server that has all definitions that are here has kinds of this version."""
    project = project_of(api_version)
    return project is None or bool(_read(project))


def of(project: str) -> tuple[dict[str, Any], ...]:
    """The definitions of a project; the test is skipped, with its name, where they are missing."""
    found = _read(project)
    if not found:
        pytest.skip(f"missing the definitions of {project}. Run `make engines MORE=1`")
    return found
