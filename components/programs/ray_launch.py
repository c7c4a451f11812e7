"""Runs a training program in a Ray cluster: the program of a RayJob, on the head.

An actor on each node runs `launch.py`, which runs `torchrun`: a program is the same as in a Job, with the same rendezvous, the same
last checkpoint before a node goes (Ray's pods ask `launch.py` to end before they end), and the same exit statuses. Where a program
ended early because a node goes, it begins again when Ray has as many nodes again; that is no fault. After a fault this
ends with status 1, and KubeRay makes another cluster, as often as RayJob's `backoffLimit` says.

With RAY_DRIVER the program is one of Ray's own (Ray Train, Ray Tune), and runs here once, in place of all that.

Environment: NODES, PROCESSES_PER_NODE, PROGRAM (a JSON list: the program and its arguments), RENDEZVOUS_ID, MAX_RESTARTS, STOP_FILE, and
what `launch.py` and the program read on each node.

Source: Ray 2.56 documentation, placement groups (`STRICT_SPREAD`: each bundle on a node of its own; `ready` waits for nodes), actors
(`RayActorError` where a node is lost), read 2026-11-22.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")

ENDED_EARLY = (75, 143)
"""Exit statuses of `launch.py`: another node goes, or this one."""

PASSED_ON = ("NODES", "PROCESSES_PER_NODE", "RENDEZVOUS_ID", "MAX_RESTARTS")
"""What the head tells the nodes."""


class Node:
    """What runs on one node of the cluster, as an actor of Ray."""

    def address(self) -> str:
        """Where the other nodes reach this one."""
        import ray

        return str(ray.util.get_node_ip_address())

    def is_going(self) -> bool:
        """Whether its pod is about to end: Ray does not know yet."""
        return Path(f"{os.environ['STOP_FILE']}.going").exists()

    def run(self, told: Mapping[str, str], program: Sequence[str]) -> int:
        """The exit status of `launch.py`. Its process ID is in a file as long as it runs, for who ends the pod."""
        running = Path(f"{os.environ['STOP_FILE']}.pid")
        child = subprocess.Popen([sys.executable, str(LAUNCHER), *program], env={**os.environ, **told})
        running.write_text(str(child.pid), encoding="ascii")
        try:
            return child.wait()
        finally:
            running.unlink(missing_ok=True)


def outcome(statuses: Sequence[int]) -> int | None:
    """The exit status of the whole, of those of the nodes; None where it has to begin again."""
    if any(status not in (0, *ENDED_EARLY) for status in statuses):
        return 1
    return None if any(statuses) else 0


def run_once(environment: Mapping[str, str], program: Sequence[str]) -> int | None:
    """Run the program on all nodes, when they are there. None where nodes were taken away."""
    import ray
    from ray.util.placement_group import placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    gpus = int(environment["PROCESSES_PER_NODE"])
    group = placement_group([{"GPU": gpus}] * int(environment["NODES"]), strategy="STRICT_SPREAD")
    try:
        ray.get(group.ready())
        nodes = [
            ray.remote(Node)
            .options(
                num_cpus=0,
                num_gpus=gpus,
                scheduling_strategy=PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=index),
            )
            .remote()
            for index in range(int(environment["NODES"]))
        ]
        if any(ray.get([node.is_going.remote() for node in nodes])):
            return None
        told = {name: environment[name] for name in PASSED_ON}
        told["RENDEZVOUS_HOST"] = ray.get(nodes[0].address.remote())
        pending = [
            node.run.remote({**told, "JOB_COMPLETION_INDEX": str(index)}, list(program))
            for index, node in enumerate(nodes)
        ]
        statuses: list[int] = []
        while pending and outcome(statuses) != 1:  # the others may wait for one that has failed
            done, pending = ray.wait(pending, num_returns=1)
            statuses += ray.get(done)
        return outcome(statuses)
    except ray.exceptions.RayActorError as error:
        _say(f"a node is lost: {error}")
        return 1
    finally:
        remove_placement_group(group)


def main(environment: Mapping[str, str]) -> int:
    """Run the program to its end, or to a fault."""
    program = json.loads(environment["PROGRAM"])
    if environment.get("RAY_DRIVER"):
        os.execvp(sys.executable, [sys.executable, *program])  # noqa: S606  (in place of this process: no shell)
    import ray

    ray.init()
    while (status := run_once(environment, program)) is None:
        _say("nodes were taken away; beginning again when all are there")
        time.sleep(10)
    return status


def _say(text: str) -> None:
    print(f"ray_launch: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main(os.environ))
