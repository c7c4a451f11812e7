"""What storage costs, in USD per month. A price that is not in the table is None: unknown, never zero.

Source: `data/storage-prices.json`.
"""

from decimal import Decimal

from eks_accelerators.accelerators import data


def monthly(name: str, region: str) -> Decimal | None:
    """The price called ``name``, in its own unit and a month, or None where the region or the name is not listed."""
    row = data.load("storage-prices")["prices"].get(name)
    usd = row["usd"].get(region) if row else None
    return None if usd is None else Decimal(str(usd))
