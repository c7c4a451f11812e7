"""The servers of a stack that show the metrics of vLLM, on whatever accelerators.

Source: NVIDIA NIM for Large Language Models 2.x, `reference/logging-and-observability`: NIM hands on the metrics of the engine in it as
they are, at its own path; the image without a model has vLLM; read 2026-11-23.
"""

from collections.abc import Iterator

from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack

PROGRAM = "vllm"


def vllm_servers(stack: ResolvedStack) -> Iterator[PlacedWorkload]:
    """Those whose node group can be resolved."""
    for placed in stack.workloads:
        if isinstance(placed.workload, Server) and _shows_vllm(placed.workload):
            yield placed


def _shows_vllm(server: Server) -> bool:
    return server.PROGRAM == PROGRAM or (isinstance(server, NimWorkload) and server.model_free)
