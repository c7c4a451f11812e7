"""The servers of a stack that are vLLM, on whatever accelerators: their pods have one label, and show the same metrics."""

from collections.abc import Iterator

from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack

PROGRAM = "vllm"


def vllm_servers(stack: ResolvedStack) -> Iterator[PlacedWorkload]:
    """Those whose node group can be resolved."""
    for placed in stack.workloads:
        if isinstance(placed.workload, Server) and placed.workload.PROGRAM == PROGRAM:
            yield placed
