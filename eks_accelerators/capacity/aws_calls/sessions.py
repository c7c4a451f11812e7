"""boto3's sessions with a stack's provider configuration: the one place that decides as whom and where AWS is asked.

The order is that of pulumi-aws (aws-sdk-go-base, `GetAwsConfig`): static keys, or else a profile, or else what the environment
has; from there a role by web identity, or the chain of roles, each assumed with the credentials of the one before.
"""

from pathlib import Path
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.credentials import (
    AssumeRoleCredentialFetcher,
    AssumeRoleWithWebIdentityCredentialFetcher,
    CredentialProvider,
    CredentialResolver,
    DeferredRefreshableCredentials,
)
from botocore.exceptions import CredentialRetrievalError

from eks_accelerators.settings.aws_provider import AssumedRole, AwsProvider, WebIdentityRole, seconds


def session_of(provider: AwsProvider, region: str | None, config: Config) -> boto3.session.Session:
    """A session with the provider's credentials. ``region`` and ``config`` are for the calls by which roles are assumed.

    Raises botocore's `ProfileNotFound`. That there are no credentials, or that a role may not be assumed, shows at the first call.
    """
    core = _core(provider)
    if provider.assume_roles or provider.assume_role_with_web_identity:
        source, core = core, _core(provider.model_copy(update={"access_key": None}))  # its keys are the roles' alone
        core.register_component("credential_provider", CredentialResolver([_Assumed(source, provider, region, config)]))
    return boto3.session.Session(botocore_session=core)


def options(provider: AwsProvider, service: str, region: str) -> dict[str, Any]:
    """What a client of ``service`` is made with, beside its configuration."""
    return {
        "region_name": provider.sts_region or region if service == "sts" else region,
        "endpoint_url": provider.endpoint(service),
        "verify": False if provider.insecure else _path(provider.custom_ca_bundle),
    }


def configured(provider: AwsProvider, config: Config) -> Config:
    """``config`` with the provider's proxies and kinds of endpoint."""
    proxies = {"http": provider.http_proxy, "https": provider.https_proxy}
    ours = {
        "proxies": {scheme: url for scheme, url in proxies.items() if url} or None,
        "use_fips_endpoint": provider.use_fips_endpoint,
        "use_dualstack_endpoint": provider.use_dualstack_endpoint,
    }
    merged: Config = config.merge(Config(**{key: value for key, value in ours.items() if value is not None}))
    return merged


def _core(provider: AwsProvider) -> botocore.session.Session:
    core = botocore.session.Session(profile=provider.profile)
    chosen = {
        "config_file": _path(next(iter(provider.shared_config_files), None)),
        "credentials_file": _path(next(iter(provider.shared_credentials_files), None)),
        "ec2_metadata_service_endpoint": provider.ec2_metadata_service_endpoint,
        "ec2_metadata_service_endpoint_mode": (provider.ec2_metadata_service_endpoint_mode or "").lower() or None,
    }
    for name, value in chosen.items():
        if value is not None:
            core.set_config_variable(name, value)
    core.get_scoped_config()  # raises where the profile is not there
    if provider.access_key:
        core.set_credentials(provider.access_key, provider.secret_key, provider.token)
    elif provider.skip_metadata_api_check:
        core.get_component("credential_provider").remove("iam-role")
    return core


class _Assumed(CredentialProvider):  # type: ignore[misc]  # botocore is not typed
    """The last of the roles, assumed one after the other when credentials are first needed."""

    METHOD = "aws-provider"

    def __init__(
        self, source: botocore.session.Session, provider: AwsProvider, region: str | None, config: Config
    ) -> None:
        super().__init__()
        self._source, self._provider, self._config = source, provider, config
        self._region = region or source.get_config_variable("region") or "us-east-1"

    def load(self) -> Any:
        """The credentials; None where there are none to begin with."""
        if web := self._provider.assume_role_with_web_identity:
            fetcher = AssumeRoleWithWebIdentityCredentialFetcher(
                self._client, lambda: _token(web), web.role_arn, _arguments(web)
            )
            found: Any = DeferredRefreshableCredentials(fetcher.fetch_credentials, self.METHOD)
        else:
            found = self._source.get_credentials()
        for role in self._provider.assume_roles if found else ():
            fetcher = AssumeRoleCredentialFetcher(self._client, found, role.role_arn, _arguments(role))
            found = DeferredRefreshableCredentials(fetcher.fetch_credentials, self.METHOD)
        return found

    def _client(self, service: str, config: Config | None = None, **credentials: Any) -> Any:
        merged = self._config.merge(config) if config else self._config
        more = options(self._provider, service, self._region)
        return self._source.create_client(service, config=merged, **more, **credentials)


def _arguments(role: AssumedRole | WebIdentityRole) -> dict[str, Any]:
    """Parameters of the call that assumes the role."""
    own: dict[str, Any] = {}
    if isinstance(role, AssumedRole):
        own = {
            "ExternalId": role.external_id,
            "SourceIdentity": role.source_identity,
            "Tags": [{"Key": key, "Value": value} for key, value in role.tags.items()],
            "TransitiveTagKeys": list(role.transitive_tag_keys),
        }
    found = {
        "RoleSessionName": role.session_name,
        "DurationSeconds": seconds(role.duration) if role.duration else None,
        "Policy": role.policy,
        "PolicyArns": [{"arn": arn} for arn in role.policy_arns],
        **own,
    }
    return {name: value for name, value in found.items() if value}


def _token(role: WebIdentityRole) -> str:
    if role.web_identity_token:
        return role.web_identity_token
    try:
        return Path(str(_path(role.web_identity_token_file))).read_text(encoding="utf-8")
    except OSError as error:
        raise CredentialRetrievalError(
            provider=_Assumed.METHOD, error_msg=f"{error.filename}: {error.strerror}"
        ) from None


def _path(text: str | None) -> str | None:
    return str(Path(text).expanduser()) if text else None
