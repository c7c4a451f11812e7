"""A Capacity Block is bought once or not at all: what the program registers, and what it never does."""

from datetime import timedelta

import pulumi
import pytest

from eks_accelerators.accelerators.block_tags import BLOCK_TAG, OFFERING_TAG, STACK_TAG
from eks_accelerators.components import CapacityBlockPurchase
from eks_accelerators.components.capacity_block_purchase import PurchaseRefusedError
from eks_accelerators.settings.problems import SettingsError
from tests.components.examples import EXAMPLES, OFFERING_ID, deployed, run
from tests.components.harness import STACK, TAGS, Deployment
from tests.conftest import NOW

PURCHASE = EXAMPLES[CapacityBlockPurchase]
OTHER = "cb-0fedcba9876543210"
OTHER_OFFERING = {"offering_id": OTHER, "confirmation": PURCHASE["confirmation"].replace(OFFERING_ID, OTHER)}
FORCE_A_REPLACEMENT = {"capacityBlockOfferingId", "instancePlatform", "tags", "tagsAll", "region"}
"""What makes the provider buy again, and tags to be safe."""


def bought(deployment: Deployment):
    return deployment.one("CapacityBlockReservation")


def test_the_purchase_is_literal_and_tagged_with_its_offering():
    assert bought(deployed(CapacityBlockPurchase)).inputs == {
        "capacityBlockOfferingId": OFFERING_ID,
        "instancePlatform": "Linux/UNIX",
        "tags": {
            **TAGS,
            OFFERING_TAG: OFFERING_ID,
            STACK_TAG: STACK,
            BLOCK_TAG: bought(deployed(CapacityBlockPurchase)).name,
        },
    }


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "up"])
def test_it_is_protected_retained_and_never_replaced(preview):
    made = bought(deployed(CapacityBlockPurchase, preview=preview))

    assert made.protect
    assert made.retain_on_delete
    assert set(made.ignore_changes) >= {"capacityBlockOfferingId", "instancePlatform"}
    assert not made.raw.deleteBeforeReplace
    assert not made.raw.replaceOnChanges


def test_the_guard_is_bound_to_every_creation_and_to_previews():
    deployment = deployed(CapacityBlockPurchase, name="block")

    assert bought(deployment).before_create == ("block-purchase",)
    assert deployment.hooks["block-purchase"].opts.on_dry_run


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({}, id="second-run"),
        pytest.param(OTHER_OFFERING, id="another-offering"),
        pytest.param({"tags": {"owner": "somebody-else"}}, id="other-tags"),
    ],
)
def test_a_later_run_changes_nothing_that_buys_again(changes):
    """Under the same name the engine sees one resource, and none of the differences it is told to ignore."""
    first = bought(deployed(CapacityBlockPurchase, name="block"))
    second = bought(deployed(CapacityBlockPurchase, changes, name="block"))

    assert first.urn == second.urn
    differing = {key for key in first.inputs | second.inputs if first.inputs.get(key) != second.inputs.get(key)}
    assert differing & FORCE_A_REPLACEMENT <= set(second.ignore_changes)


UNCONFIRMED = [
    pytest.param({"confirmation": ""}, "not confirmed", id="no-confirmation"),
    pytest.param({"confirmation": "yes"}, "not confirmed", id="another-sentence"),
    pytest.param({"confirmation": PURCHASE["confirmation"].lower()}, "not confirmed", id="lower-case"),
    pytest.param({"offering_id": OTHER}, "not confirmed", id="confirmed-another-offering"),
    pytest.param({"max_upfront_fee_usd": "9001"}, "not confirmed", id="confirmed-another-limit"),
    pytest.param({"duration_hours": 36}, "no Capacity Block lasts 36 hours", id="no-such-duration"),
    pytest.param({"start": (NOW - timedelta(seconds=1)).isoformat()}, "the offering starts", id="start-is-past"),
    pytest.param({"start": (NOW + timedelta(weeks=9)).isoformat()}, "the offering starts", id="start-too-far-ahead"),
    pytest.param({"start": "2026-11-20T11:59:59"}, "the offering starts", id="past-without-a-time-zone"),
]


@pytest.mark.parametrize("preview", [True, False], ids=["preview", "up"])
@pytest.mark.parametrize(("changes", "expected"), UNCONFIRMED)
def test_what_is_not_confirmed_or_has_begun_registers_nothing(changes, expected, preview):
    """So an expired block that a refresh took from the state is not bought again: its start has passed."""
    deployment = run(CapacityBlockPurchase, changes, preview=preview)

    assert isinstance(deployment.error, PurchaseRefusedError)
    assert isinstance(deployment.error, pulumi.RunError), "Pulumi prints its words alone, and no traceback"
    assert expected in str(deployment.error)
    assert {resource.name for resource in deployment.resources} <= {"in-cluster"}


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"max_upfront_fee_usd": "0"}, id="nothing-may-be-paid"),
        pytest.param({"max_upfront_fee_usd": "-1"}, id="negative"),
        pytest.param({"max_upfront_fee_usd": "NaN"}, id="no-number"),
        pytest.param({"max_upfront_fee_usd": "Infinity"}, id="no-limit"),
        pytest.param({"offering_id": "latest"}, id="no-offering-id"),
        pytest.param({"start": "soon"}, id="no-time"),
    ],
)
def test_what_is_no_purchase_registers_nothing(changes):
    deployment = run(CapacityBlockPurchase, changes)

    assert isinstance(deployment.error, SettingsError)
    assert deployment.of("CapacityBlockPurchase") == []
