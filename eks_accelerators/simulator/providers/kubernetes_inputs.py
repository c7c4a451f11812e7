"""Kubernetes objects as a provider sees them: inputs, names, and what of them lives in the cluster."""

import copy
from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.providers.naming import generated
from eks_accelerators.simulator.providers.values import observed

AUTONAMED = "pulumi.com/autonamed"
SKIP_AWAIT = "pulumi.com/skipAwait"
TIMEOUT = "pulumi.com/timeoutSeconds"
_HIDDEN = ("Secret",)


def named(inputs: dict[str, Any], old: dict[str, Any], name: str, seed: bytes) -> dict[str, Any]:
    """``inputs`` with a name: its own, or a generated one, kept from ``old`` where that was generated too.

    Source: pulumi-kubernetes `provider/pkg/metadata/naming.go`, read 2026-11-21.
    """
    result = copy.deepcopy(inputs)
    metadata = result.setdefault("metadata", {})
    if "name" in metadata or "generateName" in metadata:
        return result
    before = old.get("metadata", {})
    kept = before.get("name") if is_autonamed(old) else None
    metadata["name"] = kept or generated(name.lower(), seed, 253, digits=8)
    metadata.setdefault("annotations", {})[AUTONAMED] = "true"
    return result


def is_autonamed(inputs: dict[str, Any]) -> bool:
    """Whether the object's name was generated."""
    return (inputs.get("metadata", {}).get("annotations") or {}).get(AUTONAMED) == "true"


def timeout(annotations: Mapping[str, str]) -> int:
    """Seconds that an object may take to become ready, where its annotations say so; else 0."""
    said = annotations.get(TIMEOUT, "")
    return int(said) if said.isdecimal() else 0


def identifier(inputs: dict[str, Any]) -> str:
    """The object's ID in Pulumi: namespace and name."""
    metadata = inputs["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if "namespace" in metadata else str(metadata["name"])


def seen(inputs: dict[str, Any], live: dict[str, Any]) -> dict[str, Any]:
    """``inputs`` with the values that the live object has in their places. What a Secret holds is not read."""
    if inputs.get("kind") in _HIDDEN:
        return {**inputs, "metadata": observed(inputs["metadata"], live.get("metadata", {}))}
    result: dict[str, Any] = observed(inputs, live)
    return result
