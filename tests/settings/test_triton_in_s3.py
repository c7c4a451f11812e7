"""A repository of Triton in S3: what is refused says what to write, and that serves the same models."""

import re

import pytest
import yaml

from tests.settings.example import check
from tests.test_program import deployed

TRITON = "workloads.triton.vision"
WRITTEN = re.compile(r"(storage|volumes|repository): (\{.*?\}(?= and |, and |$)|\S+)")


def of(repository, **storage):
    return {
        "workloads": {"triton": {"vision": {"nodeGroup": "gpu", "repository": repository}}},
        **{f"storage.{name}": {"s3Bucket": bucket} for name, bucket in storage.items()},
    }


def as_the_fix_has_it(patch):
    (problem,) = [each for each in check(patch).problems if each.code == "triton-s3"]
    assert problem.path == f"{TRITON}.repository"
    written = {key: yaml.safe_load(text) for key, text in WRITTEN.findall(problem.fix)}
    storage = {f"storage.{name}": each for name, each in written.pop("storage", {}).items()}
    return {**patch, **storage, **{f"{TRITON}.{key}": value for key, value in written.items()}}


@pytest.mark.parametrize(
    ("patch", "directory"),
    [
        pytest.param(of("s3://models-of-ours/vision"), "/models/vision", id="its-bucket-becomes-a-volume"),
        pytest.param(of("s3://models-of-ours"), "/models", id="a-whole-bucket"),
        pytest.param(
            of("s3://models-of-ours/live/vision", ours={"bucket": "models-of-ours", "prefix": "live/"}),
            "/models/vision",
            id="a-bucket-of-which-pods-see-a-part",
        ),
        pytest.param(
            of("s3://models-of-ours/vision", ours={"bucket": "models-of-ours", "prefix": "live/"}),
            "/models/vision",
            id="beside-the-part-that-they-see",
        ),
    ],
)
def test_what_the_error_says_serves_the_models(patch, directory):
    deployment = deployed(as_the_fix_has_it(patch))

    assert deployment.error is None, deployment.error
    (pod,) = [each.inputs["spec"]["template"]["spec"] for each in deployment.of("Deployment") if each.name == "vision"]
    (container,) = pod["containers"]
    assert f"--model-repository={directory}" in container["args"]
    (mount,) = [each for each in container["volumeMounts"] if each["mountPath"] == "/models"]
    assert mount["readOnly"] is True
    volumes = [each.inputs["spec"]["csi"]["volumeAttributes"] for each in deployment.of("PersistentVolume")]
    assert {each["bucketName"] for each in volumes} == {"models-of-ours"}
