"""Helm charts: versions and static values from `charts-values/`, what follows from arguments merged over them."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.accelerators import yaml_limits
from eks_accelerators.components.base import Component

_FOLDER = Path(__file__).resolve().parent.parent / "charts-values"


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Repository, name and version of every chart, by our own name for it."""
    result: dict[str, dict[str, str]] = yaml_limits.load((_FOLDER / "charts.yaml").read_text(encoding="utf-8"))
    return result


@cache
def _static_values(name: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml_limits.load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return values


def values_of(name: str, computed: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a release: the chart's file, with ``computed`` merged over it."""
    return merged(_static_values(name), computed)


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``over`` on top of ``base``: mappings are joined, everything else is replaced."""
    result = dict(base)
    for key, value in over.items():
        below = result.get(key)
        both = isinstance(below, Mapping) and isinstance(value, Mapping)
        result[key] = merged(below, value) if both else value  # type: ignore[arg-type]
    return result


def release(
    component: Component[Any],
    name: str,
    chart: str,
    *,
    namespace: pulumi.Input[str],
    values: Mapping[str, Any],
    depends_on: list[pulumi.Resource] | None = None,
    waits: bool = False,
) -> k8s.helm.v3.Release:
    """One release of ``chart``. Unless it ``waits``, it does not wait for its pods: accelerator nodes may not be there yet."""
    entry = catalogue()[chart]
    repository = entry.get("repository")
    return k8s.helm.v3.Release(
        name,
        chart=entry["chart"],
        version=entry["version"],
        repository_opts=k8s.helm.v3.RepositoryOptsArgs(repo=repository) if repository else None,
        namespace=namespace,
        values=values_of(chart, values),
        skip_await=not waits,
        cleanup_on_fail=True,
        opts=component.child(depends_on=depends_on),
    )


def name_of(resource: Any) -> pulumi.Output[str]:
    """The name of a Kubernetes object, given or generated."""
    name: pulumi.Output[str] = resource.metadata.apply(lambda metadata: str(metadata.name))
    return name


def namespace(component: Component[Any], name: str, *, pod_security: str, reason: str) -> k8s.core.v1.Namespace:
    """A namespace under Pod Security admission; ``reason`` says why it is not `restricted`."""
    return k8s.core.v1.Namespace(
        name,
        metadata={
            "name": name,
            "labels": {
                "pod-security.kubernetes.io/enforce": pod_security,
                "pod-security.kubernetes.io/warn": "restricted" if pod_security != "privileged" else "privileged",
            },
            "annotations": {"eks-accelerators/pod-security-reason": reason},
        },
        opts=component.child(),
    )
