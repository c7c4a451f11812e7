"""Storage that outlives pods: file systems, buckets, and a cache on each node."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from eks_accelerators.settings.model.base import Model

BucketName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
"""The name of a general purpose bucket of S3."""

BucketPrefix = Annotated[str, StringConstraints(pattern=r"^[^/].*/$", max_length=1024)]
"""The beginning of keys in a bucket, which ends with a slash."""

Gib = Annotated[int, Field(ge=1, le=10**7)]
AbsolutePath = Annotated[str, StringConstraints(pattern=r"^/[A-Za-z0-9._/@+-]+$", max_length=255)]
KeyArn = Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/.+$")]


StorageClassName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]
"""The name of an object of Kubernetes."""

SubPath = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._@+-][A-Za-z0-9._/@+-]*$", max_length=255)]
"""A relative directory."""


class VolumeMount(Model):
    """Where a workload sees a storage."""

    mount_path: AbsolutePath
    """Directory in the container."""
    read_only: bool = False
    """Whether pods cannot write there."""
    sub_path: SubPath | None = None
    """Directory of the storage, relative, in place of all of it."""


class OnDestroy(StrEnum):
    """What becomes of a file system and what is on it."""

    PROTECT = "protect"
    DELETE = "delete"
    KEEP = "keep"


class LustreDeployment(StrEnum):
    """Deployment types of FSx for Lustre, as AWS spells them."""

    SCRATCH_2 = "SCRATCH_2"
    PERSISTENT_2 = "PERSISTENT_2"


class FsxLustre(Model):
    """FSx for Lustre: a parallel file system in one zone."""

    zone: str
    """Zone of the network where it lies; node groups that use it have nodes there alone."""
    deployment_type: LustreDeployment
    """`SCRATCH_2` is not replicated, for what can be made again; `PERSISTENT_2` is, for checkpoints."""
    capacity_gib: Gib = 1200
    """Size in GiB."""
    throughput_mibps_per_tib: Annotated[int, Field(ge=1)] | None = None
    """Throughput in MiB/s for each TiB, with `PERSISTENT_2`: 125, 250, 500 or 1000. `SCRATCH_2` has 200."""
    efa: bool = False
    """Whether clients reach it by EFA; with `PERSISTENT_2` only. Cannot be changed, nor can throughput then."""
    metadata_iops: Annotated[int, Field(ge=1)] | None = None
    """IOPS for metadata, with `PERSISTENT_2`; by default AWS chooses by the capacity."""
    compression: bool = True
    """Whether what is written is compressed (LZ4)."""
    backup_retention_days: Annotated[int, Field(ge=0, le=90)] = 0
    """Days that daily backups are kept, with `PERSISTENT_2`; 0 makes none."""
    kms_key_arn: KeyArn | None = None
    """KMS key; by default the account's key for FSx. Always encrypted."""
    on_destroy: OnDestroy | None = None
    """What becomes of it when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes it with its data, `keep`
    leaves it behind, and its bill. By default `protect`; `delete` with `SCRATCH_2`."""

    @property
    def fate(self) -> OnDestroy:
        """`onDestroy`, after defaults."""
        is_scratch = self.deployment_type is LustreDeployment.SCRATCH_2
        return self.on_destroy or (OnDestroy.DELETE if is_scratch else OnDestroy.PROTECT)


class EfsThroughput(StrEnum):
    """Throughput modes of EFS."""

    ELASTIC = "elastic"
    BURSTING = "bursting"
    PROVISIONED = "provisioned"


class Efs(Model):
    """Elastic File System: NFS for pods on any node."""

    zone: str | None = None
    """One zone of the network, for half the price (One Zone); by default it is in all of them."""
    throughput: EfsThroughput = EfsThroughput.ELASTIC
    """`elastic` is paid for by what is read and written, `provisioned` by what could be; `bursting` grows with the data."""
    provisioned_mibps: Annotated[int, Field(ge=1, le=3414)] | None = None
    """Throughput in MiB/s, with `provisioned`."""
    expected_gib: Gib | None = None
    """GiB that you expect to be there, for the cost; the file system itself grows as it needs."""
    user_id: Annotated[int, Field(ge=0, le=4294967295)] = 1000
    """User and group to whom everything on it belongs, whoever the pod runs as."""
    kms_key_arn: KeyArn | None = None
    """KMS key; by default the account's key for EFS. Always encrypted."""
    on_destroy: OnDestroy = OnDestroy.PROTECT
    """What becomes of it when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes it with its data, `keep`
    leaves it behind, and its bill."""

    @property
    def fate(self) -> OnDestroy:
        """What becomes of the data when the stack lets go of it, `onDestroy`."""
        return self.on_destroy


class S3Bucket(Model):
    """A bucket that is there, mounted by Mountpoint: large files, read from the beginning to the end."""

    bucket: BucketName
    """Name of the bucket, in the region of the stack."""
    prefix: BucketPrefix | None = None
    """Beginning of the keys that pods see, with a slash at its end; by default the whole bucket."""
    write: bool = False
    """Whether pods may write new files and delete old ones. None can be changed or renamed."""
    cache_gib: Gib | None = None
    """GiB of the node's disk that keep what was read; by default it is read anew each time."""
    expected_gib: Gib | None = None
    """GiB that you expect to be there, for the cost."""


class S3Files(Model):
    """S3 Files: a file system over a bucket that is there, for pods on any node."""

    bucket: BucketName
    """Name of the bucket, in the region of the stack; it keeps versions."""
    prefix: BucketPrefix | None = None
    """Beginning of the keys that become files, with a slash at its end; by default the whole bucket."""
    expected_gib: Gib | None = None
    """GiB that you expect to be there, for the cost."""
    on_destroy: OnDestroy = OnDestroy.PROTECT
    """What becomes of the file system when the stack lets go of it: `protect` refuses to destroy it, `delete` deletes it, `keep`
    leaves it behind, and its bill. The bucket stays."""

    @property
    def fate(self) -> OnDestroy:
        """What becomes of the data when the stack lets go of it, `onDestroy`."""
        return self.on_destroy


class NodeCache(Model):
    """A directory on the disks inside each instance: fast, and gone with the node."""

    directory: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")] | None = None
    """Directory on those disks; by default the name of the storage."""


MadeStorage = FsxLustre | Efs | S3Files
"""What a stack makes, and may destroy."""

Storage = MadeStorage | S3Bucket | NodeCache


class StorageSettings(Model):
    """One storage: exactly one of its kinds is written."""

    fsx_lustre: FsxLustre | None = None
    """FSx for Lustre, made by the stack."""
    efs: Efs | None = None
    """Elastic File System, made by the stack."""
    s3_bucket: S3Bucket | None = None
    """A bucket that is there, mounted by Mountpoint."""
    s3_files: S3Files | None = None
    """S3 Files over a bucket that is there, made by the stack."""
    node_cache: NodeCache | None = None
    """The disks inside each instance."""

    def each(self) -> Iterator[tuple[str, Storage]]:
        """Key as in the stack file, and settings, of every kind that is written: exactly one is allowed."""
        for name, info in type(self).model_fields.items():
            if (found := getattr(self, name)) is not None:
                yield info.alias or name, found

    @property
    def kind(self) -> Storage:
        """The storage, of whatever kind."""
        return next(found for _, found in self.each())
