"""Whose credentials they are, found out before anything else is asked."""

from botocore.exceptions import BotoCoreError

from eks_accelerators.capacity.aws_calls.answer import UnansweredError
from eks_accelerators.capacity.aws_calls.aws import Aws
from eks_accelerators.capacity.aws_calls.call import Call
from eks_accelerators.capacity.aws_calls.clients import BotoClients, Clients, stand_in
from eks_accelerators.settings.aws_provider import AwsProvider


class CannotIdentifyError(Exception):
    """There are no credentials that AWS takes, or AWS cannot be reached. One line, with the fix."""


class WrongAccountError(CannotIdentifyError):
    """The credentials are of an account that the stack is not meant for; the message says which."""


def account_call(region: str) -> Call[str]:
    """The number of the caller's account. Source: STS GetCallerIdentity, which needs no permission."""
    return Call("sts", "get_caller_identity", region, "Account", str)


def boto_clients(provider: AwsProvider, region: str, *, connections: int) -> BotoClients:
    """Clients of the provider. Raises `CannotIdentifyError` where its profile is not there."""
    try:
        return BotoClients(connections=connections, provider=provider, region=region)
    except BotoCoreError as error:
        raise CannotIdentifyError(f"{error}: name one that is there, by AWS_PROFILE or aws:profile") from None


def account_of(aws: Aws, provider: AwsProvider, region: str) -> str:
    """The number of the account that answers. Raises `CannotIdentifyError`."""
    try:
        account = aws.ask(account_call(region)).value
    except UnansweredError as error:
        raise CannotIdentifyError(str(error)) from None
    if reason := provider.refuses(account):
        raise WrongAccountError(f"{reason}: use credentials of an account that it allows, such as by aws:profile")
    return account


def known_clients(provider: AwsProvider, region: str) -> tuple[Clients, str]:
    """Clients for code that runs under an engine, and the account's number. Raises `CannotIdentifyError`.

    They are the provider's; inside `answered_by` those of a simulated account.
    """
    clients = stand_in() or boto_clients(provider, region, connections=1)
    with Aws(clients, at_once=1) as aws:
        return clients, account_of(aws, provider, region)
