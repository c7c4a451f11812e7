"""What becomes of each kind of storage with its stack: what stays is named before, and is all that is there afterwards."""

import pytest

from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.lives import every, left, listed, objects, to
from tests.simulator.worlds import NOW, stack_file

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

ZONE = "us-east-2a"
STORAGE = {
    "runs": {"fsxLustre": {"zone": ZONE, "deploymentType": "PERSISTENT_2", "throughputMibpsPerTib": 125}},
    "scratch": {"fsxLustre": {"zone": ZONE, "deploymentType": "SCRATCH_2"}},
    "home": {"efs": {"onDestroy": "delete"}},
    "archive": {"efs": {"onDestroy": "keep"}},
    "shared": {"s3Files": {"bucket": "example-shared", "onDestroy": "keep"}},
    "weights": {"s3Bucket": {"bucket": "example-models"}},
}
STORED = every(to("storage", STORAGE), to("workloads.vllm.llama.volumes", {"home": {"mountPath": "/home"}}))
LET_GO = every(STORED, to("storage.runs.fsxLustre.onDestroy", "delete"))
ASKED = {
    "LustreFileSystem": ("fsx", "describe_file_systems", lambda known: {"FileSystemIds": [known]}),
    "FileSystem": ("efs", "describe_file_systems", lambda known: {"FileSystemId": known}),
    "FilesFileSystem": ("s3files", "get_file_system", lambda known: {"fileSystemId": known}),
}
"""How AWS is asked for a file system, by the last part of its type."""


def made_by(deployed):
    """Type and ID of every file system that the engine knows of, by the name of the storage."""
    resources = ((each, each["type"].rpartition(":")[2]) for each in deployed.resources())
    return {
        each["urn"].rpartition("-")[2]: (kind, each["id"])
        for each, kind in resources
        if kind in ASKED and each["type"].startswith("aws:")
    }


def there(account, made):
    """The storages whose file systems AWS has."""

    def is_there(kind, identifier):
        service, operation, parameters = ASKED[kind]
        try:
            account.call(service, operation, **parameters(identifier))
        except AwsError:
            return False
        return True

    return {name for name, found in made.items() if is_there(*found)}


def named_before(folder):
    """The storages of which `accel check` says that they outlive the stack."""
    problems = load_stack_file(stack_file(folder, "dev", LET_GO), NOW).problems
    return {each.path.split(".")[1] for each in problems if each.code == "storage-outlives-stack"}


def test_what_stays_is_what_was_named(deployments, tmp_path):
    first = deployments.first("dev")
    with deployments.copied("dev", tmp_path) as deployed:
        assert deployed.run("up", STORED).errors == []
        made = made_by(deployed)
        assert there(deployed.account, made) == set(made) == {"runs", "scratch", "home", "archive", "shared"}

        refused = deployed.run("destroy")
        assert "because it is protected" in refused.errors[0]
        assert there(deployed.account, made) == set(made)

        assert deployed.run("up", LET_GO).errors == []
        assert deployed.run("destroy").errors == []
        assert there(deployed.account, made) == named_before(tmp_path) == {"archive", "shared"}
        assert (listed(left(deployed.account)), objects(deployed.simulation)) == (first.before, set())
