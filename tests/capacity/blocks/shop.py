"""An AWS that sells a Capacity Block once, and remembers: the other side of a purchase."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.purchase import AlreadyBought, Order, prepare
from eks_accelerators.capacity.blocks.search import BlockRequirements
from eks_accelerators.capacity.blocks.spending import spend
from tests.capacity.blocks.offers import NOW, OFFER, START, answer, offering
from tests.capacity.fakes import FakeAws, Reply, refusal

PURCHASE = "ec2.purchase_capacity_block"
EXTENSION = "ec2.purchase_capacity_block_extension"
BOUGHT = "cr-0123456789abcdef1"


@dataclass
class Shop:
    """One region of an account. ``faults`` answer in place of the shop; a purchase that faults may still be made."""

    offers: list[dict[str, Any]] = field(default_factory=lambda: [answer()])
    reservations: list[dict[str, Any]] = field(default_factory=list)
    extensions: list[dict[str, Any]] = field(default_factory=list)
    quota: float = 1536
    faults: dict[str, Any] = field(default_factory=dict)
    lost: BaseException | Mapping[str, Any] | None = None
    """What comes back of a purchase that is made."""
    purchases: int = 0

    def get(self, service: str, region: str) -> Any:
        return self.clients.get(service, region)

    @property
    def clients(self) -> FakeAws:
        replies = {
            "sts.get_caller_identity": {"Account": "111122223333"},
            "ec2.describe_capacity_block_offerings": lambda _: {"CapacityBlockOfferings": self.offers},
            "ec2.describe_capacity_reservations": lambda _: {"CapacityReservations": self.reservations},
            "ec2.describe_capacity_blocks": {"CapacityBlocks": []},
            "ec2.describe_availability_zones": {
                "AvailabilityZones": [{"ZoneName": "us-east-2a", "ZoneId": "use2-az1"}]
            },
            "service-quotas.get_service_quota": lambda _: {"Quota": {"Value": self.quota}},
            "ec2.describe_capacity_block_extension_history": lambda _: {"CapacityBlockExtensions": self.extensions},
            PURCHASE: self._sell,
            **self.faults,
        }
        return FakeAws(replies)

    def _sell(self, parameters: Mapping[str, Any]) -> Reply:
        if parameters.get("DryRun"):
            return refusal("DryRunOperation", status=412)
        self.purchases += 1
        (specification,) = parameters["TagSpecifications"]
        assert specification["ResourceType"] == "capacity-reservation"
        made = reservation(f"cr-0123456789abcdef{self.purchases}", Tags=specification["Tags"])
        self.reservations.append(made)
        if isinstance(self.lost, BaseException):
            raise self.lost
        return self.lost if self.lost is not None else {"CapacityReservation": made}


def reservation(identifier: str, **changes: Any) -> dict[str, Any]:
    """A block that was bought, as EC2 describes it: four p5.48xlarge for three days from `START`."""
    return {
        "CapacityReservationId": identifier,
        "ReservationType": "capacity-block",
        "InstanceType": "p5.48xlarge",
        "AvailabilityZone": "us-east-2a",
        "AvailabilityZoneId": "use2-az1",
        "TotalInstanceCount": 0,
        "AvailableInstanceCount": 0,
        "State": "scheduled",
        "StartDate": START,
        "EndDate": START + timedelta(days=3),
        "Tags": [],
        **changes,
    }


def order(**changes: Any) -> Order:
    """The offering of `offers`, for the block `training` of the stack prod."""
    values = {
        "offering": OFFER,
        "region": "us-east-2",
        "wanted": BlockRequirements("p5.48xlarge", 4, 72),
        "ceiling": Decimal(11000),
        "shown": offering(),
        "stack": "prod",
        "block": "training",
    }
    return Order(**{**values, **changes})


def bought(shop: Shop, folder: Path, wanted: Order | None = None, now: datetime = NOW) -> Any:
    """One run of the whole purchase: the attempt, or what was bought already."""
    with Aws(shop) as aws, ledgers.alone(folder) as ledger:
        ready = prepare(aws, ledger, wanted or order())
        if isinstance(ready, AlreadyBought):
            return ready
        return spend(shop, aws, ledger, ready.spending, now, lambda _seconds: None)
