"""Rules about CUDA graphs: that there is memory for them, and that nobody goes without them unawares."""

from collections.abc import Iterator

from eks_accelerators.accelerators.model_memory import fits_without_cuda_graphs, usable_gib
from eks_accelerators.accelerators.sharing import Share
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("cuda-graphs-memory")
def cuda_graphs_memory(context: Context) -> Iterator[RuleFinding]:
    """Servers that are told to use CUDA graphs have memory for them: vLLM captures them when its KV cache is there.

    Source: vLLM 0.28 `vllm/v1/worker/gpu_worker.py`: with `--kv-cache-memory-bytes` nothing is kept free for graphs. What they take
    is an estimate.
    """
    for path, workload, fit, share in _told(context):
        if not (workload.cuda_graphs and fit.need and share.memory_mib) or fit.servers_per_gpu is None:
            continue
        # What does not fit without them either is judged by workload-memory.
        lacks = fit.servers_per_gpu < share.sharers
        if lacks and fits_without_cuda_graphs(fit.need, share.memory_mib, share.sharers):
            each = "a server" if share.sharers == 1 else f"each of {share.sharers} servers"
            yield RuleFinding(
                f"{path}.cudaGraphs",
                f"{each} needs {fit.need.total_gib:.2f} GiB with CUDA graphs; {share.device} has {usable_gib(share.memory_mib):.2f} GiB "
                f"to give ({fit.arithmetic})",
                "true",
                "false",
                "remove cudaGraphs, or use a shorter maxModelLen or fewer concurrentSequences",
            )


@rule("cuda-graphs-left-out", Severity.WARNING)
def cuda_graphs_left_out(context: Context) -> Iterator[RuleFinding]:
    """A server that has its GPU or MIG instance to itself has memory for CUDA graphs.

    Without them its GPU waits for the host at every layer. What they take is an estimate.
    """
    for path, workload, fit, share in _told(context):
        if workload.cuda_graphs is None and share.sharers == 1 and not fit.cuda_graphs and fit.servers_per_gpu:
            yield RuleFinding(
                f"{path}.cudaGraphs",
                f"beside the KV cache {share.device} has no memory for CUDA graphs, so that each layer's kernels are started one by "
                f"one ({fit.arithmetic})",
                "none",
                "memory for them",
                "use a shorter maxModelLen, fewer concurrentSequences or a larger GPU, or set cudaGraphs: false if that is meant",
            )


def _told(context: Context) -> Iterator[tuple[str, VllmWorkload, Fit, Share]]:
    """Language models whose server is told whether it uses graphs, as if vLLM served them: NIM decides by itself."""
    for placed in context.stack.workloads:
        found, fit = language_model_of(placed.workload), placed.fit
        if found and isinstance(fit, Fit) and not isinstance(placed.workload, NimWorkload):
            yield placed.path + found[0], found[1], fit, placed.group.share_of(placed.workload.resource_name)
