"""A stack file as the simulation takes it: what is assumed is said, and secrets stay out of the configuration."""

import copy

import pytest
import yaml

from eks_accelerators.settings import load_stack_file
from eks_accelerators.simulator.aws.world import World
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.stack import simulated_stack
from tests.conftest import NOW
from tests.simulator import worlds

BLOCK, TOKEN = "cr-0123456789abcdef0", "eks-accelerators:huggingFaceToken"
QUOTAS, CAPACITY = "quotas are large enough", "EC2 has capacity in every zone"
LARGE = f"{QUOTAS}, and {CAPACITY}"
SHORT = {"instanceType": "g6.2xlarge", "zone": "us-east-2a"}
MADE_UP = f"{TOKEN} is a made-up secret"
IS = f"{BLOCK} is 4 x p5.48xlarge in us-east-2a, "


def settings_of(config):
    return config["eks-accelerators:nodeGroups"], config["eks-accelerators:capacityBlocks"]


def buying(config):
    """The block is bought, in place of being named."""
    _, blocks = settings_of(config)
    for name in list(blocks):
        blocks[name] = {
            "purchase": {
                "offeringId": "cb-0123456789abcdef0",
                "instanceType": "p5.48xlarge",
                "instanceCount": 4,
                "durationHours": 24,
                "start": "2026-12-01T11:30:00Z",
                "maxUpfrontFeeUsd": "9000",
                "confirmation": "Buy cb-0123456789abcdef0 for at most 9000 USD; I know it cannot be cancelled or refunded.",
            }
        }


def without_blocks(config):
    groups, _ = settings_of(config)
    for name in [name for name, group in groups.items() if "capacityBlock" in group]:
        del groups[name]
    del config["eks-accelerators:capacityBlocks"]


ACTIVE = {
    "id": BLOCK,
    "instanceType": "p5.48xlarge",
    "instanceCount": 4,
    "zone": "us-east-2a",
    "start": "2026-11-20T11:30:00Z",
    "end": "2026-12-20T11:30:00Z",
}


@pytest.mark.parametrize(
    ("stack", "change", "account", "said"),
    [
        pytest.param("dev", None, None, (MADE_UP, LARGE), id="dev"),
        pytest.param("dev", None, {"quotas": {"L-DB2E81BA": 8}}, (MADE_UP, CAPACITY), id="quotas-are-known"),
        pytest.param("dev", None, {"insufficientCapacity": [SHORT]}, (MADE_UP, QUOTAS), id="a-shortage-is-known"),
        pytest.param(
            "dev", None, {"quotas": {}, "insufficientCapacity": []}, (MADE_UP,), id="quotas-and-capacity-are-known"
        ),
        pytest.param("prod", without_blocks, None, (MADE_UP, LARGE), id="no-block"),
        pytest.param(
            "prod", None, {"capacityReservations": [ACTIVE]}, (MADE_UP, LARGE), id="the-account-file-knows-the-block"
        ),
        pytest.param(
            "prod",
            buying,
            None,
            (MADE_UP, "cb-0123456789abcdef0 is on sale for 9000 USD", LARGE),
            id="a-block-to-be-bought",
        ),
        pytest.param("prod", buying, {"capacityBlockOfferings": []}, (MADE_UP, LARGE), id="nothing-is-on-sale"),
    ],
)
def test_what_is_assumed(tmp_path, stack, change, account, said):
    assert worlds.load(tmp_path, stack, change, account).assumptions == said


def block_assumed(tmp_path, change):
    found = worlds.load(tmp_path, "prod", change)
    (said,) = [each for each in found.assumptions if each.startswith(BLOCK)]
    (block,) = World.model_validate(found.world).capacity_reservations
    return said, block


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        pytest.param(
            {"start": None, "end": None},
            f"{IS}2026-11-24T11:30:00+00:00 to 2026-11-25T11:30:00+00:00",
            id="a-day-from-tomorrow",
        ),
        pytest.param(
            {"start": "2026-12-01T11:30:00Z", "end": None},
            f"{IS}2026-12-01T11:30:00+00:00 to 2026-12-02T11:30:00+00:00",
            id="a-day-from-its-start",
        ),
        pytest.param(
            {"start": None, "end": "2026-12-05T11:30:00Z"},
            f"{IS}2026-12-04T11:30:00+00:00 to 2026-12-05T11:30:00+00:00",
            id="a-day-to-its-end",
        ),
        pytest.param(
            {"start": "2026-12-01T11:30:00Z", "end": "2026-12-08T11:30:00Z", "instanceCount": 8, "zone": "us-east-2b"},
            f"{BLOCK} is 8 x p5.48xlarge in us-east-2b, 2026-12-01T11:30:00+00:00 to 2026-12-08T11:30:00+00:00",
            id="as-expected",
        ),
    ],
)
def test_a_block_that_only_its_id_is_known_of(tmp_path, expect, said):
    def change(config):
        _, blocks = settings_of(config)
        for block in blocks.values():
            block["expect"] = {key: value for key, value in expect.items() if value is not None}

    found, block = block_assumed(tmp_path, change)

    assert found == said
    assert f"{block.instance_count} x {block.instance_type} in {block.zone}, {block.start.isoformat()}" in said


def test_a_block_of_days_that_are_not_simulated(tmp_path):
    def change(config):
        _, blocks = settings_of(config)
        for block in blocks.values():
            block["expect"] = {"start": "2200-12-01T11:30:00Z"}

    with pytest.raises(SimulationError, match=r"2200-12-01T11:30:00\+00:00 is outside of what is simulated"):
        worlds.load(tmp_path, "prod", change)


@pytest.mark.parametrize("stack", ["dev", "staging", "prod"])
def test_no_secret_is_in_the_configuration(tmp_path, stack):
    program = worlds.load(tmp_path, stack).program
    encrypted = yaml.safe_load((worlds.PROJECT / "stacks" / f"Pulumi.{stack}.yaml").read_text())["config"]
    secret = {key for key, value in encrypted.items() if isinstance(value, dict) and set(value) == {"secure"}}

    assert secret <= set(program.secrets)
    assert not set(program.secrets) & set(program.config)
    assert "secure" not in str(program.config)
    assert all(value.startswith("simulated-") and len(value) > 30 for value in program.secrets.values())


def test_made_up_secrets_differ_from_run_to_run(tmp_path_factory):
    first, second = (worlds.load(tmp_path_factory.mktemp("stack"), "dev").program.secrets for _ in range(2))

    assert set(first) == set(second) == {TOKEN}
    assert first != second


def test_a_secret_that_nobody_has_set_is_made_up_too(tmp_path):
    def change(config):
        config.pop(TOKEN, None)

    found = worlds.load(tmp_path, "dev", change)

    assert (found.assumptions[0], set(found.program.secrets)) == (MADE_UP, {TOKEN})


def test_what_the_account_file_says_is_not_changed(tmp_path):
    account = {"capacityReservations": [{**ACTIVE, "id": "cr-0fedcba9876543210"}]}
    before = copy.deepcopy(account)

    found = worlds.load(tmp_path, "prod", None, account)

    assert account == before
    assert [block["id"] for block in found.world["capacityReservations"]] == ["cr-0fedcba9876543210", BLOCK]


def test_a_network_that_is_there_already_is_not_simulated(tmp_path):
    def change(config):
        config["eks-accelerators:network"] = {
            "existing": {
                "vpcId": "vpc-0123456789abcdef0",
                "privateSubnets": [
                    {"id": f"subnet-0123456789abcdef{index}", "zone": f"us-east-2{zone}"}
                    for index, zone in enumerate("ab")
                ],
            }
        }

    with pytest.raises(SimulationError, match=r"network\.existing is not simulated"):
        worlds.load(tmp_path, "dev", change)


@pytest.mark.parametrize("name", ["--json", "a b", "a/b", "", "x" * 101])
def test_a_name_that_pulumi_would_not_take_for_one(tmp_path, name):
    file = tmp_path / "Pulumi.odd.yaml"
    file.write_bytes((worlds.PROJECT / "stacks" / "Pulumi.dev.yaml").read_bytes())
    settings = load_stack_file(file).require().settings

    with pytest.raises(SimulationError, match="no name that Pulumi takes for a stack"):
        simulated_stack(name, file, worlds.PROJECT / "__main__.py", settings, NOW)
