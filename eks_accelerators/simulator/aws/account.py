"""One simulated AWS account: calls in, answers or refusals out, and a journal from which it can be had again.

moto keeps its state in memory. What survives a command, and a crash, is the journal: every call that
changed something, in order. Opening an account makes those calls again; identifiers come out the same, as
each call draws its random numbers from its own place in the journal.
"""

import copy
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from unittest import mock

import boto3
import botocore.exceptions
import botocore.loaders
import botocore.parsers
import botocore.session
import moto.core
from botocore.config import Config
from botocore.validate import ParamValidator
from moto import mock_aws
from moto.core.base_backend import BackendDict
from moto.moto_api._internal import mock_random

from eks_accelerators.capacity.aws_calls.clients import answered_by
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.journal import Journal
from eks_accelerators.simulator.aws.model import State

ACCOUNT_ID = "111122223333"
"""AWS's own example account."""

Handler = Callable[["Account", dict[str, Any]], dict[str, Any]]
HANDLERS: dict[tuple[str, str], Handler] = {}
"""Operations that are ours, by service and operation in boto3's spelling."""

_READS = ("describe_", "get_", "list_")
_ONE_AT_A_TIME = threading.Lock()
_NOT_IN_MOTO = "Not yet implemented"
_ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": "simulated",
    "AWS_SECRET_ACCESS_KEY": "simulated",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "MOTO_ACCOUNT_ID": ACCOUNT_ID,
    "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
}
_FIRST_READS = {
    "cloudwatch": "describe_alarms",
    "ec2": "describe_vpcs",
    "eks": "list_clusters",
    "events": "list_rules",
    "iam": "list_roles",
    "sns": "list_topics",
}
_FOREIGN = (
    "AWS_CA_BUNDLE",
    "AWS_DEFAULT_PROFILE",
    "AWS_PROFILE",
    "AWS_SESSION_TOKEN",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
)
_FOREIGN_PREFIX = "AWS_ENDPOINT_URL"


def operation(service: str, name: str) -> Callable[[Handler], Handler]:
    """Register a handler for an operation of ``service``; ``name`` in boto3's spelling."""

    def register(handler: Handler) -> Handler:
        HANDLERS[service, name] = handler
        return handler

    return register


class Account:
    """The account, open. One at a time in a process, as moto patches botocore as a whole."""

    def __init__(self, journal: Path, region: str, now: datetime) -> None:
        self.state = State(now=now.astimezone(UTC).replace(microsecond=0), region=region)
        self.calls = 0
        self.before_call: Callable[[str, str], None] = lambda _service, _operation: None
        """Called ahead of every call that is not replayed; raises `AwsError` to refuse it."""
        self._journal = Journal(journal)
        self._lock = threading.RLock()
        self._clients: dict[str, Any] = {}
        self._offered: dict[str, frozenset[str]] = {}
        self._entries = 0
        self._inner = 0
        self._open = ExitStack()
        self._replaying = False

    def __enter__(self) -> Self:
        if not _ONE_AT_A_TIME.acquire(blocking=False):
            raise RuntimeError("another account is open in this process")
        self._open.callback(_ONE_AT_A_TIME.release)
        try:
            self._start()
        except BaseException:
            self._open.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def call(self, service: str, name: str, /, **parameters: Any) -> dict[str, Any]:
        """Make one call; ``name`` and ``parameters`` as for a boto3 client. Raises `AwsError` on a refusal.

        Calls of several threads come one after the other.
        """
        with self._lock:
            if not self._replaying:
                self.calls += 1
                self.before_call(service, name)
            self._inner = 0
            answer = self._answer(service, name, parameters)
            if not name.startswith(_READS):
                self._write({"service": service, "operation": name, "parameters": parameters})
            return answer

    def set_clock(self, moment: datetime) -> None:
        """Let time pass until ``moment``: what was due in between happens, in order. Time does not run backwards."""
        from eks_accelerators.simulator.aws.clock import let_pass

        with self._lock:
            moment = moment.astimezone(UTC).replace(microsecond=0)
            if moment < self.state.now:
                raise ValueError(
                    f"the simulated clock stands at {self.state.now:%Y-%m-%d %H:%M} UTC and does not run backwards"
                )
            self._inner = 0
            let_pass(self, moment)
            self._write({"clock": moment.isoformat()})

    def set_up(self, world: Mapping[str, Any]) -> None:
        """Put what is there from the beginning into the account: quotas, Capacity Blocks, offerings, shortages."""
        from eks_accelerators.simulator.aws.world import put

        with self._lock:
            put(self.state, world, self.zone_id)
            self._write({"world": dict(world)})

    @property
    def is_new(self) -> bool:
        """Whether nothing was ever done in the account."""
        return self._entries == 0

    @property
    def version(self) -> int:
        """Grows with every change."""
        return self._entries

    def zone_id(self, zone: str) -> str:
        """ID of the zone called ``zone``; a zone that is not there is refused as EC2 does."""
        for found in self.zones():
            if zone in (found["ZoneName"], found["ZoneId"]):
                return str(found["ZoneId"])
        raise AwsError("InvalidParameterValue", f"Invalid availability zone: [{zone}]", "DescribeAvailabilityZones")

    def zones(self) -> list[dict[str, Any]]:
        """The zones of the region."""
        return cast("list[dict[str, Any]]", self.client("ec2").describe_availability_zones()["AvailabilityZones"])

    def offered_zones(self, instance_type: str) -> frozenset[str]:
        """The zones of the region in which EC2 offers the type. Asked once: the answer is long, and does not change."""
        if instance_type not in self._offered:
            filters = [{"Name": "instance-type", "Values": [instance_type]}]
            parameters = {"LocationType": "availability-zone", "Filters": filters}
            found = self.moto("ec2", "describe_instance_type_offerings", parameters)["InstanceTypeOfferings"]
            self._offered[instance_type] = frozenset(offer["Location"] for offer in found)
        return self._offered[instance_type]

    def client(self, service: str) -> Any:
        """A boto3 client that reaches moto, and nothing else."""
        if service not in self._clients:
            config = Config(retries={"max_attempts": 0})
            session = boto3.session.Session(region_name=self.state.region, botocore_session=_botocore_session())
            self._clients[service] = session.client(service, config=config)
        return self._clients[service]

    def _start(self) -> None:
        self._open.enter_context(_environment())
        # The managed policies of AWS, so that attaching one that does not exist is refused.
        self._open.enter_context(mock_aws(config={"iam": {"load_aws_managed_policies": True}}))
        self._open.enter_context(_one_account())
        from eks_accelerators.simulator.aws import handlers  # noqa: F401  (they register)
        from eks_accelerators.simulator.aws.clients import simulated_clients
        from eks_accelerators.simulator.aws.through_boto3 import capacity_block_calls

        self._open.enter_context(capacity_block_calls(self))
        # Whatever profile, role or endpoint the stack names: the program's own questions come here.
        self._open.enter_context(answered_by(simulated_clients(self)))
        self._wake()
        self._replay()

    def _wake(self) -> None:
        """Have moto make its records of each service now: it draws random numbers for them, and would at the first call,
        which after a replay is another one.
        """
        mock_random.seed("services")
        for service, name in _FIRST_READS.items():
            getattr(self.client(service), name)()

    def _answer(self, service: str, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        handler = HANDLERS.get((service, name))
        if handler is None:
            return self.moto(service, name, parameters)
        self._validate(service, name, parameters)
        try:
            # Nobody has a hand on the state: neither who asked nor who was answered.
            return copy.deepcopy(handler(self, copy.deepcopy(parameters)))
        except AwsError as error:
            error.operation = error.operation or _api_name(self.client(service), name)
            raise

    def moto(self, service: str, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Make the call through boto3 to moto."""
        # Its random numbers follow from its place in the journal, whatever else moto draws at its leisure.
        mock_random.seed(f"{self._entries}/{self._inner}")
        self._inner += not name.startswith(_READS)
        method = getattr(self.client(service), name, None)
        if method is None:
            raise NotSimulatedError(f"{service}.{name} is no operation of AWS")
        try:
            answer: dict[str, Any] = method(**parameters)
        except botocore.exceptions.ClientError as error:
            found = error.response["Error"]
            if found["Message"] == _NOT_IN_MOTO:
                raise NotSimulatedError(f"{service}.{name} is not simulated") from None
            raise AwsError(found["Code"], found["Message"], error.operation_name) from None
        except botocore.exceptions.ParamValidationError as error:
            raise AwsError("ValidationException", str(error), name) from None
        except (NotImplementedError, botocore.parsers.ResponseParserError):
            raise NotSimulatedError(f"{service}.{name} is not simulated") from None
        answer.pop("ResponseMetadata", None)
        return answer

    def _validate(self, service: str, name: str, parameters: dict[str, Any]) -> None:
        """What botocore would refuse to send: unknown or missing members, wrong types."""
        client = self.client(service)
        model = client.meta.service_model.operation_model(_api_name(client, name))
        report = ParamValidator().validate(parameters, model.input_shape)
        if report.has_errors():
            raise AwsError("ValidationException", report.generate_report(), model.name)

    def _write(self, entry: dict[str, Any]) -> None:
        self._entries += 1
        if self._replaying:
            return
        self._journal.add(entry)

    def _replay(self) -> None:
        self._replaying = True
        try:
            for number, entry in enumerate(self._journal.entries(), 1):
                try:
                    self._do_again(entry)
                except (AwsError, NotSimulatedError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                    raise self._journal.refused(number, error) from None
        finally:
            self._replaying = False

    def _do_again(self, entry: dict[str, Any]) -> None:
        if "clock" in entry:
            self.set_clock(datetime.fromisoformat(entry["clock"]))
        elif "world" in entry:
            self.set_up(entry["world"])
        else:
            self.call(entry["service"], entry["operation"], **entry["parameters"])


def _botocore_session() -> Any:
    """A session that shares the models of services, which take long to read, with all others."""
    session = botocore.session.get_session()
    session.register_component("data_loader", _models())
    return session


@cache
def _models() -> Any:
    return botocore.loaders.create_loader()


def _api_name(client: Any, name: str) -> str:
    api_name = client.meta.method_to_api_mapping.get(name)
    if api_name is None:
        raise NotSimulatedError(f"{name} is no operation of {client.meta.service_model.service_name}")
    return str(api_name)


@contextmanager
def _one_account() -> Iterator[None]:
    """Moto keeps its records for an account of its own too, and makes all of them anew at the end: a second each time."""
    with mock.patch.object(moto.core, "DEFAULT_ACCOUNT_ID", ACCOUNT_ID):
        try:
            yield
        finally:
            for service in BackendDict._instances:  # type: ignore[misc]
                service.clear()


class _environment:  # noqa: N801  (used as a function)
    """Credentials and settings of nobody while the account is open: whatever goes wrong, no real account is reached."""

    def __enter__(self) -> None:
        foreign = [*_FOREIGN, *(key for key in os.environ if key.startswith(_FOREIGN_PREFIX))]
        self._before = {key: os.environ.get(key) for key in (*_ENVIRONMENT, *foreign)}
        os.environ.update(_ENVIRONMENT)
        for key in foreign:
            os.environ.pop(key, None)

    def __exit__(self, *_: object) -> None:
        for key, value in self._before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
