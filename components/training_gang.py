"""What the engines of a training job have in common: what they get, and what they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pulumi

from eks_accelerators.components.base import Component
from eks_accelerators.components.gang import GangInputs, GangNamespace
from eks_accelerators.settings.model.training import PytorchJobSettings

LAUNCHER = "launch.py"

ENDED_EARLY = [75, 143]
"""Exit statuses of `launch.py` where a node is taken away: on the nodes that stay, and on the one that goes."""

_SAVE_SECONDS = 30
"""For a program without checkpoints: to end in an orderly way."""


@dataclass(frozen=True, slots=True)
class TrainingGang:
    """A training job as an engine gets it: ``pod`` is the pod of one node in Kubernetes' own shape, ``programs`` what it mounts."""

    component: Component[Any]
    name: str
    inputs: GangInputs[PytorchJobSettings]
    place: GangNamespace
    pod: Any
    programs: pulumi.Resource


@dataclass(frozen=True, slots=True)
class DeployedEngine:
    """How an engine is deployed.

    ``programs`` are those that ship with it. ``variables`` are what they read besides what is the same for all, by the job's
    name and inputs. ``add`` registers the objects, and returns the name of the one that stands for the job.
    """

    programs: tuple[str, ...]
    variables: Callable[[str, GangInputs[PytorchJobSettings]], dict[str, str]]
    add: Callable[[TrainingGang], pulumi.Output[str]]


def rendezvous(name: str, inputs: GangInputs[PytorchJobSettings], first: str) -> dict[str, str]:
    """What `launch.py` has to know where nobody else tells it: how many there are, and the name of the ``first`` pod."""
    return {
        "NODES": str(inputs.workload.nodes),
        "PROCESSES_PER_NODE": str(inputs.fit.processes_per_node),
        "RENDEZVOUS_HOST": f"{first}.{name}",
    }


def save_seconds(workload: PytorchJobSettings) -> int:
    """How long the last checkpoint of the program may take."""
    return workload.checkpoints.save_seconds if workload.checkpoints else _SAVE_SECONDS


def failure_policy(action: str) -> list[dict[str, Any]]:
    """The rules of a Job for pods that a node takes with it: they are no fault of the program."""
    return [
        {"action": action, "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        {"action": action, "onExitCodes": {"operator": "In", "values": ENDED_EARLY}},
    ]
