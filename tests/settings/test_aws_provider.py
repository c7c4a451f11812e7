"""The configuration of the AWS provider: what decides as whom and where AWS is asked is honoured or refused, by pulumi-aws's own keys."""

import inspect

import pulumi_aws
import pytest
from pydantic.alias_generators import to_camel

from eks_accelerators.settings.aws_provider import (
    HONOURED,
    IRRELEVANT,
    REFUSED,
    AssumedRole,
    AwsProvider,
    WebIdentityRole,
    aws_provider,
    seconds,
)
from eks_accelerators.settings.aws_provider_file import provider_of
from eks_accelerators.settings.problems import SettingsError

ROLE = "arn:aws:iam::111122223333:role/deployer"
NEVER_OF_THIS_VERSION = {"assumeRole", "sharedConfigFile", "sharedCredentialsFile"}
"""Keys of older versions of pulumi-aws."""


def keys_of(function):
    """Arguments of one of pulumi-aws's classes, as its configuration spells them."""
    names = inspect.signature(function).parameters.keys() - {"self", "__self__", "resource_name", "opts", "__props__"}
    return {to_camel(name) for name in names}


def configurable():
    """Every key of pulumi-aws's configuration, and every argument of its provider."""
    assert not pulumi_aws.config.profile  # loads the module
    variables = {to_camel(name) for name, value in vars(type(pulumi_aws.config)).items() if isinstance(value, property)}
    return variables | keys_of(pulumi_aws.Provider._internal_init)


def test_every_key_of_pulumi_aws_is_honoured_refused_or_changes_neither_who_nor_where():
    kinds = [HONOURED, IRRELEVANT, REFUSED.keys()]

    assert configurable() == set().union(*kinds) - NEVER_OF_THIS_VERSION
    assert sum(map(len, kinds)) == len(set().union(*kinds))
    assert not NEVER_OF_THIS_VERSION & configurable()


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (AssumedRole, pulumi_aws.ProviderAssumeRoleArgs),
        (WebIdentityRole, pulumi_aws.ProviderAssumeRoleWithWebIdentityArgs),
    ],
)
def test_a_role_has_the_keys_of_pulumi_aws(ours, theirs):
    assert {field.alias for field in ours.model_fields.values()} == keys_of(theirs.__init__)


@pytest.mark.parametrize("service", ["ec2", "sts", "eks", "iam", "ssm", "cloudwatch", "service-quotas"])
def test_an_endpoint_is_found_by_the_name_that_pulumi_aws_gives_the_service(service):
    (name,) = {service.replace("-", "")} & keys_of(pulumi_aws.ProviderEndpointArgs.__init__)

    assert AwsProvider(endpoints=({"s3": "http://s3"}, {name: "http://here"})).endpoint(service) == "http://here"
    assert AwsProvider(endpoints=({"s3": "http://s3"},)).endpoint(service) is None


READ = {
    "nothing": ({}, {}),
    "what-changes-neither": ({"region": "us-east-2", "defaultTags": {"tags": {"a": "b"}}, "maxRetries": 3}, {}),
    "left-empty": ({"profile": "", "assumeRoles": None}, {}),
    "a-profile": ({"profile": "prod"}, {"profile": "prod"}),
    "text-of-the-engine": (
        {"assumeRoles": f'[{{"roleArn": "{ROLE}"}}]', "insecure": "true", "useFipsEndpoint": "false"},
        {"assume_roles": (AssumedRole(role_arn=ROLE),), "insecure": True, "use_fips_endpoint": False},
    ),
    "plain-data-of-a-file": (
        {"assumeRoles": [{"roleArn": ROLE, "externalId": "1234", "tags": {"a": "b"}}], "skipMetadataApiCheck": True},
        {
            "assume_roles": (AssumedRole(role_arn=ROLE, external_id="1234", tags={"a": "b"}),),
            "skip_metadata_api_check": True,
        },
    ),
    "accounts-as-numbers": (
        {"allowedAccountIds": [111122223333, 12345]},
        {"allowed_account_ids": ("111122223333", "000000012345")},
    ),
    "accounts-as-text": ({"forbiddenAccountIds": '["111122223333"]'}, {"forbidden_account_ids": ("111122223333",)}),
}


@pytest.mark.parametrize(("values", "expected"), READ.values(), ids=READ)
def test_read(values, expected):
    assert aws_provider(values) == AwsProvider(**expected)


WRONG = {
    "the-older-key": ({"assumeRole": {"roleArn": ROLE}}, "aws:assumeRole", "a list with this role as its one item"),
    "no-proxy": ({"noProxy": "sesame"}, "aws:noProxy", "set HTTPS_PROXY and NO_PROXY in the environment"),
    "no-such-key": ({"profil": "sesame"}, "aws:profil", "did you mean `aws:profile`?"),
    "an-encrypted-key": (
        {"accessKey": "AKIA", "secretKey": {"secure": "sesame"}},
        "aws:secretKey: encrypted",
        "name a profile that has them: `aws:profile`",
    ),
    "an-encrypted-part": (
        {"assumeRoles": [{"roleArn": ROLE, "externalId": {"secure": "sesame"}}]},
        "aws:assumeRoles[0].externalId: encrypted",
        "take the credentials out",
    ),
    "half-a-key": ({"accessKey": "sesame"}, "accessKey and secretKey go together", "leave it out"),
    "a-token-alone": ({"token": "sesame"}, "accessKey and secretKey go together", "leave it out"),
    "a-key-that-is-no-text": ({"accessKey": 4711, "secretKey": "sesame"}, "aws:accessKey", "leave it out"),
    "a-role-without-its-arn": (
        {"assumeRoles": [{"externalId": "sesame"}]},
        "aws:assumeRoles[0].roleArn",
        "leave it out",
    ),
    "a-key-that-no-role-has": ({"assumeRoles": [{"roleArn": ROLE, "mfa": "sesame"}]}, "aws:assumeRoles[0].mfa", ""),
    "roles-that-are-no-list": ({"assumeRoles": "sesame"}, "aws:assumeRoles", "leave it out"),
    "no-time-at-all": ({"assumeRoles": [{"roleArn": ROLE, "duration": "0s"}]}, "write a duration such as 1h", ""),
    "no-duration": ({"assumeRoles": [{"roleArn": ROLE, "duration": "sesame"}]}, "write a duration such as 1h", ""),
    "no-policy": ({"assumeRoles": [{"roleArn": ROLE, "policy": "sesame"}]}, "write JSON", ""),
    "two-files": ({"sharedConfigFiles": ["a", "b"]}, "aws:sharedConfigFiles", "leave it out"),
    "no-account": ({"allowedAccountIds": ["sesame"]}, "aws:allowedAccountIds[0]", "leave it out"),
    "no-token": ({"assumeRoleWithWebIdentity": {"roleArn": ROLE}}, "write either webIdentityToken or", ""),
}


@pytest.mark.parametrize(("values", "what", "fix"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_honoured_is_refused_with_a_fix_and_without_its_value(values, what, fix):
    with pytest.raises(SettingsError) as refused:
        aws_provider(values)

    assert what in str(refused.value)
    assert fix in str(refused.value)
    assert "found:   [hidden]" in str(refused.value)
    assert not any(secret in str(refused.value) for secret in ("sesame", "4711"))


def test_secrets_are_not_shown():
    provider = aws_provider(
        {
            "accessKey": "sesame",
            "secretKey": "sesame",
            "token": "sesame",
            "httpsProxy": "http://me:sesame@proxy",
            "assumeRoles": [{"roleArn": ROLE, "externalId": "sesame"}],
            "assumeRoleWithWebIdentity": {"roleArn": ROLE, "webIdentityToken": "sesame"},
        }
    )

    assert "sesame" not in f"{provider!r} {provider}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("15m", 900), ("1h", 3600), ("1h30m", 5400), ("900s", 900), ("3600000ms", 3600), ("1.5h", 5400)],
)
def test_durations_as_go_writes_them(text, expected):
    assert seconds(text) == expected


def stack_of(folder, text, project="name: eks-accelerators\n"):
    folder.joinpath("Pulumi.yaml").write_text(project)
    file = folder / "Pulumi.prod.yaml"
    file.write_text(text)
    return provider_of(file, folder)


def test_a_stack_file_says_more_than_the_project(tmp_path):
    project = (
        "config:\n  aws:profile: all\n  aws:stsRegion: {value: eu-west-1}\n  eks-accelerators:owner: {value: me}\n"
    )

    found = stack_of(tmp_path, "config:\n  aws:region: us-east-2\n  aws:profile: prod\n", project)

    assert found == AwsProvider(profile="prod", sts_region="eu-west-1")


ESC = "environment: [aws/login]\nconfig:\n  aws:region: us-east-2\n"


def test_an_environment_that_is_not_read_takes_the_accounts_that_are_allowed(tmp_path):
    with pytest.raises(SettingsError, match="environments of Pulumi ESC"):
        stack_of(tmp_path, ESC)

    found = stack_of(tmp_path, f'{ESC}  aws:allowedAccountIds: ["111122223333"]\n')
    assert found.allowed_account_ids == ("111122223333",)


def test_a_project_that_cannot_be_read_is_a_problem(tmp_path):
    with pytest.raises(SettingsError, match=r"Pulumi\.yaml"):
        stack_of(tmp_path, "config:\n  aws:region: us-east-2\n", "config: [")


@pytest.mark.parametrize(
    ("provider", "refused"),
    [
        (AwsProvider(), False),
        (AwsProvider(allowed_account_ids=("111122223333",)), False),
        (AwsProvider(allowed_account_ids=("999999999999",)), True),
        (AwsProvider(forbidden_account_ids=("111122223333",)), True),
        (AwsProvider(forbidden_account_ids=("999999999999",)), False),
    ],
)
def test_accounts(provider, refused):
    assert (provider.refuses("111122223333") is not None) == refused
