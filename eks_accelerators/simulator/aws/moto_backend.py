"""moto, which keeps and answers what is not ours: opened once in a process, asked through boto3."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from unittest import mock

import boto3
import botocore.exceptions
import botocore.parsers
import moto.core
import moto.core.errors
from botocore.config import Config
from botocore.validate import ParamValidator
from moto import mock_aws
from moto.core.base_backend import BackendDict
from moto.moto_api._internal import mock_random

from eks_accelerators.simulator.aws import service_models
from eks_accelerators.simulator.aws.errors import NotSimulatedError, PassedOnError
from eks_accelerators.simulator.aws.model import ACCOUNT_ID

_ONE_AT_A_TIME = threading.Lock()
_NOT_IN_MOTO = "Not yet implemented"
_CODES_BESIDE_THE_MODEL = ("AWS.SimpleQueueService.NonExistentQueue",)
"""What AWS still answers with, in a header for clients of the former protocol, and botocore's model of SQS has no longer: moto,
which looks codes up there, would warn of each.
"""
_FIRST_READS = {
    "amp": "list_workspaces",
    "cloudwatch": "describe_alarms",
    "ec2": "describe_vpcs",
    "efs": "describe_file_systems",
    "eks": "list_clusters",
    "events": "list_rules",
    "iam": "list_roles",
    "sns": "list_topics",
    "sqs": "list_queues",
}


@contextmanager
def moto_opened() -> Iterator[None]:
    """Inside, moto answers in place of AWS. One at a time in a process, as it patches botocore as a whole."""
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        raise RuntimeError("another account is open in this process")
    try:
        # The managed policies of AWS, so that attaching one that does not exist is refused.
        with (
            service_models.read_once(),
            mock.patch.object(moto.core.errors, "COMMON_ERROR_CODES", _known_codes()),
            mock_aws(config={"iam": {"load_aws_managed_policies": True}}),
            _one_account(),
        ):
            yield
    finally:
        _ONE_AT_A_TIME.release()


class Moto:
    """moto in one region. Every call draws its random numbers from the seed that it is given."""

    def __init__(self, region: str) -> None:
        self._region = region

    def client(self, service: str) -> Any:
        """A boto3 client that reaches moto, and nothing else."""
        return _client(service, self._region)

    def wake(self) -> None:
        """Have moto make its records of each service now: it draws random numbers for them, and would at the first call,
        which after a replay is another one.
        """
        mock_random.seed("services")
        for service, name in _FIRST_READS.items():
            getattr(self.client(service), name)()

    def call(self, service: str, name: str, parameters: Mapping[str, Any], *, seed: str) -> dict[str, Any]:
        """Make the call; raises `PassedOnError` on a refusal, and `NotSimulatedError` for what moto does not have."""
        mock_random.seed(seed)
        method = getattr(self.client(service), name, None)
        if method is None:
            raise NotSimulatedError(f"{service}.{name} is no operation of AWS")
        try:
            answer: dict[str, Any] = method(**parameters)
        except botocore.exceptions.ClientError as error:
            found = error.response["Error"]
            if found["Message"] == _NOT_IN_MOTO:
                raise NotSimulatedError(f"{service}.{name} is not simulated") from None
            raise PassedOnError(found["Code"], found["Message"], error.operation_name) from None
        except botocore.exceptions.ParamValidationError as error:
            raise PassedOnError("ValidationException", str(error), name) from None
        except (NotImplementedError, botocore.parsers.ResponseParserError):
            raise NotSimulatedError(f"{service}.{name} is not simulated") from None
        answer.pop("ResponseMetadata", None)
        return answer

    def validate(self, service: str, name: str, parameters: dict[str, Any]) -> None:
        """Refuse what botocore would not send: unknown or missing members, wrong types."""
        model = self.client(service).meta.service_model.operation_model(self.api_name(service, name))
        report = ParamValidator().validate(parameters, model.input_shape)
        if report.has_errors():
            raise PassedOnError("ValidationException", report.generate_report(), model.name)

    def api_name(self, service: str, name: str) -> str:
        """The operation as the API calls it: `CreateVpc` for `create_vpc`."""
        api_name = self.client(service).meta.method_to_api_mapping.get(name)
        if api_name is None:
            raise NotSimulatedError(f"{name} is no operation of {service}")
        return str(api_name)


@cache
def _session(region: str) -> Any:
    """The session of all clients: what a session begins with takes as long as a client."""
    return boto3.session.Session(region_name=region)


@cache
def _client(service: str, region: str) -> Any:
    """Made once in a process, for all accounts that are opened in it: moto's records are not the client's."""
    return _session(region).client(service, config=Config(retries={"max_attempts": 0}))


def _known_codes() -> list[str]:
    """Codes of which moto does not warn."""
    return [*moto.core.errors.COMMON_ERROR_CODES, *_CODES_BESIDE_THE_MODEL]


@contextmanager
def _one_account() -> Iterator[None]:
    """Moto keeps its records for an account of its own too, and makes all of them anew at the end: a second each time."""
    with mock.patch.object(moto.core, "DEFAULT_ACCOUNT_ID", ACCOUNT_ID):
        try:
            yield
        finally:
            for service in BackendDict._instances:  # type: ignore[misc]
                service.clear()
