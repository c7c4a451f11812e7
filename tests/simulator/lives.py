"""The life of a deployment: stacks that are deployed once for many tests, edits of them, and what an account holds."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from eks_accelerators.settings.load import PROJECT
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.kubernetes.cluster_cleanup import leftovers
from eks_accelerators.simulator.outcome import Outcome
from eks_accelerators.simulator.simulation import Simulation
from tests.simulator.worlds import Change, load, simulation

BLOCK, NEXT_BLOCK, OFFERING = "cr-0123456789abcdef0", "cr-0fedcba9876543210", "cb-0123456789abcdef0"
ACCOUNT: Mapping[str, Any] = {
    "capacityReservations": [
        {
            "id": identifier,
            "instanceType": "p5.48xlarge",
            "instanceCount": 4,
            "zone": "us-east-2a",
            "start": start,
            "end": end,
        }
        for identifier, start, end in (
            (BLOCK, "2026-11-24T11:30:00Z", "2026-11-26T11:30:00Z"),
            (NEXT_BLOCK, "2026-11-27T11:30:00Z", "2026-11-29T11:30:00Z"),
        )
    ],
    "capacityBlockOfferings": [
        {
            "id": OFFERING,
            "instanceType": "p5.48xlarge",
            "instanceCount": 4,
            "zone": "us-east-2a",
            "start": "2026-12-01T11:30:00Z",
            "durationHours": 48,
            "upfrontFeeUsd": "8500",
        }
    ],
}
"""An account with two Capacity Blocks, one after the other, and a third for sale."""

PURCHASE: Mapping[str, Any] = {
    "offeringId": OFFERING,
    "instanceType": "p5.48xlarge",
    "instanceCount": 4,
    "durationHours": 48,
    "start": "2026-12-01T11:30:00Z",
    "maxUpfrontFeeUsd": 9000,
    "confirmation": f"Buy {OFFERING} for at most 9000 USD; I know it cannot be cancelled or refunded.",
}
"""Of the block that is for sale, as a stack file has it."""


def to(path: str, value: Any) -> Change:
    """Set the setting at ``path``, such as `nodeGroups.l4-shared.size.max`."""

    def change(config: dict[str, Any]) -> None:
        above, last = _holder(config, path)
        above[last] = value

    return change


def without(*paths: str) -> Change:
    """Remove settings."""

    def change(config: dict[str, Any]) -> None:
        for path in paths:
            above, last = _holder(config, path)
            del above[last]

    return change


def every(*changes: Change) -> Change:
    """One change after the other."""

    def change(config: dict[str, Any]) -> None:
        for each in changes:
            each(config)

    return change


def _holder(config: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    *above, last = f"{PROJECT}:{path}".split(".")
    for key in above:
        config = config.setdefault(key, {})
    return config, last


@dataclass(frozen=True, slots=True)
class Deployed:
    """A simulation of a deployed stack, and edits of its stack file."""

    simulation: Simulation
    folder: Path
    stack: str

    @property
    def account(self) -> Account:
        """The simulated account."""
        return self.simulation.account

    def found(self, what: str) -> dict[str, Any]:
        """A resource in the engine's state, by the last part of its type and its name, as in `Vpc eks-accelerators-dev`."""
        (resource,) = [each for each in self.resources() if f"{_kind(each['type'])} {_name(each['urn'])}" == what]
        return resource

    def resources(self) -> list[dict[str, Any]]:
        """The engine's state."""
        found: list[dict[str, Any]] = self.simulation.engine.state(PROJECT, self.stack)["resources"]
        return found

    def kept(self) -> set[str]:
        """What the engine's state has, as in `Vpc eks-accelerators-dev`; components and providers are left out."""
        own = [each for each in self.resources() if each["type"].startswith(("aws:", "kubernetes:"))]
        return {f"{_kind(each['type'])} {_name(each['urn'])}" for each in own}

    def running(self, workload: str) -> int:
        """How many pods of a workload run, once everything has come to rest."""
        self.simulation.settle()
        pods = self.simulation.cluster.api.list("v1", "Pod", None, f"app.kubernetes.io/instance={workload}")
        return sum(pod.get("status", {}).get("phase") == "Running" for pod in pods)

    def advertised(self, resource: str) -> dict[str, str]:
        """How many of an accelerator each node has, by instance type."""
        nodes = self.simulation.cluster.api.list("v1", "Node")
        return {
            node["metadata"]["labels"]["node.kubernetes.io/instance-type"]: node["status"]["allocatable"][resource]
            for node in nodes
            if resource in node["status"]["allocatable"]
        }

    def program(self, change: Change | None = None) -> Program:
        """The stack's program, with a change of its file."""
        return load(self.folder, self.stack, change, ACCOUNT).program

    def run(self, action: str, change: Change | None = None, *flags: str) -> Outcome:
        """Run the program under the engine."""
        return self.simulation.run(action, self.program(change), flags=flags)


@dataclass(frozen=True, slots=True)
class First:
    """The first deployment of a stack: what its preview said, what it did, and what the account held before and after."""

    planned: list[str]
    done: list[str]
    resources: int
    before: list[list[str]]
    after: list[list[str]]


class Deployments:
    """Stacks as they are after their first deployment, which each test takes further in a copy of its own."""

    def __init__(self, engines: Mapping[str, Path], shared: Path) -> None:
        self._engines, self._shared = engines, shared

    @contextmanager
    def copied(self, stack: str, folder: Path) -> Iterator[Deployed]:
        """The simulation of ``stack``, deployed, in ``folder``, which is removed at the end."""
        shutil.copytree(self.state(stack), folder / "state", symlinks=True)
        try:
            with simulation(folder, self._engines, load(folder, stack, None, ACCOUNT)) as opened:
                yield Deployed(opened, folder, stack)
        finally:
            shutil.rmtree(folder / "state")  # etcd's log of writes alone is 64 MB

    def state(self, stack: str) -> Path:
        """The simulation of ``stack`` as it was left after its deployment: to be copied, and not to be opened."""
        self.first(stack)
        return self._shared / stack / "state"

    def first(self, stack: str) -> First:
        """How ``stack`` was deployed: by the first that asks, the others wait."""
        folder = self._shared / stack
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock"):
            told = folder / "first.json"
            if not told.exists():
                shutil.rmtree(folder / "state", ignore_errors=True)
                told.write_text(json.dumps(asdict(self._deployed(stack, folder))))
            return First(**json.loads(told.read_text()))

    def _deployed(self, stack: str, folder: Path) -> First:
        with simulation(folder, self._engines, load(folder, stack, None, ACCOUNT)) as opened:
            before, deployed = listed(left(opened.account)), Deployed(opened, folder, stack)
            planned, done = deployed.run("preview"), deployed.run("up")
            assert (planned.errors, done.errors) == ([], [])
            resources = done.changes["create"]
            return First(sorted(words(planned)), sorted(words(done)), resources, before, listed(left(opened.account)))


def listed(held: set[tuple[str, str]]) -> list[list[str]]:
    """What an account holds, in an order and as JSON has it."""
    return sorted([kind, name] for kind, name in held)


def words(outcome: Outcome) -> set[str]:
    """What an operation did, or plans, as in `update NodeGroup l4-shared`; components and providers are left out.

    A resource that is replaced is there once: `replace` where the new one comes first, else `recreate`.
    """
    ops: dict[tuple[str, str], list[str]] = {}
    for step in outcome.steps:
        if step.op not in ("same", "read", "refresh") and not step.type.startswith(("eks-accelerators:", "pulumi:")):
            ops.setdefault((step.type, step.name), []).append(step.op)
    return {f"{_word(found)} {_kind(kind)} {name}" for (kind, name), found in ops.items()}


def _kind(token: str) -> str:
    return token.rpartition(":")[2]


def _name(urn: str) -> str:
    return urn.rpartition("::")[2]


def _word(ops: list[str]) -> str:
    if len(ops) == 1:
        return ops[0]
    assert set(ops) == {"create-replacement", "replace", "delete-replaced"}, ops
    return "replace" if ops.index("create-replacement") < ops.index("delete-replaced") else "recreate"


def did(word: str, names: str) -> set[str]:
    """Every one of ``names``, one on each line, with what is done to it."""
    return {f"{word} {line.strip()}" for line in names.splitlines() if line.strip()}


def instances(account: Account) -> dict[str, dict[str, list[str]]]:
    """IDs of the instances, by node group of the program and by its name in AWS."""
    found: dict[str, dict[str, list[str]]] = {}
    for cluster in account.state.clusters.values():
        for name, group in cluster.node_groups.items():
            ids = sorted(instance.id for instance in group.scaling.instances)
            found.setdefault(name.rpartition("-")[0], {})[name] = ids
    return found


def fates(before: dict[str, dict[str, list[str]]], after: dict[str, dict[str, list[str]]]) -> dict[str, str]:
    """What became of the nodes of each group: stay, roll (new ones in the same group), replaced (in another)."""
    return {
        group: "stay"
        if after.get(group) == named
        else "roll"
        if set(after.get(group, ())) == set(named)
        else "replaced"
        for group, named in before.items()
    }


def sizes(account: Account, group: str) -> tuple[int, int, int]:
    """Smallest, wanted and largest number of nodes of a node group."""
    (found,) = [
        made.scaling
        for cluster in account.state.clusters.values()
        for name, made in cluster.node_groups.items()
        if name.rpartition("-")[0] == group
    ]
    return found.min, found.desired, found.max


def scale(account: Account, group: str, **wanted: int) -> None:
    """Another size of a node group, as the autoscaler, a schedule or somebody else sets it."""
    (cluster,) = account.state.clusters
    for name in instances(account)[group]:
        account.call("eks", "update_nodegroup_config", clusterName=cluster, nodegroupName=name, scalingConfig=wanted)


def left(account: Account) -> set[tuple[str, str]]:
    """Everything in the account but what every account has: kind and identifier."""
    return {*_in_ec2(account), *_in_iam(account), *_in_eks(account), *_notifications(account)}


_OF_THE_NETWORK = (
    ("describe_vpcs", "Vpcs", "VpcId"),
    ("describe_subnets", "Subnets", "SubnetId"),
    ("describe_route_tables", "RouteTables", "RouteTableId"),
    ("describe_security_groups", "SecurityGroups", "GroupId"),
    ("describe_nat_gateways", "NatGateways", "NatGatewayId"),
    ("describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId"),
    ("describe_network_interfaces", "NetworkInterfaces", "NetworkInterfaceId"),
    ("describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    ("describe_addresses", "Addresses", "AllocationId"),
    ("describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
    ("describe_volumes", "Volumes", "VolumeId"),
    ("describe_instances", "Reservations", "ReservationId"),
)
"""Without the network ACL that every VPC has: moto keeps it when the VPC is gone."""


def _in_ec2(account: Account) -> Iterator[tuple[str, str]]:
    (default,) = [vpc["VpcId"] for vpc in account.call("ec2", "describe_vpcs")["Vpcs"] if vpc["IsDefault"]]
    for operation, key, identifier in _OF_THE_NETWORK:
        for found in account.call("ec2", operation)[key]:
            attached = [each["VpcId"] for each in found.get("Attachments", []) if "VpcId" in each]
            # What was deleted is listed for some time.
            if default not in (found.get("VpcId"), *attached) and found.get("State") != "deleted":
                yield key, found[identifier]
                yield from ((f"rules of {key}", rule) for rule in _rules(account, key, found[identifier]))
    yield from (("PlacementGroup", name) for name in account.state.placement_groups)
    yield from (("CapacityBlock", name) for name in account.state.blocks)


def _rules(account: Account, key: str, identifier: str) -> list[str]:
    if key != "SecurityGroups":
        return []
    filters = [{"Name": "group-id", "Values": [identifier]}]
    found = account.call("ec2", "describe_security_group_rules", Filters=filters)["SecurityGroupRules"]
    return [rule["SecurityGroupRuleId"] for rule in found]


def _in_iam(account: Account) -> Iterator[tuple[str, str]]:
    for role in account.call("iam", "list_roles")["Roles"]:
        yield "Role", role["RoleName"]
        attached = account.call("iam", "list_attached_role_policies", RoleName=role["RoleName"])["AttachedPolicies"]
        yield from (("RolePolicy", f"{role['RoleName']}/{policy['PolicyArn']}") for policy in attached)


def _in_eks(account: Account) -> Iterator[tuple[str, str]]:
    for name, cluster in account.state.clusters.items():
        yield "Cluster", name
        for kind, parts in (
            ("NodeGroup", cluster.node_groups),
            ("Addon", cluster.addons),
            ("AccessEntry", cluster.access_entries),
        ):
            yield from ((kind, f"{name}/{part}") for part in parts)
        for group in cluster.node_groups.values():
            yield from (("Instance", instance.id) for instance in group.scaling.instances)
            yield from (("Schedule", f"{group.scaling.name}/{action}") for action in group.scaling.actions)


def _notifications(account: Account) -> Iterator[tuple[str, str]]:
    for topic in account.call("sns", "list_topics")["Topics"]:
        yield "Topic", topic["TopicArn"]
    for subscription in account.call("sns", "list_subscriptions")["Subscriptions"]:
        yield "Subscription", subscription["SubscriptionArn"]
    for rule in account.call("events", "list_rules")["Rules"]:
        yield "EventRule", rule["Name"]
        targets = account.call("events", "list_targets_by_rule", Rule=rule["Name"])["Targets"]
        yield from (("EventTarget", target["Id"]) for target in targets)
    for alarm in account.call("cloudwatch", "describe_alarms")["MetricAlarms"]:
        yield "MetricAlarm", alarm["AlarmName"]


def objects(simulation: Simulation) -> set[tuple[str, str, str]]:
    """What the API server holds that a new cluster does not have, once it has come to rest."""
    simulation.settle()
    return {
        (found["kind"], found["metadata"].get("namespace", ""), found["metadata"]["name"])
        for found in leftovers(simulation.cluster.api)
    }


def cli(pulumi: Path, simulation: Simulation, *arguments: str) -> str:
    """Run the engine's own command line on the simulation's state, as people do."""
    folder = simulation.folder.absolute()
    environment = {
        "PATH": os.environ["PATH"],
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": simulation.engine.backend.absolute().as_uri(),
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(folder / "passphrase"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }
    command = [str(pulumi), *arguments, "--non-interactive"]
    workspace = simulation.engine.workspace
    return subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True, check=True).stdout
