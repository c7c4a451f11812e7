"""The environment of nobody: while an account is open, boto3 finds no one's credentials, profile or endpoint."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from eks_accelerators.simulator.aws.model import ACCOUNT_ID

_OF_NOBODY = {
    "AWS_ACCESS_KEY_ID": "simulated",
    "AWS_SECRET_ACCESS_KEY": "simulated",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "MOTO_ACCOUNT_ID": ACCOUNT_ID,
    "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
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


@contextmanager
def environment_of_nobody() -> Iterator[None]:
    """Inside, whatever goes wrong, no real account is reached.

    By the environment, as moto reads its settings from there alone, and as clients that others make, such as a program's
    own, must find nothing else either.
    """
    with mock.patch.dict(os.environ, _OF_NOBODY):
        for key in list(os.environ):
            if key in _FOREIGN or key.startswith(_FOREIGN_PREFIX):
                del os.environ[key]
        yield
