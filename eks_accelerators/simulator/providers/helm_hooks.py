"""What Helm runs when a release is deleted, and waits for.

Sources: pulumi-kubernetes `provider/pkg/provider/helm_release.go` (`Delete` sets a time-out for `atomic` releases and for
those that await, and passes none of `customTimeouts` on), Helm v3.22 `pkg/action/uninstall.go`, `pkg/kube/client.go`
(without a time-out `WatchUntilReady` has no end), read 2026-11-22.
"""

import contextlib
from typing import Any

from eks_accelerators.simulator.kubernetes import charts, label_pruning
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.charts.hooks import Hook, When
from eks_accelerators.simulator.kubernetes.placement import obstacles


def run(api: Api, release: dict[str, Any], namespace: str, when: When) -> None:
    """Run the hooks of ``when``. Raises `ApiError` 408 for a Job that no node can run: Helm would wait for ever."""
    for hook in _hooks(release, namespace):
        if hook.when == when:
            _run(api, hook)


def _hooks(release: dict[str, Any], namespace: str) -> list[Hook]:
    # Where Helm itself renders, values may be there that the stand-in does not know.
    with contextlib.suppress(charts.ChartError):
        return charts.hooks(
            release["chart"],
            version=release["version"],
            release=release["name"],
            namespace=namespace,
            values=release.get("values") or {},
        )
    return []


def _run(api: Api, hook: Hook) -> None:
    if all(obstacles(hook.pod, node) for node in api.list("v1", "Node")):
        raise ApiError(
            408,
            "Timeout",
            f"Helm waits without an end for its hook, the Job {hook.namespace}/{hook.job}: no node can run its pod. "
            f"On real AWS: kubectl -n {hook.namespace} delete job {hook.job}",
        )
    if hook.strips_labels:
        label_pruning.prune(api)
