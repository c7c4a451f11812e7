"""Weights that a server streams from S3, in place of a download from Hugging Face."""

from typing import Annotated

from pydantic import Field

from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.storage import BucketName, BucketPrefix


class S3Weights(Model):
    """Weights in S3: the model's own files, safetensors, in a bucket that is there."""

    bucket: BucketName
    """Name of the bucket, in the region of the stack."""
    prefix: BucketPrefix | None = None
    """Beginning of the keys of the model's files, with a slash at its end; by default they lie at the top of the bucket."""
    concurrency: Annotated[int, Field(ge=1, le=256)] = 16
    """Requests to S3 at a time."""
    memory_gib: Annotated[int, Field(ge=1, le=1024)] = 4
    """GiB of the pod's memory that hold what was read, until it is on the GPU; below the pod's limit."""
