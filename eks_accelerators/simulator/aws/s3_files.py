"""S3 Files: file systems over buckets, and their mount targets, which are there at once. Buckets are not looked at: here are none."""

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
        source=(
            "S3 Files API (botocore 1.44.5, `s3files`); that a zone has one mount target and that a file system with mount targets is "
            "kept is believed, as with EFS, on which it is built (S3 user guide `s3-files`); read 2026-11-22."
        ),
    )
)

NO_FILE_SYSTEM = ApiRefusal("ResourceNotFoundException", "File system '{identifier}' does not exist.")
NO_TARGET = ApiRefusal("ResourceNotFoundException", "Mount target '{identifier}' does not exist.")
NO_RESOURCE = ApiRefusal("ResourceNotFoundException", "Resource '{identifier}' does not exist.")
NO_SUBNET = ApiRefusal("ValidationException", "The subnet ID '{subnet}' does not exist.")
TARGET_EXISTS = ApiRefusal("ConflictException", "A mount target exists in the zone already.")
MOUNTED = ApiRefusal("ConflictException", "The file system has mount targets.")


@operation("s3files", "create_file_system")
def create_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A file system over a bucket, or what has a prefix there."""
    identifier = f"fs-{_digest(account, parameters['bucket'])[:17]}"
    account.state.s3_files[identifier] = {
        "fileSystemId": identifier,
        "fileSystemArn": f"arn:aws:s3files:{account.state.region}:{ACCOUNT_ID}:file-system/{identifier}",
        "status": "available",
        "ownerId": ACCOUNT_ID,
        "tags": parameters.get("tags", []),
        **{key: parameters[key] for key in ("bucket", "prefix", "roleArn", "kmsKeyId") if key in parameters},
    }
    return account.state.s3_files[identifier]


@operation("s3files", "get_file_system", refusals=(NO_FILE_SYSTEM,))
def get_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The file system of that ID."""
    return _file_system(account, parameters)


@operation("s3files", "delete_file_system", refusals=(NO_FILE_SYSTEM, MOUNTED))
def delete_file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """It goes once nothing mounts it; the bucket stays."""
    identifier = _file_system(account, parameters)["fileSystemId"]
    if any(target["fileSystemId"] == identifier for target in account.state.s3_files_targets.values()):
        raise MOUNTED()
    del account.state.s3_files[identifier]
    return {}


@operation("s3files", "create_mount_target", refusals=(NO_FILE_SYSTEM, NO_SUBNET, TARGET_EXISTS))
def create_mount_target(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """A mount target in a subnet: one in each zone."""
    system, subnet = _file_system(account, parameters)["fileSystemId"], parameters["subnetId"]
    zones = {
        each["SubnetId"]: each["AvailabilityZoneId"] for each in account.moto("ec2", "describe_subnets", {})["Subnets"]
    }
    if subnet not in zones:
        raise NO_SUBNET(subnet=subnet)
    for known in account.state.s3_files_targets.values():
        if (known["fileSystemId"], known["availabilityZoneId"]) == (system, zones[subnet]):
            raise TARGET_EXISTS()
    identifier = f"fsmt-{_digest(account, subnet)[:17]}"
    account.state.s3_files_targets[identifier] = {
        "mountTargetId": identifier,
        "fileSystemId": system,
        "subnetId": subnet,
        "availabilityZoneId": zones[subnet],
        "ownerId": ACCOUNT_ID,
        "securityGroups": parameters.get("securityGroups", []),
        "status": "available",
    }
    return account.state.s3_files_targets[identifier]


@operation("s3files", "get_mount_target", refusals=(NO_TARGET,))
def get_mount_target(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """The mount target of that ID."""
    return _target(account, parameters)


@operation("s3files", "update_mount_target", refusals=(NO_TARGET,))
def update_mount_target(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Set the security groups of a mount target, at once."""
    target = _target(account, parameters)
    target["securityGroups"] = parameters["securityGroups"]
    return target


@operation("s3files", "delete_mount_target", refusals=(NO_TARGET,))
def delete_mount_target(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Nobody of its zone mounts any more."""
    del account.state.s3_files_targets[_target(account, parameters)["mountTargetId"]]
    return {}


@operation("s3files", "tag_resource", refusals=(NO_RESOURCE,))
def tag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tags besides those that the file system has, or in their place."""
    found = _tagged(account, parameters["resourceId"])
    new = {tag["key"]: tag for tag in [*found["tags"], *parameters["tags"]]}
    found["tags"] = list(new.values())
    return {}


@operation("s3files", "untag_resource", refusals=(NO_RESOURCE,))
def untag_resource(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Without the tags of these keys."""
    found = _tagged(account, parameters["resourceId"])
    found["tags"] = [tag for tag in found["tags"] if tag["key"] not in parameters["tagKeys"]]
    return {}


def _digest(account: Backend, what: str) -> str:
    account.state.file_systems_made += 1
    return hashlib.sha256(f"{what}/{account.state.file_systems_made}".encode()).hexdigest()


def _file_system(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    identifier = parameters["fileSystemId"]
    if identifier not in account.state.s3_files:
        raise NO_FILE_SYSTEM(identifier=identifier)
    return account.state.s3_files[identifier]


def _target(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    identifier = parameters["mountTargetId"]
    if identifier not in account.state.s3_files_targets:
        raise NO_TARGET(identifier=identifier)
    return account.state.s3_files_targets[identifier]


def _tagged(account: Backend, identifier: str) -> dict[str, Any]:
    if identifier not in account.state.s3_files:
        raise NO_RESOURCE(identifier=identifier)
    return account.state.s3_files[identifier]
