"""Pods that take their time: kubelets let a pod with a startup probe become ready when somebody says that it has started.

Without that every pod that is bound to a node runs at once. What says so is an annotation: who simulates how long an image,
weights and an engine take writes it. A pod is `Pending` until then, also while its container would run and not be ready.
"""

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.simulator.files import write

STARTED = "eks-accelerators/started"
"""Annotation of a pod whose startup probe would succeed now."""

_STAGE = "pod-running"
_HAS_STARTED = {"key": f'.metadata.annotations["{STARTED}"]', "operator": "Exists"}
_HAS_NO_PROBE = {"key": ".spec.containers.[].startupProbe.failureThreshold", "operator": "DoesNotExist"}


def has_startup_probe(pod: dict[str, Any]) -> bool:
    """Whether kubelets wait for the pod's annotation."""
    return any((each.get("startupProbe") or {}).get("failureThreshold") for each in pod["spec"]["containers"])


def write_stages(usual: Path, folder: Path) -> Path:
    """Write kwok's stages, as in the folder ``usual`` but with slow pods, to ``folder``, and return it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in sorted(usual.glob("*.yaml")):
        documents = [made for each in yaml.safe_load_all(file.read_text(encoding="utf-8")) for made in _slow(each)]
        write(folder / file.name, yaml.safe_dump_all(documents, sort_keys=False, width=1000).encode())
    return folder


def _slow(document: dict[str, Any]) -> list[dict[str, Any]]:
    if document.get("metadata", {}).get("name") != _STAGE:
        return [document]
    without, started = document, deepcopy(document)
    without["spec"]["selector"]["matchExpressions"].append(_HAS_NO_PROBE)
    started["spec"]["selector"]["matchExpressions"].append(_HAS_STARTED)
    started["metadata"]["name"] = "pod-started"
    return [without, started]
