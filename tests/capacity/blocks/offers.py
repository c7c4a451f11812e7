"""Offerings as EC2 answers them, and as the search has them."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from eks_accelerators.capacity.blocks.offering import Offering

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
START = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)
OFFER = "cb-0123456789abcdef0"


def answer(identifier: str = OFFER, **changes: Any) -> dict[str, Any]:
    """Four p5.48xlarge for three days from `START`."""
    return {
        "CapacityBlockOfferingId": identifier,
        "InstanceType": "p5.48xlarge",
        "InstanceCount": 4,
        "AvailabilityZone": "us-east-2a",
        "StartDate": START,
        "EndDate": START + timedelta(days=3),
        "CapacityBlockDurationHours": 72,
        "UpfrontFee": "10620.52",
        "CurrencyCode": "USD",
        "Tenancy": "default",
        **changes,
    }


def offering(identifier: str = OFFER, **changes: Any) -> Offering:
    """The same, found."""
    values = {
        "region": "us-east-2",
        "instance_type": "p5.48xlarge",
        "instance_count": 4,
        "zone": "us-east-2a",
        "start": START,
        "end": START + timedelta(days=3),
        "asked_hours": 72,
        "fee": Decimal("10620.52"),
        "currency": "USD",
    }
    return Offering(identifier, **{**values, **changes})
