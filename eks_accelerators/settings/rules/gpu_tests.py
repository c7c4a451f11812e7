"""Rules about loads: that their pods share a GPU, and what can be seen of it."""

from collections.abc import Iterator

from eks_accelerators.settings.model.gpu_tests import DcgmProfTesterSettings
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("load-on-one-gpu", Severity.WARNING)
def load_on_one_gpu(context: Context) -> Iterator[RuleFinding]:
    """The pods of a load share one GPU, or one MIG instance; otherwise they show nothing of sharing.

    Source: k8s-device-plugin v0.20.0: `distributed`, the default, gives the next pod a share of the GPU with the fewest.
    """
    for path, load, group in _loads(context):
        share = group.share_of(load.resource_name)
        if load.pods == 1:
            continue
        if share.sharers < load.pods:
            yield RuleFinding(
                f"{path}.pods",
                f"one {share.device} has {_shares(share.sharers)}, so that the pods are on several",
                str(load.pods),
                f"at most {share.sharers}, or a node group with more sharing.replicas",
                "use a node group with timeSlicing or mps" if share.sharers == 1 else f"set pods: {share.sharers}",
            )
        elif share.count > share.sharers and group.sharing.allocation_policy != "packed":
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"a node of {group.name} has {share.count // share.sharers} x {share.device}, and each pod gets a share of "
                "another one",
                group.name,
                "one GPU per node, or sharing.allocationPolicy: packed",
                f"set nodeGroups.{group.name}.sharing.allocationPolicy: packed, or use a type with one GPU",
            )


@rule("load-under-mps", Severity.WARNING)
def load_under_mps(context: Context) -> Iterator[RuleFinding]:
    """Under MPS the metrics of a load's pods cannot be told apart: all their work is done by one MPS server.

    Source: dcgm-exporter 4.8.2 `internal/pkg/transformation/kubernetes.go`: it goes by the processes of a pod.
    """
    for path, load, group in _loads(context):
        if load.pods > 1 and group.sharing.strategy == "mps":
            yield RuleFinding(
                f"{path}.nodeGroup",
                f"{group.name} is shared by MPS: no metric says which pod keeps the GPU busy",
                group.name,
                "timeSlicing, for metrics by pod",
                "read the whole GPU's metrics, or use a node group with timeSlicing",
            )


def _shares(count: int) -> str:
    return "one share" if count == 1 else f"{count} shares"


def _loads(context: Context) -> Iterator[tuple[str, DcgmProfTesterSettings, ResolvedNodeGroup]]:
    """Path, settings and node group of every load whose group has NVIDIA GPUs."""
    for path, load, group in context.placed:
        if isinstance(load, DcgmProfTesterSettings) and group.type.has_nvidia_gpu:
            yield path, load, group
