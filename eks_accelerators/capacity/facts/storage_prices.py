"""Prices of storage, `data/storage-prices.json`.

Source: the price lists AmazonEFS, AmazonFSx and AmazonS3 by usage type, which begins with a code of its region in most regions: as public
programs ask for them and copied them (infracost's `efs_file_system`; lsmc-bio/daylily-ephemeral-cluster, 2026-07-14), read 2026-11-22.
That `Storage.SSD.250` and the like are SSD of PERSISTENT_2 follows from its throughputs, which PERSISTENT_1 does not have.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.capacity.facts.fact_values import FactValue
from eks_accelerators.capacity.facts.prices import UsagePrice, found_of

_LUSTRE = (("operation", "CreateFileSystem:Lustre"),)
PRICES = {
    "efs_gib_month": UsagePrice("AmazonEFS", ("TimedStorage-ByteHrs",)),
    "efs_one_zone_gib_month": UsagePrice("AmazonEFS", ("TimedStorage-Z-ByteHrs",)),
    "efs_provisioned_mibps_month": UsagePrice("AmazonEFS", ("ProvisionedTP-MiBpsHrs",)),
    "s3_gib_month": UsagePrice("AmazonS3", ("TimedStorage-ByteHrs",), (("volumeType", "Standard"),)),
    "fsx_scratch_2_gib_month": UsagePrice("AmazonFSx", ("Storage",), _LUSTRE),
    **{
        f"fsx_persistent_2_{throughput}_gib_month": UsagePrice("AmazonFSx", (f"Storage.SSD.{throughput}",), _LUSTRE)
        for throughput in (125, 250, 500, 1000)
    },
}
"""How each price of the file is found."""


def found(asker: Asker, document: Mapping[str, Any]) -> Iterator[FactValue]:
    """Each price in each region that the file lists: of most of them it has none yet."""
    return found_of(asker, document, PRICES, document["regions"])
