"""The configuration of a stack's AWS provider, as far as it decides as whom and where AWS is asked.

Whatever of ours asks AWS for a stack asks by it. What of it cannot be honoured is an error, never passed over: otherwise one
account would be asked, or pay, and another be deployed to. Values are never shown; some are secrets.

Source: pulumi-aws 7.51.1, `pulumi_aws.config` and `ProviderArgs`; what each does: terraform-provider-aws 6, "Provider
Configuration".
"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, ValidationError, model_validator

from eks_accelerators.accelerators.go_duration import nanoseconds
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.paths import dotted
from eks_accelerators.settings.problems import Problem, SettingsError, Severity

IRRELEVANT = frozenset(
    {
        "defaultTags",
        "ignoreTags",
        "maxRetries",
        "region",
        "retryMode",
        "s3UsEast1RegionalEndpoint",
        "s3UsePathStyle",
        "skipCredentialsValidation",
        "skipRegionValidation",
        "skipRequestingAccountId",
        "tagPolicyCompliance",
        "tokenBucketRateLimiterCapacity",
        "userAgents",
    }
)
"""Keys that change neither the account nor where it is: tags, retries, S3, and checks of the provider's own. The region is a
setting, and always asked for by name.
"""
REFUSED = {
    "assumeRole": "write it as `aws:assumeRoles`, a list with this role as its one item",
    "noProxy": "set HTTPS_PROXY and NO_PROXY in the environment instead",
    "sharedConfigFile": "write it as `aws:sharedConfigFiles`, a list with one item",
    "sharedCredentialsFile": "write it as `aws:sharedCredentialsFiles`, a list with one item",
}
"""Keys that are not honoured, each with the fix. pulumi-aws 7 refuses `assumeRole` too (its `provider/config.go`)."""


def _duration(text: str) -> str:
    if (nanoseconds(text) or 0) <= 0:
        raise ValueError("write a duration such as 1h or 15m")
    return text


def _json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError:
        raise ValueError("write JSON") from None
    return text


Duration = Annotated[str, AfterValidator(_duration)]
"""As Go writes durations: `1h`, `1h30m`, `900s`."""
Policy = Annotated[str, AfterValidator(_json)]
AccountId = Annotated[str, Field(pattern=r"^\d{12}$")]


def seconds(duration: str) -> int:
    """The length of a `Duration` in seconds."""
    return round((nanoseconds(duration) or 0) / 10**9)


class AssumedRole(Model):
    """A role that is assumed, with the credentials of whoever came before it in the list."""

    role_arn: Annotated[str, Field(min_length=1)]
    duration: Duration | None = None
    external_id: str | None = Field(None, repr=False)
    policy: Policy | None = None
    policy_arns: tuple[str, ...] = ()
    session_name: str | None = None
    source_identity: str | None = None
    tags: dict[str, str] = {}
    transitive_tag_keys: tuple[str, ...] = ()


class WebIdentityRole(Model):
    """A role that is assumed with a token, in place of credentials."""

    role_arn: Annotated[str, Field(min_length=1)]
    duration: Duration | None = None
    policy: Policy | None = None
    policy_arns: tuple[str, ...] = ()
    session_name: str | None = None
    web_identity_token: str | None = Field(None, repr=False)
    web_identity_token_file: str | None = None

    @model_validator(mode="after")
    def _one_token(self) -> Self:
        if (self.web_identity_token is None) == (self.web_identity_token_file is None):
            raise ValueError("write either webIdentityToken or webIdentityTokenFile")
        return self


class AwsProvider(Model):
    """As whom and where a stack asks AWS. Without anything said: as whoever uses the environment or the AWS configuration."""

    profile: str | None = None
    access_key: str | None = Field(None, repr=False)
    secret_key: str | None = Field(None, repr=False)
    token: str | None = Field(None, repr=False)
    shared_config_files: Annotated[tuple[str, ...], Field(max_length=1)] = ()
    shared_credentials_files: Annotated[tuple[str, ...], Field(max_length=1)] = ()
    assume_role_with_web_identity: WebIdentityRole | None = None
    assume_roles: tuple[AssumedRole, ...] = ()
    allowed_account_ids: tuple[AccountId, ...] = ()
    forbidden_account_ids: tuple[AccountId, ...] = ()
    endpoints: tuple[dict[str, str], ...] = ()
    sts_region: str | None = None
    use_dualstack_endpoint: bool | None = None
    use_fips_endpoint: bool | None = None
    http_proxy: str | None = Field(None, repr=False)
    https_proxy: str | None = Field(None, repr=False)
    custom_ca_bundle: str | None = None
    insecure: bool = False
    ec2_metadata_service_endpoint: str | None = None
    ec2_metadata_service_endpoint_mode: str | None = None
    skip_metadata_api_check: bool = False

    @model_validator(mode="after")
    def _whole_keys(self) -> Self:
        given = self.access_key or self.secret_key or self.token
        if given and not (self.access_key and self.secret_key):
            raise ValueError("accessKey and secretKey go together, token with both")
        return self

    def endpoint(self, service: str) -> str | None:
        """The URL of a service, called as boto3 calls it, where it is not AWS's own."""
        name = service.replace("-", "")  # `service-quotas` of boto3 is `servicequotas` there
        return next((each[name] for each in reversed(self.endpoints) if each.get(name)), None)

    def refuses(self, account: str) -> str | None:
        """Why the account is not the one to deploy to, or to ask; None where nothing is said against it."""
        if self.allowed_account_ids and account not in self.allowed_account_ids:
            return f"the account is {account}; aws:allowedAccountIds allows {', '.join(self.allowed_account_ids)}"
        if account in self.forbidden_account_ids:
            return f"the account is {account}; aws:forbiddenAccountIds forbids it"
        return None


HONOURED = frozenset(field.alias or name for name, field in AwsProvider.model_fields.items())


def aws_provider(values: Mapping[str, Any]) -> AwsProvider:
    """The configuration from ``values``, by the provider's keys without `aws:`; each plain data, or text that holds JSON.

    Raises `SettingsError` for what cannot be honoured.
    """
    problems = [
        *(
            _refused(key, "this key of the AWS provider is not honoured here", REFUSED[key])
            for key in values
            if key in REFUSED
        ),
        *(_unknown(key) for key in values if key not in HONOURED | IRRELEVANT | REFUSED.keys()),
        *(_encrypted(path) for key, value in values.items() for path in _secure((key,), value) if key in HONOURED),
    ]
    if problems:
        raise SettingsError(problems)
    given = {key: _plain(key, value) for key, value in values.items() if key in HONOURED and value not in (None, "")}
    try:
        return AwsProvider.model_validate_json(json.dumps(given))
    except ValidationError as error:
        found = error.errors(include_input=False, include_url=False, include_context=False)
        raise SettingsError(
            _refused(
                dotted(each["loc"]) if each["loc"] else "",
                each["msg"].removeprefix("Value error, "),
                "write it as pulumi-aws takes it, or leave it out",
            )
            for each in found
        ) from None


def _plain(key: str, value: Any) -> Any:
    """The value as its field takes it: the engine hands over everything as text, YAML reads an account's number as one."""
    kind = AwsProvider.model_fields[_FIELDS[key]].annotation
    if isinstance(value, str) and kind not in (str, str | None):
        try:
            value = json.loads(value)
        except ValueError:
            return value
    if key.endswith("AccountIds") and isinstance(value, list):
        return [f"{each:012}" if isinstance(each, int) else each for each in value]
    return value


_FIELDS = {field.alias or name: name for name, field in AwsProvider.model_fields.items()}


def _secure(path: tuple[str | int, ...], value: Any) -> Iterator[tuple[str | int, ...]]:
    """Paths of values that are encrypted in the stack file."""
    if isinstance(value, dict):
        if set(value) == {"secure"}:
            yield path
        else:
            for key, each in value.items():
                yield from _secure((*path, key), each)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _secure((*path, index), each)


def _encrypted(path: tuple[str | int, ...]) -> Problem:
    return _refused(
        dotted(path),
        "encrypted, so that only Pulumi can read it",
        "take the credentials out of the stack file, and name a profile that has them: `aws:profile`",
    )


def _unknown(key: str) -> Problem:
    guess = closest(key, [*HONOURED, *IRRELEVANT])
    fix = f"did you mean `aws:{guess}`?" if guess else "leave it out"
    return _refused(key, "the AWS provider has no such key", fix)


def _refused(path: str, message: str, fix: str) -> Problem:
    allowed = "what changes who asks, and where, honoured or left out"
    return Problem("aws-provider", Severity.ERROR, f"aws:{path}", message, "[hidden]", allowed, fix)
