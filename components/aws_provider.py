"""The AWS provider of a component, as whoever asks AWS beside it has to know it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pulumi
import pulumi_aws as aws
from pulumi.runtime import config as engine
from pydantic.alias_generators import to_snake

from settings.aws_provider import HONOURED, REFUSED, AwsProvider, aws_provider

_PREFIX = "aws:"


class UnknownProviderError(Exception):
    """It cannot be told as whom and where the provider asks."""


def provider_of(component: pulumi.Resource) -> Callable[[], Awaitable[AwsProvider]]:
    """A question for the provider of the component's AWS resources, to be asked when the provider is there.

    It is the explicit one, or else the stack's configuration. Asked, it raises `SettingsError` for what cannot be honoured, and
    `UnknownProviderError` where the provider's configuration is not known here.
    """
    explicit = component.get_provider("aws:index:Provider")
    if explicit is None:
        values = engine.CONFIG.get()
        configured = {key.removeprefix(_PREFIX): value for key, value in values.items() if key.startswith(_PREFIX)}

        async def of_stack() -> AwsProvider:
            return aws_provider(configured)

        return of_stack

    async def of_provider() -> AwsProvider:
        if not isinstance(explicit, aws.Provider):
            raise UnknownProviderError("the provider was made elsewhere, and its configuration cannot be read here")
        outputs = {key: pulumi.get(explicit, to_snake(key)) for key in HONOURED | REFUSED.keys()}
        found: dict[str, Any] = {}
        for key, output in outputs.items():
            if output is not None:
                if not await output.is_known():
                    raise UnknownProviderError(f"{key} of the provider is not known before the deployment")
                found[key] = await output.future()
        return aws_provider({key: value for key, value in found.items() if value is not None})

    return of_provider
