"""As whom and where boto3 asks with a stack's provider configuration. botocore signs; an STS on this machine sees who did."""

import os

import pytest
from botocore.exceptions import ProfileNotFound

from eks_accelerators.capacity.aws_calls import Aws, Reason
from eks_accelerators.capacity.aws_calls.clients import BotoClients
from eks_accelerators.capacity.aws_calls.identity import WrongAccountError, account_call, account_of
from eks_accelerators.settings.aws_provider import AwsProvider, aws_provider
from tests.capacity.local_sts import BASE_ACCOUNT, local_sts

REGION = "us-east-2"
FIRST, SECOND = "arn:aws:iam::222222222222:role/first", "arn:aws:iam::333333333333:role/second"


@pytest.fixture
def sts():
    with local_sts() as running:
        yield running


@pytest.fixture(autouse=True)
def nobody(monkeypatch, tmp_path):
    """An environment without credentials: two profiles, which have to be named."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    files = {
        "config": f"[profile prod]\nregion = {REGION}\n[profile dev]\n",
        "credentials": "[prod]\naws_access_key_id = key-of-prod\naws_secret_access_key = s\n"
        "[dev]\naws_access_key_id = key-of-dev\naws_secret_access_key = s\n",
        "other": "[profile prod]\naws_access_key_id = key-of-other\naws_secret_access_key = s\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


def asked(sts, **values):
    """The account that answers, with the provider's configuration as a stack file has it."""
    provider = aws_provider({"endpoints": [{"sts": sts.url}], **values})
    with Aws(BotoClients(connections=1, provider=provider, region=REGION)) as aws:
        return account_of(aws, provider, REGION)


KEYS = {"accessKey": "key-of-static", "secretKey": "s", "token": "t"}
WHO = {
    "a-profile": ({"profile": "prod"}, "key-of-prod"),
    "another-profile": ({"profile": "dev"}, "key-of-dev"),
    "keys": (KEYS, "key-of-static"),
    "keys-before-a-profile": ({**KEYS, "profile": "prod"}, "key-of-static"),
}


@pytest.mark.parametrize("environment", [{}, {"AWS_ACCESS_KEY_ID": "key-of-shell", "AWS_SECRET_ACCESS_KEY": "s"}])
@pytest.mark.parametrize(("values", "key"), WHO.values(), ids=WHO)
def test_what_the_stack_names_goes_before_the_environment(sts, monkeypatch, values, key, environment):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert asked(sts, **values) == BASE_ACCOUNT

    assert [signed for signed, _ in sts.asked] == [key]


def test_without_a_word_it_is_the_environment(sts, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "dev")

    asked(sts)

    assert sts.asked[0][0] == "key-of-dev"


def test_files_of_its_own(sts, tmp_path):
    asked(
        sts, profile="prod", sharedConfigFiles=[str(tmp_path / "other")], sharedCredentialsFiles=[str(tmp_path / "no")]
    )

    assert sts.asked[0][0] == "key-of-other"


def test_roles_are_assumed_one_after_the_other(sts):
    roles = [
        {"roleArn": FIRST, "externalId": "1234", "sessionName": "me", "duration": "15m"},
        {
            "roleArn": SECOND,
            "policy": "{}",
            "policyArns": ["arn:aws:iam::aws:policy/ReadOnlyAccess"],
            "tags": {"team": "ml"},
            "transitiveTagKeys": ["team"],
            "sourceIdentity": "me",
        },
    ]

    assert asked(sts, profile="prod", assumeRoles=roles) == "333333333333"

    (one, first), (two, second), (three, last) = sts.asked
    assert (one, two, three) == ("key-of-prod", "key-of-222222222222-first", "key-of-333333333333-second")
    assert {
        name: first[name] for name in ("Action", "RoleArn", "ExternalId", "RoleSessionName", "DurationSeconds")
    } == {
        "Action": "AssumeRole",
        "RoleArn": FIRST,
        "ExternalId": "1234",
        "RoleSessionName": "me",
        "DurationSeconds": "900",
    }
    given = {name: value for name, value in second.items() if name not in ("Version", "RoleSessionName")}
    assert given == {
        "Action": "AssumeRole",
        "RoleArn": SECOND,
        "Policy": "{}",
        "PolicyArns.member.1.arn": "arn:aws:iam::aws:policy/ReadOnlyAccess",
        "Tags.member.1.Key": "team",
        "Tags.member.1.Value": "ml",
        "TransitiveTagKeys.member.1": "team",
        "SourceIdentity": "me",
    }
    assert last["Action"] == "GetCallerIdentity"


@pytest.mark.parametrize(("values", "key"), WHO.values(), ids=WHO)
def test_roles_are_assumed_from_whatever_credentials_there_are(sts, values, key):
    assert asked(sts, **values, assumeRoles=[{"roleArn": FIRST}]) == "222222222222"

    assert [signed for signed, _ in sts.asked] == [key, "key-of-222222222222-first"]


@pytest.mark.parametrize("in_a_file", [True, False])
def test_a_role_by_web_identity_comes_before_the_chain(sts, tmp_path, in_a_file):
    (tmp_path / "token").write_text("of-a-pipeline")
    token = {"webIdentityTokenFile": str(tmp_path / "token")} if in_a_file else {"webIdentityToken": "of-a-pipeline"}
    web = {"roleArn": FIRST, "sessionName": "pipeline", **token}

    assert asked(sts, assumeRoleWithWebIdentity=web, assumeRoles=[{"roleArn": SECOND}]) == "333333333333"

    (one, first), (two, _), _ = sts.asked
    assert (one, two) == (None, "key-of-222222222222-first")
    assert (first["Action"], first["WebIdentityToken"]) == ("AssumeRoleWithWebIdentity", "of-a-pipeline")


def test_an_account_that_the_stack_is_not_meant_for(sts):
    with pytest.raises(
        WrongAccountError, match=f"the account is {BASE_ACCOUNT}; aws:allowedAccountIds allows 222222222222"
    ):
        asked(sts, profile="prod", allowedAccountIds=["222222222222"])

    assert (
        asked(sts, profile="prod", assumeRoles=[{"roleArn": FIRST}], allowedAccountIds=["222222222222"])
        == "222222222222"
    )


def test_a_profile_that_is_not_there():
    with pytest.raises(ProfileNotFound):
        BotoClients(connections=1, provider=AwsProvider(profile="nobody"), region=REGION)


@pytest.mark.parametrize(
    ("values", "refusal", "line"),
    [
        pytest.param({}, None, "sts:GetCallerIdentity: no AWS credentials: sign in", id="nobody"),
        pytest.param(
            {"assumeRoles": [{"roleArn": FIRST}]}, None, "no AWS credentials: sign in", id="nobody-to-assume-a-role"
        ),
        pytest.param({"profile": "prod"}, (403, "ExpiredToken"), "ExpiredToken: sign in again", id="expired"),
        pytest.param(
            {"profile": "prod", "assumeRoles": [{"roleArn": FIRST}]},
            (403, "AccessDenied"),
            "sts:AssumeRole: AccessDenied: no",
            id="a-role-that-may-not-be-assumed",
        ),
        pytest.param(
            {"assumeRoleWithWebIdentity": {"roleArn": FIRST, "webIdentityTokenFile": "/nowhere/token"}},
            None,
            "no AWS credentials",
            id="no-token",
        ),
    ],
)
def test_who_cannot_ask_is_told_in_a_line(sts, values, refusal, line):
    sts.refusal = refusal
    provider = aws_provider({"endpoints": [{"sts": sts.url}], **values})

    with Aws(BotoClients(connections=1, provider=provider, region=REGION)) as aws:
        failure = aws.ask(account_call(REGION)).failure

    assert failure.reason in (Reason.NO_CREDENTIALS, Reason.EXPIRED)
    assert line in failure.line
    assert "\n" not in failure.line


def client(service="ec2", **values):
    provider = aws_provider({"accessKey": "k", "secretKey": "s", **values})
    return BotoClients(connections=1, provider=provider, region=REGION).get(service, REGION)


@pytest.mark.parametrize(
    ("values", "service", "url"),
    [
        pytest.param({}, "ec2", "https://ec2.us-east-2.amazonaws.com", id="aws-itself"),
        pytest.param({"endpoints": [{"ec2": "http://here"}]}, "ec2", "http://here", id="an-endpoint"),
        pytest.param(
            {"endpoints": [{"ec2": "http://here"}]}, "sts", "https://sts.us-east-2.amazonaws.com", id="of-another"
        ),
        pytest.param(
            {"endpoints": [{"servicequotas": "http://here"}]}, "service-quotas", "http://here", id="named-otherwise"
        ),
        pytest.param({"stsRegion": "eu-west-1"}, "sts", "https://sts.eu-west-1.amazonaws.com", id="the-region-of-sts"),
        pytest.param({"stsRegion": "eu-west-1"}, "ec2", "https://ec2.us-east-2.amazonaws.com", id="of-sts-alone"),
        pytest.param({"useFipsEndpoint": True}, "ec2", "https://ec2-fips.us-east-2.amazonaws.com", id="fips"),
        pytest.param({"useDualstackEndpoint": True}, "ec2", "https://ec2.us-east-2.api.aws", id="dual-stack"),
    ],
)
def test_where_it_is_asked(values, service, url):
    assert client(service, **values).meta.endpoint_url == url


def test_the_way_there(tmp_path):
    (tmp_path / "ca.pem").write_text("")
    made = client(httpProxy="http://one:1", httpsProxy="http://two:2", customCaBundle=str(tmp_path / "ca.pem"))

    assert made.meta.config.proxies == {"http": "http://one:1", "https": "http://two:2"}
    assert made._endpoint.http_session._verify == str(tmp_path / "ca.pem")
    assert client(insecure=True)._endpoint.http_session._verify is False
    assert client()._endpoint.http_session._verify is not False


def test_the_metadata_of_an_instance(monkeypatch):
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    asked = []
    monkeypatch.setattr(
        "botocore.credentials.InstanceMetadataProvider.load",
        lambda self: asked.append((self._role_fetcher._base_url, self.METHOD)),
    )
    own = {"ec2MetadataServiceEndpoint": "http://127.0.0.1:9/"}

    for values in (own, {**own, "skipMetadataApiCheck": True}, {"ec2MetadataServiceEndpointMode": "IPv6"}):
        made = BotoClients(connections=1, provider=aws_provider(values), region=REGION)
        made._session.get_credentials()

    assert asked == [("http://127.0.0.1:9/", "iam-role"), ("http://[fd00:ec2::254]/", "iam-role")]
