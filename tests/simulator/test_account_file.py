"""Account files: what can be written, and all that is said of what cannot; the snapshots are to be read as a user reads them."""

import pytest

from eks_accelerators.accelerators import instance_types, quotas
from eks_accelerators.simulator.account_file import read_account
from eks_accelerators.simulator.written_file import WrittenFileError
from tests.simulator.worlds import PROJECT

BLOCK = "id: cr-0123456789abcdef0, instanceType: p5.48xlarge, instanceCount: 4, zone: us-east-2a"
DAYS = "start: 2026-12-02T11:30:00Z, end: 2026-12-04T11:30:00Z"
OFFER = "id: cb-0123456789abcdef0, instanceType: p5.48xlarge, instanceCount: 4, zone: us-east-2a, start: 2026-12-09T11:30:00Z"

WRONG = {
    "empty": "",
    "a list": "- {instanceType: g6.xlarge}\n",
    "no YAML": "quotas: [1\n",
    "no UTF-8": b"now: \xff",
    "misspelt keys": "quota: {}\ncapacityReservation: []\ninsufficientCapacity: [{instancetype: g6.xlarge}]\n",
    "no time": "now: tomorrow\n",
    "a time without a time zone": 'now: "2026-12-01T08:00:00"\n',
    "moments that are not simulated": f"now: 1999-01-01T00:00:00Z\ncapacityReservations: [{{{BLOCK}, start: 2099-12-31T00:00:00Z, end: 9999-12-31T23:59:59Z}}]\n",
    "other types": f"now: 5\nquotas: {{L-DB2E81BA: many, L-417A185B: -1}}\ninsufficientCapacity: [g6.xlarge]\ncapacityReservations: [{{{BLOCK}, {DAYS}, state: paymentPending}}]\n",
    "out of bounds": f"capacityReservations: [{{{BLOCK.replace(': 4', ': 65')}, {DAYS}}}]\ncapacityBlockOfferings: [{{{OFFER}, durationHours: 1000000000, upfrontFeeUsd: 5000}}]\n",
    "no IDs": f"capacityReservations: [{{{BLOCK.replace('cr-', 'res-')}, {DAYS}}}]\ncapacityBlockOfferings: [{{{OFFER.replace('cb-', 'x-')}, durationHours: 24, upfrontFeeUsd: cheap}}]\n",
    "an ID twice": f"capacityReservations:\n  - {{{BLOCK}, {DAYS}}}\n  - {{{BLOCK}, {DAYS}}}\n",
    "keys that are missing": "capacityReservations: [{}]\ninsufficientCapacity: [{zone: us-east-2a}]\n",
    "a block that ends before it begins": f"capacityReservations: [{{{BLOCK}, start: 2026-12-04T11:30:00Z, end: 2026-12-04T11:30:00Z}}]\n",
    "zones of nowhere": f"insufficientCapacity: [{{instanceType: g6.xlarge, zone: us-west-2a}}, {{instanceType: g6.xlarge, zone: us-east-2}}]\ncapacityReservations: [{{{BLOCK.replace('us-east-2a', 'use2-az1')}, {DAYS}}}]\n",
    "types that there are not": f"insufficientCapacity: [{{instanceType: g6.xlrge}}, {{instanceType: m7i.lrage}}, {{instanceType: g4ad.xlarge}}]\ncapacityReservations: [{{{BLOCK.replace('p5.48xlarge', 'm7i.large')}, {DAYS}}}]\n",
    "quotas of nothing": "quotas: {L-DB2E81BB: 64, g6: 64}\n",
    "a cluster": "cluster: {name: shared, kubernetesVersion: 1.35, zones: [us-east-9a]}\n",
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_everything_wrong_is_said_at_once(tmp_path, case, snapshot):
    file, text = tmp_path / "account.yaml", WRONG[case]
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    with pytest.raises(WrittenFileError) as raised:
        read_account(file, "us-east-2")

    assert str(raised.value).replace(str(file), "account.yaml") == snapshot


def test_the_file_of_the_page(tmp_path):
    page = (PROJECT / "docs" / "simulation.md").read_text(encoding="utf-8")
    file = tmp_path / "account.yaml"
    file.write_text(page.partition("## The account")[2].partition("```yaml\n")[2].partition("```")[0])

    account = read_account(file, "us-east-2")

    assert account.quotas == {"L-DB2E81BA": 64}
    assert [block.instance_type for block in account.capacity_reservations] == ["p5.48xlarge"]
    assert [offer.upfront_fee_usd for offer in account.capacity_block_offerings] == ["5000"]


def test_a_file_may_say_nothing(tmp_path):
    file = tmp_path / "account.json"
    file.write_text("{}")

    assert read_account(file, "us-east-2").model_dump(exclude_unset=True) == {}


def test_types_without_accelerators_run_out_too(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text("insufficientCapacity: [{instanceType: m7i.large}, {instanceType: x2idn.16xlarge}]\n")

    assert len(read_account(file, "us-east-2").insufficient_capacity) == 2


def test_where_zones_are_not_known_they_are_those_of_the_region(tmp_path):
    file = tmp_path / "account.yaml"
    file.write_text("insufficientCapacity: [{instanceType: g6.xlarge, zone: us-gov-west-1a}]\n")
    assert read_account(file, "us-gov-west-1").insufficient_capacity

    with pytest.raises(WrittenFileError, match="us-gov-east-1, the region of the stack, has no such zone"):
        read_account(file, "us-gov-east-1")


def test_every_quota_of_the_table_can_be_written():
    codes = {kind.quota.on_demand_code for kind in instance_types.every()} | {
        kind.quota.spot_code for kind in instance_types.every()
    }

    assert {code for code in codes if code} <= set(quotas.codes())
