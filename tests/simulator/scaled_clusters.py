"""A small cluster whose account's clock runs, so that a real node autoscaler can look after it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from eks_accelerators.accelerators.autoscaler import PREFIX
from eks_accelerators.simulator.aws.model import ScalingGroup
from eks_accelerators.simulator.aws_endpoint import AwsEndpoint
from eks_accelerators.simulator.pace import Pace
from eks_accelerators.simulator.running_clock import RunningClock, running
from eks_accelerators.simulator.simulation import Simulation
from tests.polls import until
from tests.simulator.small_clusters import CLUSTER, nodes, small_cluster

OWN_TAG = "eks-accelerators/autoscaled"
USUAL_TAGS = ("k8s.io/cluster-autoscaler/enabled", f"k8s.io/cluster-autoscaler/{CLUSTER}")
"""What EKS puts on the scaling groups of all managed node groups."""


@dataclass(frozen=True)
class Loop:
    """The cluster, where its account is served, and its clock."""

    sim: Simulation
    aws: AwsEndpoint
    clock: RunningClock

    def group(self, name: str) -> ScalingGroup:
        return self.sim.account.state.clusters[CLUSTER].node_groups[name].scaling

    def tag(self, group: str, tags: Mapping[str, str]) -> None:
        name = self.group(group).name
        listed = [{"ResourceId": name, "ResourceType": "auto-scaling-group", "PropagateAtLaunch": False}]
        listed = [{**each, "Key": key, "Value": value} for each in listed for key, value in tags.items()]
        self.sim.account.call("autoscaling", "create_or_update_tags", Tags=listed)

    def offer(self, group: str, resources: Mapping[str, int]) -> None:
        """Let the autoscaler have the group, whose nodes have ``resources``."""
        self.tag(group, {OWN_TAG: "true", **{f"{PREFIX}resources/{each}": str(n) for each, n in resources.items()}})

    def nodes(self, group: str) -> list[str]:
        """Instance IDs of the Nodes of a group."""
        return sorted(node["spec"]["providerID"].rpartition("/")[2] for node in nodes(self.sim, group))

    def when(self, condition) -> datetime:
        """The moment at which ``condition`` has come to pass."""
        until(condition)
        return self.clock.now


@contextmanager
def scaled_cluster(folder, engines, pace: Pace, **world: Any) -> Iterator[Loop]:
    with (
        small_cluster(folder, engines, **world) as sim,
        running(sim.account, pace, sim.kubelets) as clock,
        AwsEndpoint(sim.account, clock) as aws,
    ):
        yield Loop(sim, aws, clock)
