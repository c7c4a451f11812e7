"""A stack file as the simulation takes it: its program, and an account in which it can be deployed.

What the file cannot say of the account is assumed, and said: a Capacity Block that it names by its ID, a
secret that only its owner can decrypt.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from accelerators.zones import is_zone_id
from settings import stack_file
from settings.load import PROJECT
from settings.model import Settings
from settings.model.capacity_blocks import CapacityBlock
from settings.model.node_groups import AcceleratorNodeGroup
from simulator.aws.world import next_usual_start
from simulator.engine import Program
from simulator.program import program_at
from simulator.simulation import SimulationError

_ASSUMED_LENGTH = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SimulatedStack:
    """A stack that can be simulated. ``world`` is what its account holds before the first deployment."""

    program: Program
    region: str
    world: dict[str, Any]
    assumptions: tuple[str, ...]


def simulated_stack(
    name: str, file: Path, project: Path, settings: Settings, now: datetime, account: Mapping[str, Any] | None = None
) -> SimulatedStack:
    """The stack in ``file``, whose settings have no error.

    ``account`` is what a user's account file says; it goes before what is assumed. Raises `SimulationError`
    for a stack that needs what the simulation does not have.
    """
    if settings.network.existing:
        raise SimulationError("network.existing is not simulated: the simulated account has no such VPC")
    config = dict(stack_file.read(file).config)
    named = _secrets(config)
    world = dict(account or {})
    assumptions = [f"{key} is a made-up secret" for key in named]
    assumptions += _assume_blocks(world, settings, now)
    if "quotas" not in world:
        assumptions.append("quotas are large enough, and EC2 has capacity in every zone")
    program = Program(
        run=program_at(project / "__main__.py"),
        project=PROJECT,
        stack=name,
        config={key: value for key, value in config.items() if key not in named},
        secrets={key: f"simulated-{secrets.token_hex(16)}" for key in named},
    )
    return SimulatedStack(program, settings.region, world, tuple(assumptions))


def _secrets(config: Mapping[str, Any]) -> list[str]:
    """Keys of secrets: those encrypted in the file, and those that a workload names and nobody has set."""
    encrypted = [key for key, value in config.items() if isinstance(value, Mapping) and set(value) == {"secure"}]
    workloads = (config.get(f"{PROJECT}:workloads") or {}).get("vllm") or {}
    wanted = [
        f"{PROJECT}:{token['configSecret']}"
        for workload in workloads.values()
        if (token := workload.get("huggingFaceToken")) and "configSecret" in token
    ]
    return sorted({*encrypted, *wanted})


def _assume_blocks(world: dict[str, Any], settings: Settings, now: datetime) -> list[str]:
    known = {block["id"] for block in world.get("capacityReservations", [])}
    reservations, offerings, said = [], [], []
    for name, block in settings.capacity_blocks.items():
        groups = [group for group in settings.node_groups.values() if group.capacity_block == name]
        if block.purchase:
            offerings.append(_offering(block, settings))
        elif block.reservation_id and block.reservation_id not in known and groups:
            assumed = _reservation(block, groups[0], settings, now)
            reservations.append(assumed)
            said.append(
                f"{assumed['id']} is {assumed['instanceCount']} x {assumed['instanceType']} in {assumed['zone']}, "
                f"{assumed['start']} to {assumed['end']}"
            )
    if reservations:
        world["capacityReservations"] = [*world.get("capacityReservations", []), *reservations]
    if offerings and "capacityBlockOfferings" not in world:
        world["capacityBlockOfferings"] = offerings
        said += [f"{offer['id']} is on sale for {offer['upfrontFeeUsd']} USD" for offer in offerings]
    return said


def _reservation(
    block: CapacityBlock, group: AcceleratorNodeGroup, settings: Settings, now: datetime
) -> dict[str, Any]:
    expect = block.expect
    start = expect.start or (expect.end - _ASSUMED_LENGTH if expect.end else next_usual_start(now))
    return {
        "id": block.reservation_id,
        "instanceType": expect.instance_type or group.instance_type,
        "instanceCount": expect.instance_count or group.size.max,
        "zone": expect.zone or _zone(group, settings),
        "start": start.isoformat(),
        "end": (expect.end or start + _ASSUMED_LENGTH).isoformat(),
    }


def _offering(block: CapacityBlock, settings: Settings) -> dict[str, Any]:
    purchase = block.purchase
    assert purchase is not None
    return {
        "id": purchase.offering_id,
        "instanceType": purchase.instance_type,
        "instanceCount": purchase.instance_count,
        "zone": block.expect.zone or _first_zone(settings),
        "start": purchase.start.isoformat(),
        "durationHours": purchase.duration_hours,
        "upfrontFeeUsd": str(purchase.max_upfront_fee_usd),
    }


def _zone(group: AcceleratorNodeGroup, settings: Settings) -> str:
    return group.zones[0] if group.zones else _first_zone(settings)


def _first_zone(settings: Settings) -> str:
    zone = settings.network.zones[0]
    return zone if not is_zone_id(zone) else f"{settings.region}a"
