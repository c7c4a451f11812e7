"""List prices in USD, by region. A price that is not in the tables is None: unknown, never zero.

Sources: `data/prices.json`, and the price columns of the two instance type tables.
"""

from decimal import Decimal

from eks_accelerators.accelerators import data, instance_types, system_instance_types

HOURS_PER_MONTH = 730
"""As AWS counts a month in its prices."""


def on_demand(instance_type: str, region: str) -> Decimal | None:
    """USD per hour of a Linux on-demand instance, or None where unknown."""
    if accelerated := instance_types.find(instance_type):
        return _decimal(accelerated.on_demand_usd_per_hour.get(region))
    if system := system_instance_types.find(instance_type):
        return _decimal(system.on_demand_usd_per_hour.get(region))
    return None


def service(name: str, region: str) -> Decimal | None:
    """The price called ``name`` in `data/prices.json`, in its own unit, or None where the region is not listed."""
    return _decimal(data.load("prices")["prices"][name]["usd"].get(region))


def gp3_volume(
    region: str, size_gib: int, iops: int | None = None, throughput_mibps: int | None = None
) -> Decimal | None:
    """USD per hour of a gp3 volume; 3,000 IOPS and 125 MiB/s are included."""
    parts = (
        ("ebs_gp3_gib_month", size_gib),
        ("ebs_gp3_iops_month", max(0, (iops or 3000) - 3000)),
        ("ebs_gp3_throughput_mibps_month", max(0, (throughput_mibps or 125) - 125)),
    )
    total = Decimal(0)
    for name, quantity in parts:
        if quantity:
            price = service(name, region)
            if price is None:
                return None
            total += price * quantity
    return total / HOURS_PER_MONTH


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))
