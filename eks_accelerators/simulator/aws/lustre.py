"""FSx for Lustre: file systems that are there at once. Nothing is written on them, and no zone runs out of them."""

import hashlib
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.model import ACCOUNT_ID
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source="FSx API (botocore 1.44.5) and FSx for Lustre user guide (steps of the capacity, one subnet); read 2026-11-22.",
    )
)

NO_FILE_SYSTEM = ApiRefusal("FileSystemNotFound", "File system '{identifier}' does not exist.")
NO_RESOURCE = ApiRefusal("ResourceNotFound", "The resource '{arn}' does not exist.")
NO_SUBNET = ApiRefusal("InvalidNetworkSettings", "The subnet ID '{subnet}' does not exist.")
NO_SUCH_CAPACITY = ApiRefusal(
    "BadRequest", "Invalid storage capacity. Valid values are 1200, 2400 and increments of 2400, and not {capacity}."
)


@operation("fsx", "create_file_system", refusals=(NO_SUBNET, NO_SUCH_CAPACITY))
def create_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A file system in one subnet, of a capacity that is sold."""
    capacity, (subnet,) = parameters["StorageCapacity"], parameters["SubnetIds"]
    if capacity != 1200 and capacity % 2400:
        raise NO_SUCH_CAPACITY(capacity=capacity)
    subnets = account.moto("ec2", "describe_subnets", {})["Subnets"]
    if subnet not in {each["SubnetId"] for each in subnets}:
        raise NO_SUBNET(subnet=subnet)
    account.state.file_systems_made += 1
    digest = hashlib.sha256(f"{subnet}/{account.state.file_systems_made}".encode()).hexdigest()
    identifier = f"fs-{digest[:17]}"
    account.state.lustre[identifier] = {
        "FileSystemId": identifier,
        "FileSystemType": parameters["FileSystemType"],
        "FileSystemTypeVersion": parameters.get("FileSystemTypeVersion"),
        "Lifecycle": "AVAILABLE",
        "StorageCapacity": capacity,
        "StorageType": parameters.get("StorageType", "SSD"),
        "SubnetIds": [subnet],
        "DNSName": f"{identifier}.fsx.{account.state.region}.amazonaws.com",
        "ResourceARN": f"arn:aws:fsx:{account.state.region}:{ACCOUNT_ID}:file-system/{identifier}",
        "Tags": parameters.get("Tags", []),
        "LustreConfiguration": {**parameters["LustreConfiguration"], "MountName": digest[17:25]},
        **({"KmsKeyId": parameters["KmsKeyId"]} if "KmsKeyId" in parameters else {}),
    }
    return {"FileSystem": account.state.lustre[identifier]}


@operation("fsx", "describe_file_systems", refusals=(NO_FILE_SYSTEM,))
def describe_file_systems(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The file systems of the IDs, or all."""
    wanted = parameters.get("FileSystemIds") or list(account.state.lustre)
    return {"FileSystems": [_found(account, identifier) for identifier in wanted]}


@operation("fsx", "update_file_system", refusals=(NO_FILE_SYSTEM, NO_SUCH_CAPACITY))
def update_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A larger capacity, or other settings of Lustre."""
    found = _found(account, parameters["FileSystemId"])
    capacity = parameters.get("StorageCapacity", found["StorageCapacity"])
    if capacity != 1200 and capacity % 2400:
        raise NO_SUCH_CAPACITY(capacity=capacity)
    found["StorageCapacity"] = capacity
    found["LustreConfiguration"] |= parameters.get("LustreConfiguration", {})
    return {"FileSystem": found}


@operation("fsx", "delete_file_system", refusals=(NO_FILE_SYSTEM,))
def delete_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """It goes with what is on it."""
    identifier = _found(account, parameters["FileSystemId"])["FileSystemId"]
    del account.state.lustre[identifier]
    return {"FileSystemId": identifier, "Lifecycle": "DELETING"}


@operation("fsx", "tag_resource", refusals=(NO_RESOURCE,))
def tag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags besides those that it has, or in their place."""
    found = _of_arn(account, parameters["ResourceARN"])
    new = {tag["Key"]: tag for tag in [*found["Tags"], *parameters["Tags"]]}
    found["Tags"] = list(new.values())
    return {}


@operation("fsx", "untag_resource", refusals=(NO_RESOURCE,))
def untag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Without the tags of these keys."""
    found = _of_arn(account, parameters["ResourceARN"])
    found["Tags"] = [tag for tag in found["Tags"] if tag["Key"] not in parameters["TagKeys"]]
    return {}


def _found(account: Backend, identifier: str) -> dict[str, Any]:
    if identifier not in account.state.lustre:
        raise NO_FILE_SYSTEM(identifier=identifier)
    return account.state.lustre[identifier]


def _of_arn(account: Backend, arn: str) -> dict[str, Any]:
    for found in account.state.lustre.values():
        if found["ResourceARN"] == arn:
            return found
    raise NO_RESOURCE(arn=arn)
