"""The network interfaces of a node with Elastic Fabric Adapter (EFA).

Source: AWS EC2 User Guide `efa-acc-inst-types` and `NetworkInfo.NetworkCards` of DescribeInstanceTypes,
read 2026-11-20. Rules: the primary interface (card 0, device 0) carries IP and is a plain ENA
`interface`; every card that takes EFA gets one `efa-only` interface, on card 0 as device 1 beside the
primary one, elsewhere as device 0. So a node costs one IP address, whatever its number of cards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from eks_accelerators.accelerators.instance_types import InstanceType


class InterfaceType(StrEnum):
    """`InterfaceType` of a launch template's network interface, as the EC2 API spells it."""

    ENA = "interface"
    EFA = "efa"
    EFA_ONLY = "efa-only"

    @property
    def is_efa(self) -> bool:
        """Whether the interface has an EFA device."""
        return self is not InterfaceType.ENA


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface of a launch template."""

    card: int
    device: int
    type: InterfaceType


class EfaNotSupportedError(ValueError):
    """The instance type takes no EFA interface, or its layout is not known."""


def layout(instance_type: InstanceType) -> tuple[Interface, ...]:
    """All interfaces of a node of ``instance_type`` with every EFA device attached.

    Raises `EfaNotSupportedError` where the type has no EFA or where no source gives its cards.
    """
    network = instance_type.network
    if not network.supports_efa:
        raise EfaNotSupportedError(f"{instance_type.name} has no EFA")
    if network.efa_cards is None:
        raise EfaNotSupportedError(f"the EFA cards of {instance_type.name} are not known")
    primary = Interface(0, 0, InterfaceType.ENA)
    return (
        primary,
        *(Interface(card, 1 if card == 0 else 0, InterfaceType.EFA_ONLY) for card in network.efa_cards),
    )


def efa_count(interfaces: Sequence[Interface]) -> int:
    """How many `vpc.amazonaws.com/efa` a node with these interfaces advertises."""
    return sum(interface.type.is_efa for interface in interfaces)


def smallest_with_efa(family: str, candidates: Sequence[InstanceType]) -> InstanceType | None:
    """The type of ``family`` with the fewest vCPUs that takes EFA, or None."""
    with_efa = [t for t in candidates if t.family == family and t.network.supports_efa]
    return min(with_efa, key=lambda t: t.vcpus, default=None)
