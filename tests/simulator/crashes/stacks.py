"""Stack `prod` for the crash matrix: as it is shipped, edited as widely as one edit goes, and with a block to buy."""

import dataclasses
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.outcome import Action
from eks_accelerators.simulator.stack import SimulatedStack
from tests.simulator import worlds
from tests.simulator.lives import PURCHASE

PROJECT, STACK = "eks-accelerators", "prod"
FLAGS = ("--parallel=8", "--skip-preview")
"""As many operations at once as on a laptop with two cores, on every machine; what is destroyed is not shown first."""

_TOKEN = {f"{PROJECT}:huggingFaceToken": "simulated"}


@dataclasses.dataclass(frozen=True, slots=True)
class Stage:
    """A part of the stack's life."""

    name: str
    action: Action
    program: Program


def life(folder: Path) -> tuple[SimulatedStack, list[Stage]]:
    """The stack, and its life: it is created, edited and destroyed."""
    new, old = shipped(folder), edited(folder)
    return new, [
        Stage("create", "up", new.program),
        Stage("edit", "up", old.program),
        Stage("destroy", "destroy", old.program),
    ]


def shipped(folder: Path) -> SimulatedStack:
    """As it is in the repository, without the protection that a destruction would have to take off first."""
    return _load(folder, _unprotected)


def edited(folder: Path) -> SimulatedStack:
    """The same with an edit that creates, updates, replaces and deletes."""
    return _load(folder, _edit)


def buying(folder: Path) -> SimulatedStack:
    """The same with a Capacity Block to buy, which is on sale."""
    return _load(folder, _buy)


def naming(folder: Path, reservation: str) -> SimulatedStack:
    """The same with the block that was bought, as `docs/capacity-blocks.md` says after a purchase."""

    def change(config: dict[str, Any]) -> None:
        _unprotected(config)
        block = config[f"{PROJECT}:capacityBlocks"]["training"]
        del block["expect"]
        block["reservationId"] = reservation

    return _load(folder, change)


def _load(folder: Path, change: worlds.Change) -> SimulatedStack:
    stack = worlds.load(folder, STACK, change)
    # The same token for every run: what differs between two runs is then a finding.
    return dataclasses.replace(stack, program=dataclasses.replace(stack.program, secrets=_TOKEN))


def _unprotected(config: dict[str, Any]) -> None:
    config[f"{PROJECT}:cluster"]["deletionProtection"] = False


def _buy(config: dict[str, Any]) -> None:
    _unprotected(config)
    block = config[f"{PROJECT}:capacityBlocks"]["training"]
    del block["reservationId"], block["expect"]
    block["purchase"] = dict(PURCHASE)


def _edit(config: dict[str, Any]) -> None:
    _unprotected(config)
    config[f"{PROJECT}:tags"] = {"environment": "production", "cost-center": "ml"}
    cluster = config[f"{PROJECT}:cluster"]
    cluster["kubernetesVersion"] = "1.36"
    cluster["logTypes"] = ["api", "audit"]
    cluster["accessEntries"]["ml-engineers"]["policy"] = "AmazonEKSViewPolicy"
    cluster["accessEntries"]["auditors"] = {
        "principalArn": "arn:aws:iam::111122223333:role/auditors",
        "policy": "AmazonEKSAdminViewPolicy",
    }
    del cluster["accessEntries"]["platform"]
    config[f"{PROJECT}:network"]["create"]["natGateways"] = "single"
    config[f"{PROJECT}:systemNodeGroup"].update(diskSizeGib=80, size={"min": 2, "desired": 3, "max": 8})
    config[f"{PROJECT}:capacityBlocks"]["training"]["notificationEmail"] = "gpu-alerts@example.com"
    groups = config[f"{PROJECT}:nodeGroups"]
    groups["l4-shared"].update(labels={"team": "serving"}, taints=[{"key": "team", "value": "serving"}])
    groups["l4-shared"]["sharing"]["replicas"] = 3
    groups["l4-shared"]["disk"]["sizeGib"] = 400
    groups["h100"]["disk"]["sizeGib"] = 600
    groups["h100"]["size"]["max"] = 3
    groups["trn2"]["labels"] = {"team": "training"}
    llama = config[f"{PROJECT}:workloads"]["vllm"]["llama"]
    llama["maxModelLen"] = 8192
    llama["autoscaling"]["max"] = 48
