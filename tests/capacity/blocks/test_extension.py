"""An extension: what is looked at before it is bought, and that it is bought once."""

from datetime import timedelta
from decimal import Decimal

import pytest
from botocore.exceptions import ReadTimeoutError

from capacity.asking import Aws
from capacity.blocks import ledger as ledgers
from capacity.blocks.extension import prepare_extension
from capacity.blocks.ledger import Outcome
from capacity.blocks.spending import RefusedError, spend
from tests.capacity.blocks.offers import NOW, START
from tests.capacity.blocks.shop import EXTENSION, Shop, reservation
from tests.capacity.fakes import refusal

CR, OFFER = "cr-00000000000000001", "cbe-1"
END = START + timedelta(days=3)


def offered(**changes):
    return {
        "CapacityBlockExtensionOfferingId": OFFER,
        "InstanceType": "p5.48xlarge",
        "InstanceCount": 4,
        "CapacityBlockExtensionStartDate": END,
        "CapacityBlockExtensionEndDate": END + timedelta(days=2),
        "CapacityBlockExtensionDurationHours": 48,
        "UpfrontFee": "7397.38",
        "CurrencyCode": "USD",
        **changes,
    }


def shop(offers=None, block=None, fault=None, **more):
    made = Shop(reservations=[reservation(CR, **{"State": "active", "TotalInstanceCount": 4, **(block or {})})], **more)

    def sell(parameters):
        if parameters.get("DryRun"):
            return refusal("DryRunOperation", status=412)
        made.purchases += 1
        bought = {
            "CapacityReservationId": CR,
            "CapacityBlockExtensionOfferingId": OFFER,
            "CapacityBlockExtensionStatus": "payment-pending",
            "CapacityBlockExtensionStartDate": END,
        }
        made.extensions.append(bought)
        if fault:
            raise fault
        return {"CapacityBlockExtensions": [bought]}

    made.faults["ec2.describe_capacity_block_extension_offerings"] = {
        "CapacityBlockExtensionOfferings": [offered()] if offers is None else offers
    }
    made.faults[EXTENSION] = sell
    return made


def extended(at, folder, *, hours=48, ceiling="8000", now=NOW):
    with Aws(at) as aws, ledgers.alone(folder) as ledger:
        _, spending = prepare_extension(aws, ledger, "us-east-2", CR, hours, Decimal(ceiling), now)
        return spend(at, aws, ledger, spending, now, lambda _seconds: None)


def test_a_block_is_extended(tmp_path):
    at = shop()

    attempt = extended(at, tmp_path)

    assert (attempt.outcome, attempt.reservation, at.purchases) == (Outcome.BOUGHT, CR, 1)
    assert attempt.what == f"{CR} from 2026-12-04 11:30 to 2026-12-06 11:30 UTC, for 7397.38 USD"


@pytest.mark.parametrize(
    ("at", "changes", "reason"),
    [
        pytest.param(shop(offers=[]), {}, "no extension of cr-00000000000000001 by 2 days is on sale", id="none"),
        pytest.param(shop(), {"ceiling": "7397.37"}, "costs 7397.38 USD, above the limit of 7397.37 USD", id="dear"),
        pytest.param(shop(offers=[offered(CurrencyCode="CNY")]), {}, "is priced in CNY", id="another-currency"),
        pytest.param(
            shop(offers=[offered(CapacityBlockExtensionStartDate=END + timedelta(days=1))]),
            {},
            "the extension begins 2026-12-05 11:30 UTC, the block ends 2026-12-04 11:30 UTC",
            id="not-at-its-end",
        ),
        pytest.param(shop(), {"hours": 30}, "no extension lasts 30 hours", id="no-such-length"),
        pytest.param(shop(), {"hours": 182 * 24}, "would last longer than 182 days", id="too-long-in-all"),
        pytest.param(shop(), {"now": END - timedelta(minutes=59)}, "can be extended from 2026-10-09", id="too-late"),
        pytest.param(shop(block={"State": "expired"}), {}, "is expired", id="over"),
        pytest.param(shop(quota=767), {}, "allows 767 vCPUs", id="quota"),
        pytest.param(Shop(), {}, "there is no Capacity Block cr-00000000000000001 in us-east-2", id="no-such-block"),
        pytest.param(
            shop(
                extensions=[
                    {
                        "CapacityBlockExtensionOfferingId": "cbe-0",
                        "CapacityBlockExtensionStatus": "payment-pending",
                        "CapacityBlockExtensionStartDate": END,
                    }
                ]
            ),
            {},
            "has an extension that is not paid yet",
            id="one-is-pending",
        ),
    ],
)
def test_refused(tmp_path, at, changes, reason):
    with pytest.raises(RefusedError, match=reason.replace("(", r"\(")):
        extended(at, tmp_path, **changes)

    assert (at.purchases, ledgers.attempts(tmp_path)) == (0, [])


def test_an_answer_that_was_lost_is_found_in_the_history(tmp_path):
    at = shop(fault=ReadTimeoutError(endpoint_url="https://ec2"))

    attempt = extended(at, tmp_path)

    assert (attempt.outcome, attempt.reservation, at.purchases) == (Outcome.BOUGHT, CR, 1)
    with pytest.raises(RefusedError, match="not paid yet"):
        extended(at, tmp_path)
    assert at.purchases == 1


def test_an_unclear_extension_stops_every_purchase(tmp_path):
    at = shop(fault=ReadTimeoutError(endpoint_url="https://ec2"))
    at.faults["ec2.describe_capacity_block_extension_history"] = {"CapacityBlockExtensions": []}
    assert extended(at, tmp_path).outcome is Outcome.UNCLEAR

    with pytest.raises(RefusedError, match="has no known outcome"):
        extended(at, tmp_path)
    assert at.purchases == 1
