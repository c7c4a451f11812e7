"""Servers become ready when the time that they take to start has passed: as `eks_accelerators.accelerators.start_times` has it."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from eks_accelerators.accelerators.start_times import StartTime
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.slow_pods import STARTED, has_startup_probe

_NOT_FOUND = 404
_BY_NAME: Mapping[str, str] = MappingProxyType({})


class Starts:
    """Says of pods that they have started, when their time has come; moments are seconds of simulated time."""

    def __init__(self, api: Api, time: StartTime) -> None:
        self._api, self._time = api, time
        self._bound: dict[str, float] = {}
        """When each pod was seen on its node first, by its UID."""
        self._pulled: dict[tuple[str, str], float] = {}
        """When a node has an image."""
        self._said: set[str] = set()

    def look(self, pods: Iterable[Mapping[str, Any]], now: float, machines: Mapping[str, str] = _BY_NAME) -> None:
        """Look at all pods of the servers. ``machines`` tells apart nodes that have one name after the other."""
        for pod in pods:
            uid, node = pod["metadata"]["uid"], pod["spec"].get("nodeName")
            if node is None or uid in self._said:
                continue
            image = machines.get(node, node), pod["spec"]["containers"][0].get("image", "")
            if pod.get("status", {}).get("phase") == "Running" or not has_startup_probe(dict(pod)):
                self._said.add(uid)
                self._pulled.setdefault(image, now)
                continue
            bound = self._bound.setdefault(uid, now)
            pulled = self._pulled.setdefault(image, bound + self._time.image)
            if now >= max(bound, pulled) + self._time.without_image:
                self._say(pod)
                self._said.add(uid)

    def _say(self, pod: Mapping[str, Any]) -> None:
        metadata = pod["metadata"]
        try:
            change = {"metadata": {"annotations": {STARTED: "true"}}}
            self._api.patch("v1", "Pod", metadata["name"], metadata["namespace"], change)
        except ApiError as error:
            if error.status != _NOT_FOUND:  # it may have gone just now
                raise
