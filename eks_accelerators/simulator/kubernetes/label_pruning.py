"""What `nfd-master -prune` does: it takes what Node Feature Discovery has written from all nodes, whoever installed it.

Source: kubernetes-sigs/node-feature-discovery v0.19.0 `pkg/nfd-master/nfd-master.go` (`prune`, `ResyncPeriod`) and
`nfd-api-controller.go` (`specChanged`), read 2026-11-22. Another release's master writes a label again when something else
is discovered on the node, or within the hour of its resync; here only the former.
"""

import json
from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.kubernetes import feature_labels
from eks_accelerators.simulator.kubernetes.api import Api

_PRUNED = "eks-accelerators/pruned-labels"
"""On a Node: the labels that were stripped, with their values."""


def prune(api: Api) -> None:
    """Strip every node of the labels of discovery."""
    for node in api.list("v1", "Node"):
        labels = node["metadata"].get("labels") or {}
        found = {key: value for key, value in labels.items() if feature_labels.is_discovered(key)}
        if found:
            change = {"labels": dict.fromkeys(found), "annotations": {_PRUNED: json.dumps(found, sort_keys=True)}}
            api.patch("v1", "Node", node["metadata"]["name"], None, {"metadata": change})


def still_written(node: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
    """Those of ``labels`` that discovery writes on ``node``: what was stripped as it is now, it takes for written."""
    pruned = json.loads((node["metadata"].get("annotations") or {}).get(_PRUNED, "{}"))
    return {key: value for key, value in labels.items() if pruned.get(key) != value}
