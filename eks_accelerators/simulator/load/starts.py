"""How long a server takes from its node to its first answer: the image, where the node has not got it, weights and engine.

The figures are of one cold start that was measured, and weights take time by their size. Every server downloads them anew,
also where a volume keeps them: reading from one takes time too, and nobody here has measured it. An image is pulled once for
a node; images that are pulled in parallel, or by a snapshotter, come sooner.

Source: public workshop page "4.6 Cold start, live", vllm/vllm-openai:v0.28.0 on an EKS node with an NVIDIA GPU, 2026-09-17:
pull 3 min 44 s, weights of 3.1 GB 58 s, engine 46 s, ready some 6 min after the pod was scheduled; read 2026-11-20. It is the
source `cold-start` of `eks_accelerators/accelerators/data/resource-types.json`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.slow_pods import STARTED, has_startup_probe

IMAGE_SECONDS = 224.0
"""To pull vLLM's image to a node that has not got it."""
ENGINE_SECONDS = 46.0
"""From weights to a server that answers."""
OTHER_SECONDS = 360.0 - 224.0 - 58.0 - 46.0
"""What is left of the six minutes: containers are made, probes are waited for."""
WEIGHT_BYTES_PER_SECOND = 3.1e9 / 58
"""At which weights are downloaded."""

_NOT_FOUND = 404
_BY_NAME: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StartTime:
    """Parts of the time that a server takes, in seconds."""

    image: float
    weights: float
    engine: float
    other: float

    @property
    def without_image(self) -> float:
        """Where the node has the image."""
        return self.weights + self.engine + self.other

    @property
    def whole(self) -> float:
        """Where it has not."""
        return self.image + self.without_image


def start_time(weight_bytes: float) -> StartTime:
    """How long a server takes whose weights have so many bytes."""
    return StartTime(IMAGE_SECONDS, weight_bytes / WEIGHT_BYTES_PER_SECOND, ENGINE_SECONDS, OTHER_SECONDS)


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
