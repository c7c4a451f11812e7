"""A node autoscaler that runs, whichever it is."""

from dataclasses import dataclass

from eks_accelerators.simulator.processes import Servers


@dataclass(frozen=True)
class NodeAutoscalerProgram:
    """The process called ``name`` among ``servers``. ``metrics_url`` has its metrics for Prometheus."""

    name: str
    metrics_url: str
    servers: Servers

    def log(self) -> str:
        """The text of its log so far; of Karpenter, lines of JSON."""
        return (self.servers.folder / f"{self.name}.log").read_text(encoding="utf-8", errors="replace")
