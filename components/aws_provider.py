"""The AWS provider of a component, as whoever asks AWS beside it has to know it."""

from typing import Any

import pulumi
import pulumi_aws as aws
from pulumi.runtime import config as engine
from pydantic.alias_generators import to_snake

from eks_accelerators.settings.aws_provider import HONOURED, REFUSED, AwsProvider, aws_provider

_PREFIX = "aws:"


async def provider_of(component: pulumi.Resource) -> AwsProvider:
    """The provider of the component's AWS resources: the explicit one, or else the stack's configuration.

    Of an explicit provider only what the SDK gives back is known; roles it keeps to itself. So who would pay is for
    `account_of_provider` to say. Raises `SettingsError` for what cannot be honoured.
    """
    explicit = component.get_provider("aws:index:Provider")
    if explicit is None:
        values = engine.CONFIG.get()
        return aws_provider({key.removeprefix(_PREFIX): values[key] for key in values if key.startswith(_PREFIX)})
    found: dict[str, Any] = {}
    for key in HONOURED | REFUSED.keys():
        output = pulumi.get(explicit, to_snake(key))
        if isinstance(output, pulumi.Output):
            found[key] = await output.future()
    return aws_provider({key: value for key, value in found.items() if value is not None})


async def account_of_provider(component: pulumi.Resource) -> str | None:
    """The number of the account in which the component's provider makes resources; None where a preview cannot know it."""
    caller = aws.get_caller_identity_output(opts=pulumi.InvokeOutputOptions(parent=component))
    return await caller.account_id.future()
