"""Whom a command asks: AWS, or with `accel --simulated` the account of a simulation."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import boto3
from botocore.config import Config
from botocore.exceptions import ProfileNotFound

from eks_accelerators.accel.simulate.options import FOLDER
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.aws import AT_ONCE, Listener
from eks_accelerators.capacity.aws_calls.clients import BotoClients, Clients
from eks_accelerators.capacity.aws_calls.identity import WrongAccountError, account_call, account_of, boto_clients
from eks_accelerators.settings.aws_provider import AwsProvider
from eks_accelerators.settings.aws_provider_file import provider_of
from eks_accelerators.settings.model import Settings

ANY_REGION = "us-east-1"
"""Where a question is asked that any region answers, and nobody says which: the region that has the most types."""


class CannotReachError(Exception):
    """There is nobody to ask, or nobody who should be; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Whom:
    """The global options: AWS, or the simulation in ``folder``, by default that of the stack."""

    simulated: bool = False
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """Who answers, and the number of the account.

    ``region`` is that of a simulated account; ``folder`` the simulation's; ``assumed`` what is made up.
    """

    clients: Callable[[], Clients]
    aws: Aws
    account: str
    region: str | None = None
    folder: Path | None = None
    assumed: tuple[str, ...] = ()


@contextmanager
def aws_of(
    whom: Whom | None,
    stack: StackLocation | None = None,
    settings: Settings | None = None,
    *,
    region: str | None = None,
    at_once: int = AT_ONCE,
    listen: Listener | None = None,
) -> Iterator[Reached]:
    """AWS as ``stack`` asks it, or its simulated account, made from its ``settings`` where it is new.

    ``whom`` is `context.obj` of a command. ``region`` is where it is asked who the caller is, if there is no stack. Inside, it
    is the time of whoever answers. Raises `CannotReachError`, `CannotIdentifyError`, and `SettingsError` for a provider
    configuration that cannot be honoured.
    """
    if whom is None or not whom.simulated:
        provider = provider_of(stack.file, stack.project) if stack else AwsProvider()
        with _real(provider, settings.region if settings else region, at_once, listen) as reached:
            yield reached
        return
    folder = whom.folder or (stack.project / FOLDER / stack.name if stack else None)
    if folder is None:
        raise CannotReachError("whose simulated account? Name the stack with --stack, or a folder with --simulation")
    with _simulated(folder, settings, at_once, listen) as reached:
        yield reached


@contextmanager
def _real(provider: AwsProvider, region: str | None, at_once: int, listen: Listener | None) -> Iterator[Reached]:
    home = region or users_region() or ANY_REGION
    with Aws(boto_clients(provider, home, connections=at_once), at_once=at_once, listen=listen) as aws:
        try:
            account = account_of(aws, provider, home)
        except WrongAccountError as error:
            raise CannotReachError(str(error)) from None
        yield Reached(lambda: _one_attempt(provider, home), aws, account)


def users_region() -> str | None:
    """The region of the user's AWS settings."""
    try:
        found: str | None = boto3.session.Session().region_name
    except ProfileNotFound:  # one that AWS_PROFILE names
        return None
    return found


@contextmanager
def _simulated(folder: Path, settings: Settings | None, at_once: int, listen: Listener | None) -> Iterator[Reached]:
    try:
        from eks_accelerators.simulator.assumptions import assumed_world
        from eks_accelerators.simulator.aws.clients import simulated_clients
        from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
        from eks_accelerators.simulator.aws.market import ASSUMPTION
        from eks_accelerators.simulator.folder import SimulationError, account_in, began, own
    except ModuleNotFoundError as error:
        raise CannotReachError(f"{error}: install eks-accelerators[simulate], or run `make environment`") from None
    now = clock.now()
    with ExitStack() as opened:
        try:
            there = began(folder)
            if settings:
                region = settings.region
            elif there:
                region = there[0]
            else:
                raise CannotReachError(f"there is no simulation in {folder}; name a stack with --stack, and it is made")
            world = assumed_world(settings, now)[0] if settings else None
            opened.enter_context(own(folder))
            account = opened.enter_context(account_in(folder, region=region, now=now, world=world))
        except (SimulationError, NotSimulatedError, AwsError, ValueError) as error:
            raise CannotReachError(str(error)) from None
        clients = simulated_clients(account)
        opened.enter_context(clock.set_to(account.state.now))
        aws = opened.enter_context(Aws(clients, at_once=at_once, listen=listen))
        assumed = (ASSUMPTION,) if account.state.market else ()
        account_number = aws.ask(account_call(region)).value
        yield Reached(lambda: clients, aws, account_number, region, folder, assumed)


def _one_attempt(provider: AwsProvider, region: str) -> Clients:
    """Clients that make a call once: an answer that was lost may have been a purchase."""
    once = Config(retries={"mode": "standard", "total_max_attempts": 1}, read_timeout=60)
    return BotoClients(connections=1, config=once, provider=provider, region=region)
