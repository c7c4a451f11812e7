"""A row of the table of accelerated types for a type that the table lacks: what EC2 describes, and what follows from it.

What EC2 does not describe is taken from a type of the same family, or follows from the accelerator; where neither says it, it
is unknown, and a note says so.
"""

from typing import Any

from eks_accelerators.accelerators import family_facts, instance_types, quotas
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.capacity.facts.type_descriptions import Described, columns


def is_served(kind: Described) -> bool:
    """Whether this package serves what EC2 describes: NVIDIA GPUs, or Neuron devices of the second generation or later."""
    neuron = kind.neuron
    return kind.gpu is not None or (neuron is not None and neuron.core_info.version >= 2)


def row_of(kind: Described, source: str) -> dict[str, Any]:
    """The row of a type that `is_served`, without prices and places."""
    name = kind.instance_type
    family = family_facts.family(name)
    sibling = next((each for each in instance_types.every() if each.family == family), None)
    row: dict[str, Any] = {"instance_type": name, "family": family, "neuron": None}
    for path, value in columns(kind):
        at = row
        for part in path[:-1]:
            at[str(part)] = at.get(str(part)) or {}
            at = at[str(part)]
        at[str(path[-1])] = value
    beside = _beside(row, sibling)
    return {
        **row,
        **beside,
        "on_demand_usd_per_hour": {},
        "price_source": {},
        "price_sources_agree_us_east_1": None,
        "offered_regions": [],
        "offered_regions_unpriced": [],
        "offered_az_ids_us": {},
        "source": source,
        "notes": [] if sibling else _notes(row, divided=beside["mig_capable"]),
    }


def _beside(row: dict[str, Any], sibling: InstanceType | None) -> dict[str, Any]:
    maker, chip = row["accelerator"]["manufacturer"], row["accelerator"]["name"]
    divided = any(kind.mig_capable for kind in instance_types.every() if kind.accelerator.name == chip)
    return {
        "mig_capable": divided,
        "eks_ami_types": list(sibling.ami_types if sibling else family_facts.ami_types(maker, row["architecture"])),
        "k8s_resource": family_facts.resource(maker),
        "quota": {
            "service_code": quotas.SERVICE,
            "on_demand_code": family_facts.on_demand_quota(row["instance_type"]),
            "spot_code": sibling.quota.spot_code if sibling else None,
            "capacity_block_account_code": sibling.quota.capacity_block_code if sibling else None,
            "capacity_block_org_code": None,
            "vcpus_needed_per_instance": row["vcpus"],
        },
    }


def _notes(row: dict[str, Any], *, divided: bool) -> list[str]:
    family, chip = row["family"], row["accelerator"]["name"]
    notes = [
        f"No type of the family {family} was known: the image types follow from maker and architecture, and whether their "
        f"driver knows {chip} is not known"
    ]
    if row["accelerator"]["manufacturer"] == "NVIDIA" and not divided:
        notes.append(f"Whether {chip} can be divided by MIG is not known; taken as not")
    return notes
