"""What `simulate.py` measures, in a process of its own: node groups on simulated AWS, or resources that are nothing.

`deployments.py (node-groups|empty) COUNT` deploys, deploys again and destroys under the real engine, and prints the CPU
seconds of each as JSON: of this process, which serves the providers, and of the engine. Without Kubernetes.
"""

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pulumi
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from eks_accelerators import components
from eks_accelerators.simulator import engines, servers
from eks_accelerators.simulator.engine import Engine, Program
from eks_accelerators.simulator.providers.server import ProviderServer
from eks_accelerators.simulator.simulation import opened

CHILDREN = 8
"""Resources of a node group: a launch template, the group itself and the tags of its scaling group."""

REGION = "us-east-2"
CLUSTER = "shared-services"
WORLD = {"cluster": {"name": CLUSTER, "kubernetesVersion": "1.35", "zones": ["us-east-2a", "us-east-2b"]}}


class NothingProvider(ProviderServer):
    """Resources without properties, which are there as soon as they are wanted."""

    def Check(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Create(self, request: Any, context: Any) -> Any:
        return provider_pb2.CreateResponse(id="nothing", properties=request.properties)

    def Delete(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


def empty(count: int) -> Callable[[], None]:
    def program() -> None:
        for number in range(count):
            parent = pulumi.ComponentResource("nothing:index:Group", f"group-{number}")
            parent.register_outputs({})
            for child in range(CHILDREN):
                opts = pulumi.ResourceOptions(parent=parent)
                pulumi.CustomResource("nothing:index:Nothing", f"nothing-{number}-{child}", {}, opts)

    return program


def node_groups(count: int, found: dict[str, Any]) -> Callable[[], None]:
    network = found["resourcesVpcConfig"]
    subnets = [
        {"id": subnet, "zone": zone}
        for subnet, zone in zip(network["subnetIds"], ("us-east-2a", "us-east-2b"), strict=False)
    ]

    def program() -> None:
        for number in range(count):
            components.AcceleratorNodeGroup(
                f"group-{number}",
                {
                    "cluster_name": CLUSTER,
                    "cluster_security_group_id": network["clusterSecurityGroupId"],
                    "vpc_id": network["vpcId"],
                    "subnets": subnets,
                    "kubernetes_version": "1.35",
                    "instance_type": "g6.2xlarge",
                    "size": {"max": 2},
                    "node_role_arn": "arn:aws:iam::111122223333:role/shared-services-node",
                },
            )

    return program


@contextmanager
def measured(into: dict[str, float], name: str) -> Any:
    before = cpu_seconds()
    yield
    into[name] = cpu_seconds() - before


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure(run: Callable[[str], Any], count: int) -> dict[str, float]:
    taken: dict[str, float] = {}
    for name, action in (("up", "up"), ("up again", "up"), ("destroy", "destroy")):
        with measured(taken, name):
            outcome = run(action)
        if not outcome.ok:
            sys.exit(f"{name} failed: {outcome.errors}")
        if name == "up" and outcome.changes["create"] != 1 + count * (1 + CHILDREN):
            sys.exit(f"a node group has not {CHILDREN} resources: {outcome.changes}")
    return taken


def main(kind: str, count: int) -> dict[str, float]:
    found = engines.find(["pulumi"])
    with tempfile.TemporaryDirectory(prefix="accel-benchmark-") as folder:
        state = Path(folder) / "state"
        if kind == "empty":
            program = Program(empty(count), "benchmark", "many", {})
            state.mkdir()
            with servers.serving({"nothing": NothingProvider()}) as addresses:
                engine = Engine(found["pulumi"], state)
                return measure(lambda action: engine.run(action, program, addresses), count)  # type: ignore[arg-type]
        now = datetime.now(UTC)
        with opened(state, found, region=REGION, now=now, world=WORLD, kubernetes=False) as simulation:
            described = simulation.account.state.clusters[CLUSTER].described
            program = Program(node_groups(count, described), "benchmark", "many", {"aws:region": REGION})
            return measure(lambda action: simulation.run(action, program), count)  # type: ignore[arg-type]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
