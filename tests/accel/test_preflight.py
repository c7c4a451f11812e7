"""`accel preflight` and `accel policy` as people and programs call them."""

import json
import shutil

import jsonschema
import pytest
from typer.testing import CliRunner

from eks_accelerators.accel import policy
from eks_accelerators.accel.cli import app
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.preflight.command import ask, status_of
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.stacks import locate
from eks_accelerators.accelerators import clock, iam_actions
from eks_accelerators.capacity.aws_calls import Aws
from tests.accel.plans import write_stack
from tests.capacity.fakes import FakeAws, refusal
from tests.capacity.preflight.world import GOOD, quota
from tests.conftest import NOW
from tests.docs.pages import ROOT, blocks, is_shown_of

TOO_LITTLE = {
    **GOOD,
    "service-quotas.get_service_quota": quota(16),
    "iam.simulate_principal_policy": refusal("AccessDenied", status=403),
    "ec2.describe_instance_type_offerings": lambda asked: {
        "InstanceTypeOfferings": [
            {"InstanceType": kind, "Location": zone}
            for kind in asked["Filters"][0]["Values"]
            for zone in (["use2-az1"] if kind.startswith("g6") else ["use2-az1", "use2-az2"])
        ]
    },
}


def asked(stack, replies, capsys, *, form=Format.TEXT, strict=False):
    """Exit status, standard output and standard error."""
    with clock.set_to(NOW), Aws(FakeAws(dict(replies))) as aws:
        report = ask(plan(locate(stack)), aws, "111122223333")
    emit(report, form)
    return status_of(report, strict=strict), *capsys.readouterr()


def test_all_is_well(capsys):
    status, out, _ = asked("dev", GOOD, capsys)

    assert status == 0
    assert out.rstrip().endswith(
        "dev in us-east-2 of 111122223333: AWS would let it through: 0 problems, 0 unknown, 1 warnings, 26 ok (37 calls)"
    )


def test_what_is_wrong_comes_first_with_its_fix_and_its_call(capsys, snapshot):
    status, out, _ = asked("dev", TOO_LITTLE, capsys)

    assert status == 2
    assert out == snapshot


def test_the_documentation_shows_it(capsys):
    _, out, _ = asked("dev", TOO_LITTLE, capsys)

    (shown,) = blocks(ROOT / "docs" / "preflight.md", "text")
    assert is_shown_of(shown, out)


@pytest.mark.parametrize(("strict", "expected"), [(False, 0), (True, 3)])
def test_what_is_unknown_counts_when_strict(capsys, strict, expected):
    replies = {**GOOD, "iam.simulate_principal_policy": refusal("AccessDenied", status=403)}

    status, out, _ = asked("dev", replies, capsys, strict=strict)

    assert (status, "nothing is known to stop it" in out) == (expected, True)


def test_nothing_could_be_asked(capsys):
    """One line for one reason, whatever it keeps from being known."""
    status, out, _ = asked("prod", dict.fromkeys(GOOD, refusal("ExpiredToken")), capsys)

    assert status == 0
    assert "prod in us-east-2 of 111122223333: nothing could be asked: 0 problems" in out
    assert out.count("ec2:DescribeAvailabilityZones: ExpiredToken: sign in again") == 1


def test_the_json_counts_what_it_lists(capsys):
    status, out, err = asked("prod", TOO_LITTLE, capsys, form=Format.JSON)
    data = json.loads(out)

    assert (status, err) == (2, "")
    assert data["ok"] is False
    assert sum(data["counts"].values()) == len(data["checks"])
    jsonschema.validate(data, schema_of("preflight"))


def test_settings_that_are_wrong_are_not_asked_about(tmp_path):
    wrong = tmp_path / "Pulumi.wrong.yaml"
    wrong.write_text("config:\n  aws:region: us-east-2\n")

    ran = CliRunner().invoke(app, ["preflight", str(wrong)])

    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "missing-key" in ran.stderr


RANGE = {"cluster.endpoint.publicAccessCidrs": ["198.18.7.0/24"]}


@pytest.mark.parametrize(
    ("options", "status", "expected"),
    [
        ([], 0, "unknown cluster.endpoint.publicAccessCidrs: the API answers to 198.18.7.0/24 only"),
        (["--my-address", "198.18.8.1"], 2, "problem cluster.endpoint.publicAccessCidrs: you come from 198.18.8.1"),
        (["--my-address", "198.18.7.1"], 0, "ok      cluster.endpoint.publicAccessCidrs: you come from 198.18.7.1"),
    ],
)
def test_one_s_own_address_is_compared(tmp_path, options, status, expected):
    """Also for a simulated account, whose clusters nobody tries to reach."""
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, tmp_path)
    command = ["--simulation", str(tmp_path / "simulation"), "preflight", str(write_stack(tmp_path, RANGE)), *options]
    ran = CliRunner().invoke(app, command)

    assert (ran.exit_code, expected in ran.stdout) == (status, True), ran.output


@pytest.mark.parametrize(
    ("address", "words"),
    [("here", "'here' is no IP address"), ("192.168.1.7", "192.168.1.7 is an address inside your network")],
)
def test_an_address_that_the_internet_never_sees(address, words):
    ran = CliRunner().invoke(app, ["preflight", "dev", "--my-address", address])

    assert (ran.exit_code, words in ran.stderr) == (2, True), ran.stderr


@pytest.mark.parametrize(
    ("stack", "policies"), [("dev", 1), ("staging", 1), ("prod", 2)], ids=["dev", "staging", "prod"]
)
def test_every_type_of_a_shipped_stack_has_its_actions(stack, policies, snapshot):
    planned = plan(locate(stack))

    document = policy.policy(planned, "111122223333")

    assert document == snapshot
    assert len(iam_actions.managed_policies(document)) == policies


def test_a_type_that_nobody_wrote_down_is_an_error():
    with pytest.raises(iam_actions.UnknownResourceTypeError, match="aws:s3/bucket:Bucket"):
        iam_actions.deployment_policy([iam_actions.Registered("aws:s3/bucket:Bucket")], name="a", region="us-east-2")


@pytest.mark.parametrize("arguments", [["deploy"], ["destroy", "dev"], []])
def test_a_policy_for_nothing(arguments):
    assert CliRunner().invoke(app, ["policy", *arguments]).exit_code == 2


def test_the_policies_are_printed():
    reads = json.loads(CliRunner().invoke(app, ["policy", "preflight"]).output)
    deploys = json.loads(CliRunner().invoke(app, ["policy", "deploy", "dev", "--account", "111122223333"]).output)

    assert reads == iam_actions.preflight_policy()
    assert deploys["Statement"][1]["Resource"] == "arn:aws:iam::111122223333:role/eks-accelerators-dev-*"
