"""What pods may do with storage: only what the stack names, and only what its volumes need.

Sources: awslabs/mountpoint-s3-csi-driver 2.7.0 `docs/CONFIGURATION.md` and mountpoint-s3 `doc/CONFIGURATION.md`, IAM permissions; the
managed policy `AmazonEFSCSIDriverPolicy`, without what makes access points; S3 user guide `s3-files-prereq-policies` and
`s3-files-security-iam`; read 2026-11-22.
"""

from typing import Any

from eks_accelerators.settings.model.storage import S3Files

Policy = dict[str, Any]

_READ = ("s3:GetObject", "s3:GetObjectVersion")

_KEPT_ALIKE = (
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:DeleteObjectTagging",
    "s3:DeleteObjectVersion",
    "s3:DeleteObjectVersionTagging",
    "s3:GetObject",
    "s3:GetObjectAttributes",
    "s3:GetObjectTagging",
    "s3:GetObjectVersion",
    "s3:GetObjectVersionAttributes",
    "s3:GetObjectVersionTagging",
    "s3:ListMultipartUploadParts",
    "s3:PutObject",
    "s3:PutObjectTagging",
    "s3:PutObjectVersionTagging",
)
"""What the user guide writes with stars (`s3:GetObject*` and the like), without ACLs, locks and torrents: that these are enough is
believed."""


def bucket_arn(partition: str, bucket: str) -> str:
    """As policies name a bucket; with `/*` behind it, what is in it."""
    return f"arn:{partition}:s3:::{bucket}"


def bucket(partition: str, name: str, prefix: str | None, *, write: bool) -> Policy:
    """To read the bucket below ``prefix``; to ``write`` new files and delete old ones too."""
    more = ("s3:PutObject", "s3:AbortMultipartUpload", "s3:DeleteObject") if write else ()
    return _policy(_objects(partition, name, prefix, ("s3:GetObject", *more)))


def lustre() -> Policy:
    """To look at file systems, which IAM allows of all or none: a volume that the stack makes needs no more, as the driver makes
    none.
    """
    return _policy([_allow(("fsx:DescribeFileSystems",), "*")])


def elastic(arn: str) -> Policy:
    """To find the mount targets of the file system where names do not resolve."""
    looked_at = ("DescribeAccessPoints", "DescribeFileSystems", "DescribeMountTargets")
    return _policy(
        [
            _allow(tuple(f"elasticfilesystem:{action}" for action in looked_at), arn),
            _allow(("ec2:DescribeAvailabilityZones",), "*"),
        ]
    )


def s3_files(partition: str, arn: str, storage: S3Files) -> Policy:
    """To mount the file system and write there, and to read large files from its bucket directly."""
    mounted = ("s3files:ClientMount", "s3files:ClientWrite", "s3files:ClientRootAccess", "s3files:ListMountTargets")
    return _policy([_allow(mounted, arn), *_objects(partition, storage.bucket, storage.prefix, _READ)])


def synchronization(partition: str, bucket: str, prefix: str | None) -> Policy:
    """What S3 Files itself does: it keeps bucket and file system alike, and hears of changes by EventBridge."""
    rules = f"arn:{partition}:events:*:*:rule"
    changed = ("DeleteRule", "DisableRule", "EnableRule", "PutRule", "PutTargets", "RemoveTargets")
    read = ("DescribeRule", "ListRuleNamesByTarget", "ListRules", "ListTargetsByRule")
    return _policy(
        [
            _allow(("s3:ListBucket", "s3:ListBucketVersions"), bucket_arn(partition, bucket)),
            _allow(_KEPT_ALIKE, f"{bucket_arn(partition, bucket)}/{prefix or ''}*"),
            {
                **_allow(tuple(f"events:{action}" for action in changed), f"{rules}/DO-NOT-DELETE-S3-Files*"),
                "Condition": {"StringEquals": {"events:ManagedBy": "elasticfilesystem.amazonaws.com"}},
            },
            _allow(tuple(f"events:{action}" for action in read), f"{rules}/*"),
        ]
    )


def _objects(partition: str, bucket: str, prefix: str | None, actions: tuple[str, ...]) -> list[dict[str, Any]]:
    """To list a bucket below ``prefix``, and ``actions`` on what is there."""
    listing = _allow(("s3:ListBucket",), bucket_arn(partition, bucket))
    if prefix:
        listing["Condition"] = {"StringLike": {"s3:prefix": [prefix, f"{prefix}*"]}}
    return [listing, _allow(actions, f"{bucket_arn(partition, bucket)}/{prefix or ''}*")]


def _allow(actions: tuple[str, ...], resource: str) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": list(actions), "Resource": resource}


def _policy(statements: list[dict[str, Any]]) -> Policy:
    return {"Version": "2012-10-17", "Statement": statements}
