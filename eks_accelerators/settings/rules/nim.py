"""Rules about NVIDIA NIM: its key, its image, and the GPUs that it is made for."""

from collections.abc import Iterator

from eks_accelerators.accelerators import nim
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("nim-key")
def nim_key(context: Context) -> Iterator[RuleFinding]:
    """The key of NGC has one source: a Pulumi secret, a secret of AWS Secrets Manager, or two Kubernetes Secrets.

    The image is pulled with one of them, and the model downloaded with the other.

    Source: NVIDIA NIM, `configuration`: the registry's user is `$oauthtoken`, the key also stands in `NGC_API_KEY`.
    """
    for name, workload in context.settings.workloads.nim.items():
        key = workload.ngc_key
        existing = [key.existing_secret, key.existing_pull_secret]
        made_of = [each for each in (key.config_secret, key.secrets_manager) if each is not None]
        complete = all(existing) if not made_of else len(made_of) == 1 and not any(existing)
        if not complete:
            written = key.model_dump(by_alias=True, exclude_none=True)
            yield RuleFinding(
                f"workloads.nim.{name}.ngcKey",
                "the key has one source, and pods need it twice",
                ", ".join(written) or "nothing",
                "configSecret, secretsManager, or existingSecret with existingPullSecret",
                "write ngcKey: {configSecret: ngcKey}, and run `pulumi config set --secret ngcKey`",
            )


@rule("nim-image")
def nim_image(context: Context) -> Iterator[RuleFinding]:
    """An image of NIM has its own model in it; for another model the image is named, or has none (`modelFree`).

    Source: `eks_accelerators/accelerators/data/nim.json`.
    """
    for name, workload in context.settings.workloads.nim.items():
        if workload.image is None and not workload.model_free and workload.model != nim.image_model():
            yield RuleFinding(
                f"workloads.nim.{name}.image",
                f"the image that is pinned here has {nim.image_model()} in it",
                "nothing",
                "an image of nvcr.io/nim, or modelFree: true",
                "name the image, with its tag, or write modelFree: true for the one that downloads its model",
            )


@rule("nim-shared")
def nim_shared(context: Context) -> Iterator[RuleFinding]:
    """NIM has its GPUs to itself: how much memory it takes of a shared one is not established.

    Source: NVIDIA NIM 1.12, `supported-models`: no MIG before 1.13; nothing is said of time-slicing and MPS.
    """
    for path, workload, group in _servers(context):
        offered = group.share_of(workload.resource_name)
        if offered.sharers > 1:
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{offered.sharers} pods share each {offered.device} of {group.name}, and nobody knows how NIM is kept to its share",
                group.name,
                "a group with whole GPUs",
                "use a group with sharing.strategy: exclusive, or workloads.vllm",
            )


@rule("nim-gpu-not-listed", Severity.WARNING)
def nim_gpu_not_listed(context: Context) -> Iterator[RuleFinding]:
    """NVIDIA lists the GPU for language models; others, the L4 among them, get a generic profile that nobody has verified.

    Source: `eks_accelerators/accelerators/data/nim.json`.
    """
    for path, _, group in _servers(context):
        gpu = group.type.accelerator.name
        if group.type.has_nvidia_gpu and gpu not in nim.listed_gpus():
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"NVIDIA does not list {gpu} for NIM: it gets a generic profile, and whether that starts is not established",
                gpu,
                ", ".join(nim.listed_gpus()),
                "try it before you rely on it, or use a G5, G6e or P type",
            )


def _servers(context: Context) -> Iterator[tuple[str, NimWorkload, ResolvedNodeGroup]]:
    for path, workload, group in context.placed:
        if isinstance(workload, NimWorkload):
            yield path, workload, group
