"""Models of services take long to read: a process that opens an account reads each once."""

import json
import subprocess
import sys
from collections import Counter

OPENED = """
import json

from botocore.loaders import JSONFileLoader

read = []
load_file = JSONFileLoader.load_file


def noting(loader, path):
    found = load_file(loader, path)
    if found is not None:
        read.append(path)
    return found


JSONFileLoader.load_file = noting

from moto.core.utils import get_service_model

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.moto_backend import Moto, moto_opened

with moto_opened():
    Moto("us-east-2").client("ec2")
    Moto("us-west-2").client("ec2")
    get_service_model("ec2")
print(json.dumps(read))
"""


def test_no_model_is_read_twice():
    printed = subprocess.run([sys.executable, "-c", OPENED], check=True, capture_output=True, text=True).stdout
    read = Counter(json.loads(printed))

    assert [path for path in read if "/ec2/" in path and "service-2" in path]
    assert {path: times for path, times in read.items() if times > 1} == {}
