"""Who pays for a purchase in a program: the account of the very provider that buys, or nobody."""

import pulumi
import pulumi_aws as aws
import pytest

from eks_accelerators.capacity.aws_calls import clients
from eks_accelerators.capacity.aws_calls.clients import answered_by
from eks_accelerators.components import CapacityBlockPurchase
from eks_accelerators.components.capacity_block_purchase import PurchaseRefusedError
from eks_accelerators.settings.aws_provider import AwsProvider
from eks_accelerators.settings.problems import SettingsError
from tests.capacity.fakes import FakeAws, refusal
from tests.components.examples import EXAMPLES, OFFERING_ID
from tests.components.harness import deploy

PURCHASE = EXAMPLES[CapacityBlockPurchase]
ACCOUNT = "111122223333"
KEYS = {"access_key": "AKIAONE", "secret_key": "sesame"}
SHOP = {
    "sts.get_caller_identity": {"Account": ACCOUNT},
    "ec2.describe_capacity_reservations": {"CapacityReservations": []},
    "ec2.describe_capacity_block_offerings": {
        "CapacityBlockOfferings": [
            {"CapacityBlockOfferingId": OFFERING_ID, "UpfrontFee": "8999.99", "CurrencyCode": "USD"},
        ]
    },
}


class Made:
    """In place of boto3's clients: which provider they were made for."""

    def __init__(self, replies=SHOP):
        self.fake, self.providers = FakeAws(dict(replies)), []

    def __call__(self, *, connections, provider, region, config=None):
        self.providers.append(provider)
        return self.fake


@pytest.fixture
def made(monkeypatch):
    instead = Made()
    monkeypatch.setattr("eks_accelerators.capacity.aws_calls.identity.BotoClients", instead)
    return instead


@pytest.fixture
def guarded(monkeypatch):
    """Runs the guard of a purchase while the program runs, as an engine does before it creates the reservation.

    ``account`` is that of the provider itself.
    """
    hooks = []

    class Hook(pulumi.ResourceHook):
        def __init__(self, name, callback, opts):
            super().__init__(name, callback, opts)
            hooks.append(self)

    monkeypatch.setattr(pulumi, "ResourceHook", Hook)

    def guarded(provider=None, config=None, *, preview=False, account=ACCOUNT):
        failures = []

        async def ask():
            try:
                await hooks[-1].callback(None)
            except Exception as error:
                failures.append(error)

        def program():
            CapacityBlockPurchase("block", PURCHASE, pulumi.ResourceOptions(provider=provider and provider()))
            pulumi.export("asked", pulumi.Output.from_input(ask()))

        deployment = deploy(
            program, config=config, preview=preview, answers={"getCallerIdentity": {"accountId": account}}
        )
        if failures:
            raise failures[0]
        return deployment

    return guarded


WHO = {
    "nobody-says": ({}, None, AwsProvider()),
    "a-profile": ({"aws:profile": "prod"}, None, AwsProvider(profile="prod")),
    "keys": (
        {"aws:accessKey": "AKIAONE", "aws:secretKey": "sesame", "aws:token": "t"},
        None,
        AwsProvider(token="t", **KEYS),
    ),
    "roles": (
        {"aws:assumeRoles": '[{"roleArn": "arn:aws:iam::111122223333:role/deployer"}]'},
        None,
        AwsProvider(assume_roles=({"role_arn": "arn:aws:iam::111122223333:role/deployer"},)),
    ),
    "an-explicit-provider": (
        {"aws:profile": "another"},
        lambda: aws.Provider(
            "own",
            profile="prod",
            endpoints=[aws.ProviderEndpointArgs(ec2="http://127.0.0.1:1")],
            sts_region="eu-west-1",
        ),
        AwsProvider(profile="prod", endpoints=({"ec2": "http://127.0.0.1:1"},), sts_region="eu-west-1"),
    ),
    "an-explicit-provider-with-keys": (
        {},
        lambda: aws.Provider("own", token="t", **KEYS),
        AwsProvider(token="t", **KEYS),
    ),
}


@pytest.mark.parametrize(("config", "provider", "expected"), WHO.values(), ids=WHO)
def test_it_is_asked_as_the_provider_buys(made, guarded, config, provider, expected):
    guarded(provider, config)

    assert made.providers == [expected]
    assert {region for region, _, _ in made.fake.made} == {PURCHASE["region"]}


def test_the_account_is_told_before_anything_is_asked_of_ec2(made, guarded, monkeypatch):
    told = []
    monkeypatch.setattr(pulumi.log, "info", lambda line, _resource: told.append((line, made.fake.names())))

    guarded()

    line = f"{OFFERING_ID} is to be bought in {PURCHASE['region']} of the account {ACCOUNT}"
    assert told == [(line, ["sts.get_caller_identity"])]


def with_a_role():
    """The SDK does not give the roles of an explicit provider back: nobody here can ask as it does."""
    return aws.Provider("own", assume_roles=[aws.ProviderAssumeRoleArgs(role_arn="arn:aws:iam::999999999999:role/a")])


def made_elsewhere():
    """As a program in another language hands a provider over: a reference."""
    return pulumi.resource.DependencyProviderResource("urn:pulumi:test::p::pulumi:providers:aws::own::id")


@pytest.mark.parametrize(
    ("config", "provider", "account", "why"),
    [
        pytest.param({"aws:allowedAccountIds": '["999999999999"]'}, None, ACCOUNT, "allows 999999999999", id="allowed"),
        pytest.param({"aws:forbiddenAccountIds": f'["{ACCOUNT}"]'}, None, ACCOUNT, "forbids it", id="forbidden"),
        pytest.param({}, with_a_role, "999999999999", "the provider would buy in the account 999999999999", id="role"),
        pytest.param({}, made_elsewhere, "999999999999", "are asked about in 111122223333", id="a-reference"),
    ],
)
def test_where_another_account_would_pay_nothing_is_asked_of_ec2(made, guarded, config, provider, account, why):
    with pytest.raises(PurchaseRefusedError) as refused:
        guarded(provider, config, account=account)

    assert why in str(refused.value)
    assert set(made.fake.names()) == {"sts.get_caller_identity"}


@pytest.mark.parametrize("provider", [with_a_role, made_elsewhere])
def test_a_provider_that_is_not_known_here_and_asks_in_the_same_account(made, guarded, provider):
    guarded(provider)

    assert made.fake.names()[-1] == "ec2.describe_capacity_block_offerings"


@pytest.mark.parametrize(
    "config",
    [
        pytest.param({"aws:assumeRole": '{"roleArn": "arn:aws:iam::1:role/a"}'}, id="assumeRole"),
        pytest.param({"aws:accessKey": "sesame"}, id="half-a-key"),
    ],
)
def test_what_cannot_be_honoured_buys_nothing(made, guarded, config):
    with pytest.raises(SettingsError) as refused:
        guarded(config=config)

    assert "sesame" not in str(refused.value)
    assert made.providers == []


def test_without_credentials_nobody_pays(made, guarded):
    made.fake.replies["sts.get_caller_identity"] = refusal("ExpiredToken")

    with pytest.raises(PurchaseRefusedError, match="which account would pay: sts:GetCallerIdentity: ExpiredToken"):
        guarded()


def test_an_account_that_a_preview_cannot_know_is_told_and_asked_at_the_deployment(made, guarded):
    deployment = guarded(preview=True)

    assert made.providers == []
    assert any("not known before the deployment" in line for line in deployment.log)


def test_a_simulated_account_answers_whatever_the_stack_says(made, guarded):
    config = {"aws:profile": "prod", "aws:allowedAccountIds": '["999999999999"]', "aws:noProxy": "localhost"}

    with answered_by(made.fake):
        guarded(config=config)

    assert made.providers == []
    assert "ec2.describe_capacity_block_offerings" in made.fake.names()
    assert clients.stand_in() is None
