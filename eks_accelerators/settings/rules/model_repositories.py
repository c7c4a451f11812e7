"""Rules about servers that load what lies in a directory: Triton and TensorFlow Serving."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.storage import StorageSettings
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule
from eks_accelerators.settings.tf_serving import TfServingFit

_S3, _NAME, _DIRECTORY = "s3://", "models", "/models"


@rule("triton-repository")
def triton_repository(context: Context) -> Iterator[RuleFinding]:
    """Triton serves a repository or one language model, and `models` are those of the repository."""
    for name, workload in context.settings.workloads.triton.items():
        path = f"workloads.triton.{name}"
        if (workload.repository is None) == (workload.vllm is None):
            yield RuleFinding(
                path,
                "it serves one of the two",
                "both" if workload.vllm else "neither",
                "repository or vllm",
                "write repository: /models/..., or vllm: {model: ...}",
            )
        elif workload.vllm and workload.models:
            yield RuleFinding(
                f"{path}.models",
                "the repository of a language model is made here, and has that model alone",
                ", ".join(workload.models),
                "nothing beside vllm",
                "remove models",
            )


@rule("triton-s3")
def triton_s3(context: Context) -> Iterator[RuleFinding]:
    """Triton has a repository in S3 as a volume, and names its directory there; it cannot take credentials of Pod Identity.

    Source: triton-inference-server/third_party at 6f855c0, `CMakeLists.txt`: AWS SDK for C++ 1.11.60; EKS user guide,
    `pod-id-minimum-sdk`: Pod Identity needs 1.11.263. What is left is a static key in a Secret, which is refused.
    """
    for name, workload in context.settings.workloads.triton.items():
        if workload.repository and workload.repository.startswith(_S3):
            yield RuleFinding(
                f"workloads.triton.{name}.repository",
                "the AWS SDK in Triton is too old for EKS Pod Identity, and a static key is none that we hand out",
                workload.repository,
                "a directory on one of volumes",
                _by_mountpoint(context.settings.storage, workload.repository),
            )


def _by_mountpoint(storage: Mapping[str, StorageSettings], repository: str) -> str:
    """What to write in place of an address in S3: its bucket as a volume, and the directory of it there."""
    bucket, _, keys = repository.removeprefix(_S3).partition("/")
    for name, each in storage.items():
        there = each.s3_bucket
        if there and there.bucket == bucket and keys.startswith(there.prefix or ""):
            return f"write {_mounted(name, keys.removeprefix(there.prefix or ''))}"
    made = f"storage: {{{_NAME}: {{s3Bucket: {{bucket: {bucket}}}}}}}"
    return f"write {made}, and here {_mounted(_NAME, keys)}"


def _mounted(name: str, keys: str) -> str:
    directory = PurePosixPath(_DIRECTORY, keys)
    return f"volumes: {{{name}: {{mountPath: {_DIRECTORY}, readOnly: true}}}} and repository: {directory}"


@rule("model-not-on-volume")
def model_not_on_volume(context: Context) -> Iterator[RuleFinding]:
    """The directory that a server loads lies on one of its volumes: the image has nothing there."""
    for key, path, server, directory in _directories(context):
        if not any(_is_below(directory, mount.mount_path) for mount in server.volumes.values()):
            mounted = ", ".join(mount.mount_path for mount in server.volumes.values())
            yield RuleFinding(
                f"{path}.{key}",
                "none of its volumes is mounted there",
                directory,
                f"a directory below {mounted}" if mounted else "a directory on a volume",
                "add to volumes what has the models: {models: {mountPath: /models, readOnly: true}}",
            )


@rule("model-memory-unknown", Severity.WARNING)
def model_memory_unknown(context: Context) -> Iterator[RuleFinding]:
    """Where a GPU is shared, a server says how much of its memory the models take: nobody else knows.

    Time-slicing divides time, not memory: one server that takes more than its share ends the others.
    """
    for placed in context.stack.workloads:
        workload, group = placed.workload, placed.group
        offered = group.share_of(workload.resource_name)
        if offered.sharers > 1 and workload.lacks_gpu_memory:
            yield RuleFinding(
                f"{placed.path}.gpuMemoryGib",
                f"{offered.sharers} pods share each {offered.device}, and what the models take is not known",
                "nothing",
                "GiB that the models of one server take",
                "measure it with nvidia-smi, and write it",
            )


@rule("tf-serving-memory")
def tf_serving_memory(context: Context) -> Iterator[RuleFinding]:
    """The model fits the part of the GPU's memory that each server may take: 0.9 / shares.

    Source: `eks_accelerators/settings/tf_serving.py`. Without the fraction the first server takes the whole GPU.
    """
    for placed in context.stack.workloads:
        workload, fit = placed.workload, placed.fit
        if not (isinstance(workload, TfServingWorkload) and isinstance(fit, TfServingFit)):
            continue
        if fit.memory_fraction == 0:
            yield RuleFinding(
                f"nodeGroups.{placed.group.name}.sharing.replicas",
                "a part below a hundredth counts as none, and the first server would take the whole GPU",
                str(placed.group.share_of(workload.resource_name).sharers),
                "at most 90",
                "share the GPU among fewer pods",
            )
        elif workload.gpu_memory_gib and fit.memory_gib is not None and workload.gpu_memory_gib > fit.memory_gib:
            yield RuleFinding(
                f"{placed.path}.gpuMemoryGib",
                f"each server may take {fit.memory_fraction:.2f} of the GPU, {fit.memory_gib:.2f} GiB",
                f"{workload.gpu_memory_gib:g}",
                f"at most {fit.memory_gib:.2f}",
                "share the GPU among fewer pods, or use a larger one",
            )


def _directories(context: Context) -> Iterator[tuple[str, str, Server, str]]:
    """Setting, path and settings of each server that loads a directory, and the directory."""
    for name, workload in context.settings.workloads.triton.items():
        if workload.repository and workload.repository.startswith("/"):
            yield "repository", f"workloads.triton.{name}", workload, workload.repository
    for name, served in context.settings.workloads.tf_serving.items():
        yield "modelPath", f"workloads.tfServing.{name}", served, served.model_path


def _is_below(directory: str, mounted: str) -> bool:
    return PurePosixPath(directory).is_relative_to(PurePosixPath(mounted))
