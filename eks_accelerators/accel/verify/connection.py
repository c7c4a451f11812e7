"""The cluster that a verification looks at: that of a kubeconfig, or of a simulation."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from eks_accelerators.accel.aws import Whom
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accel.verify.kubernetes_cluster import KubernetesCluster
from eks_accelerators.accel.verify.question import VerifyQuestion
from eks_accelerators.settings.resolved_stack import ResolvedStack


class VerifyRefusedError(Exception):
    """It is not done; the message says why and what to do. Nothing was looked at."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection to a cluster whose API has answered; ``simulated`` where it is one of `accel simulate`."""

    cluster: KubernetesCluster
    simulated: bool = False


@contextmanager
def connected(
    location: StackLocation, whom: Whom | None, stack: ResolvedStack, question: VerifyQuestion
) -> Iterator[Connected]:
    """The cluster that is looked at. Raises `VerifyRefusedError`, and `ClusterError` for a kubeconfig that cannot be used."""
    if whom is not None and whom.simulated:
        if question.kubeconfig or question.context:
            raise VerifyRefusedError(
                "--kubeconfig and --context are of a real cluster: leave them, or --simulated, out"
            )
        from eks_accelerators.accel.verify.simulation import simulation_of

        with simulation_of(location, whom, stack, question.faults) as simulated:
            yield Connected(simulated, simulated=True)
        return
    if question.faults:
        raise VerifyRefusedError("--fault is for a simulation: write `accel --simulated verify`")
    cluster = KubernetesCluster(question.kubeconfig, question.context)
    try:
        yield Connected(cluster)
    finally:
        cluster.close()
