"""The environment of nobody: while an account is open, boto3 finds no one's credentials, profile or endpoint."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

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
    foreign = [key for key in os.environ if key in _FOREIGN or key.startswith(_FOREIGN_PREFIX)]
    before = {key: os.environ.get(key) for key in (*_OF_NOBODY, *foreign)}
    os.environ.update(_OF_NOBODY)
    for key in foreign:
        del os.environ[key]
    try:
        yield
    finally:
        # Key by key: `mock.patch.dict` empties the whole environment for a moment, and other threads start servers with it.
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
