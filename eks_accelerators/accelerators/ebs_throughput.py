"""How much an instance reads and writes of EBS, whatever its volumes offer.

Source: `data/ebs-throughput.json`. Unit: MB/s, a million bytes.
"""

from eks_accelerators.accelerators import data


def maximum_mbps(instance_type: str) -> float | None:
    """The most of the type, for half an hour a day where its baseline is less; None where no source gives it."""
    row = data.load("ebs-throughput")["types"].get(instance_type)
    return float(row[1]) if row else None
