"""Who is asked, before anything else is: nobody, the wrong account, or the one that the stack is deployed to."""

import os
import shutil

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.settings.problems import SettingsError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from tests.accel.plans import ROOT
from tests.capacity.local_sts import BASE_ACCOUNT, local_sts


@pytest.fixture
def sts():
    with local_sts() as running:
        yield running


@pytest.fixture(autouse=True)
def nobody(monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def stack(tmp_path, sts):
    """The shipped stack dev, with more said of its provider."""

    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copy(ROOT / name, tmp_path)

    def stack(more=""):
        text = (ROOT / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        endpoints = f"  aws:endpoints: [{{sts: '{sts.url}', ec2: 'http://127.0.0.1:1'}}]\n"
        file = tmp_path / "Pulumi.mine.yaml"
        file.write_text(text.replace("config:\n", f"config:\n{endpoints}{more}", 1), encoding="utf-8")
        return str(file)

    return stack


def accel(*words):
    return CliRunner().invoke(app, list(words))


SEARCH = ["blocks", "search", "--type", "p5.48xlarge", "--count", "1", "--days", "1", "--stack"]
COMMANDS = {
    "preflight": ["preflight"],
    "search": SEARCH,
    "list": ["blocks", "list", "--stack"],
    "show": ["blocks", "show", "cr-0123456789abcdef0", "--stack"],
    "status": ["blocks", "status", "--stack"],
    "calendar": ["blocks", "calendar", "--stack"],
    "watch": ["blocks", "watch", "cr-0123456789abcdef0", "--stack"],
    "extend": ["blocks", "extend", "cr-0123456789abcdef0", "--days", "1", "--stack"],
    "clear": ["blocks", "clear", "cb-0123456789abcdef0", "--stack"],
    "buy": [
        *["blocks", "buy", "cb-0123456789abcdef0", "--type", "p5.48xlarge", "--count", "1", "--days", "1"],
        *["--max-price", "1", "--stack"],
    ],
}
KEYS = "  aws:accessKey: AKIA\n  aws:secretKey: sesame\n"
CANNOT = {
    "no-credentials": ("", None, "sts:GetCallerIdentity: no AWS credentials: sign in, or set AWS_PROFILE"),
    "expired": (KEYS, (403, "ExpiredToken"), "sts:GetCallerIdentity: ExpiredToken: sign in again"),
    "unknown-keys": (KEYS, (403, "InvalidClientTokenId"), "InvalidClientTokenId: check the AWS credentials"),
    "no-such-profile": ("  aws:profile: nobody\n", None, "The config profile (nobody) could not be found: name one"),
    "a-role-that-is-not-given": (
        f"{KEYS}  aws:assumeRoles: [{{roleArn: 'arn:aws:iam::111122223333:role/a'}}]\n",
        (403, "AccessDenied"),
        "sts:AssumeRole: AccessDenied: no",
    ),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_without_credentials_every_command_says_so_once(stack, sts, words):
    result = accel(*words, stack())

    assert (result.exit_code, result.stdout, sts.asked) == (3, "", [])
    assert result.stderr == "sts:GetCallerIdentity: no AWS credentials: sign in, or set AWS_PROFILE\n"


@pytest.mark.parametrize("words", [COMMANDS["preflight"], COMMANDS["buy"]], ids=["preflight", "buy"])
@pytest.mark.parametrize(("more", "refusal", "line"), CANNOT.values(), ids=CANNOT)
def test_who_cannot_ask_gets_one_line_and_nothing_is_asked(stack, sts, words, more, refusal, line):
    sts.refusal = refusal

    result = accel(*words, stack(more))

    assert (result.exit_code, result.stdout) == (3, "")
    assert line in result.stderr
    assert result.stderr.count("\n") == 1
    assert {asked["Action"] for _, asked in sts.asked} <= {"GetCallerIdentity", "AssumeRole"}


def test_an_sts_that_is_out_of_reach_is_one_line(stack, sts, monkeypatch):
    monkeypatch.setattr("eks_accelerators.capacity.aws_calls.clients.ATTEMPTS", 1)
    sts.url = "http://127.0.0.1:1"

    result = accel("preflight", stack(KEYS))

    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "sts:GetCallerIdentity: AWS cannot be reached: no network, a proxy, or DNS\n"


@pytest.mark.parametrize("words", [COMMANDS["preflight"], COMMANDS["buy"]], ids=["preflight", "buy"])
def test_another_account_than_the_stack_allows_is_not_asked(stack, sts, words):
    result = accel(*words, stack(f'{KEYS}  aws:allowedAccountIds: ["111122223333"]\n'))

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"the account is {BASE_ACCOUNT}; aws:allowedAccountIds allows 111122223333: use ")


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_what_cannot_be_honoured_is_refused_before_anything_is_asked(stack, sts, words):
    result = accel(*words, stack("  aws:accessKey: AKIA\n  aws:secretKey: {secure: sesame}\n"))

    assert isinstance(result.exception, SettingsError)  # `accel` makes it exit status 2
    assert "aws:secretKey: encrypted, so that only Pulumi can read it" in str(result.exception)
    assert "sesame" not in str(result.exception)
    assert sts.asked == []


def test_the_preflight_asks_in_the_account_of_the_role_and_names_it(stack, sts, monkeypatch):
    monkeypatch.setattr("eks_accelerators.capacity.aws_calls.clients.ATTEMPTS", 1)
    monkeypatch.setattr("eks_accelerators.accel.preflight.command.run", lambda _inquiry: [])
    roles = "  aws:assumeRoles: [{roleArn: 'arn:aws:iam::222222222222:role/deployer'}]\n"

    result = accel("preflight", stack(KEYS + roles))

    assert result.stdout.startswith("\nmine in us-east-2 of 222222222222: ")
    assert [signed for signed, _ in sts.asked] == ["AKIA", "key-of-222222222222-deployer"]
    assert "sesame" not in result.output


def test_a_simulated_account_is_asked_whatever_the_stack_says(stack, sts, tmp_path):
    file = stack('  aws:profile: nobody\n  aws:noProxy: localhost\n  aws:allowedAccountIds: ["999999999999"]\n')

    result = accel("--simulation", str(tmp_path / "simulation"), "preflight", file)

    assert f"mine in us-east-2 of {ACCOUNT_ID}: " in result.stdout
    assert sts.asked == []
