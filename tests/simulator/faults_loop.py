"""One stack with a node for every fault, and what a real Prometheus with the stack's own rules makes of all at once.

Two servers of Prometheus look at the same exporters: one for what fires within the hour, a faster one for what takes hours.
"""

import json
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.monitoring.rule_files import as_rule_file
from eks_accelerators.monitoring.rules import RECORDED, rules_of
from eks_accelerators.monitoring.scraping import emitted
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.resolved_stack import resolve_stack
from eks_accelerators.simulator.alert_causes import CAUSES, CauseKind, Site
from eks_accelerators.simulator.load.cluster_view import look
from eks_accelerators.simulator.load.fleet import Fleet, Placed
from eks_accelerators.simulator.load.model_server import server_model
from eks_accelerators.simulator.load.node_repair import NodeRepairs
from eks_accelerators.simulator.load.participants import needs_of, participants
from eks_accelerators.simulator.load.profile import LoadStep
from eks_accelerators.simulator.metrics.cluster import holds_accelerator
from eks_accelerators.simulator.metrics.faults import parse
from eks_accelerators.simulator.metrics.servers import ServerState
from eks_accelerators.simulator.pace import Pace, PacedClock
from eks_accelerators.simulator.prometheus.configuration import PrometheusSettings
from eks_accelerators.simulator.prometheus.server import prometheus
from eks_accelerators.simulator.simulation import opened
from eks_accelerators.simulator.stack import simulated_stack
from tests.polls import until
from tests.simulator.alert_history import alert_history
from tests.simulator.worlds import PROJECT, stack_file

NOW = datetime(2026, 11, 25, 5, 15, tzinfo=UTC)
BLOCK = {
    "id": "cr-0123456789abcdef0",
    "instanceType": "p5.48xlarge",
    "instanceCount": 5,
    "zone": "us-east-2a",
    "start": "2026-11-24T11:30:00Z",
    "end": "2026-11-25T11:30:00Z",
}
HOUR, DAY = Pace(30), Pace(150)
STRIKES, ENDS, LASTS = 10, 48, 78
"""Minutes of the slower clock: when faults strike, when those end that can, and when all is over."""
SCRAPE_SECONDS = 60
"""By the slower clock: 100 pages more often than every two seconds of the wall clock are too many for a busy machine."""
SLOW = {"GpuIdleWithPod", "ModelServerUnused", "CapacityBlockEndingInUse"}
"""Alerts that the faster clock is for."""

GROUP_OF = {
    Site.ONE_GPU: "whole",
    Site.SHARED_GPU: "shared",
    Site.DIVIDED_GPU: "divided",
    Site.LINKED_GPUS: "h100",
    Site.NEURON: "trn1",
    Site.SERVERS: "servers",
}
FAULTS = [cause for cause in CAUSES if cause.kind is CauseKind.FAULT and cause.site in GROUP_OF]
REPAIRED = next(cause for cause in FAULTS if cause.text == "xid=79")
"""What strikes the group that has node repair, too."""

WHOLE_NODE = {
    "whole": {"nvidia.com/gpu": 1},
    "repaired": {"nvidia.com/gpu": 1},
    "shared": {"nvidia.com/gpu.shared": 1},
    "divided": {"nvidia.com/mig-3g.20gb": 8},
    "h100": {"nvidia.com/gpu": 8},
    "trn1": {"aws.amazon.com/neuron": 16},
}
"""What a pod of training asks for, so that no node of the group is without one."""

LIGHT, TOO_MANY = LoadStep(requests=1), LoadStep(requests=120)
TOO_LONG = LoadStep(requests=40, prompt_tokens=1500, output_tokens=9000)
SERVERS = {"late": TOO_MANY, "full": TOO_LONG, "well": LIGHT}
"""vLLM servers and the load that they have when faults strike; until then each has little."""

MODELS = {
    "late": "Qwen/Qwen2.5-0.5B-Instruct",
    "full": "Qwen/Qwen2.5-7B-Instruct",
    "well": "Qwen/Qwen2.5-1.5B-Instruct",
}
LOADS = {"more requests than a server has slots for": "late", "answers that fill the KV cache": "full"}
BLOCK_STATES = [cause.text for cause in CAUSES if cause.site is Site.BLOCK]
NO_LOAD, NO_POD = "none, from the server's start", "no pod asks for a node's devices"

IDLE = "idle"
"""The namespace of a server that nobody ever asks."""

_KEY = "eks-accelerators:"


def groups():
    """Every group has so many nodes as faults strike it, and one that stays well; spare nodes of the first."""
    needed = Counter(GROUP_OF[cause.site] for cause in FAULTS)
    mig = {"strategy": "mixed", "layout": {"1g.5gb": 2, "2g.10gb": 1, "3g.20gb": 1}}
    return {
        "whole": _group("g6.2xlarge", needed["whole"] + 2),
        "repaired": {**_group("g6.2xlarge", 2), "nodeRepair": {"enabled": True}},
        "shared": _group(
            "g6.2xlarge",
            needed["shared"] + 1,
            sharing={"strategy": "timeSlicing", "replicas": 4, "renameByDefault": True},
        ),
        "servers": _group("g6.2xlarge", len(SERVERS) + 2),
        "divided": _group("p4d.24xlarge", needed["divided"] + 1, sharing={"strategy": "mig", "mig": mig}),
        "h100": {
            **_group("p5.48xlarge", needed["h100"] + 1),
            "size": {"min": 0, "desired": 0, "max": needed["h100"] + 1},
            "capacityBlock": "training",
            "efa": {"enabled": True},
        },
        "trn1": _group("trn1.32xlarge", needed["trn1"] + 1, zones=["us-east-2c"]),
    }


def _group(instance_type, nodes, **more):
    size = {"min": 0, "desired": nodes, "max": nodes}
    disk = {"sizeGib": 500}
    return {"instanceType": instance_type, "size": size, "disk": disk, "nodeRepair": {"enabled": False}, **more}


def _server(model, length):
    return {"model": model, "nodeGroup": "servers", "replicas": 1, "maxModelLen": length}


def _change(config):
    config[f"{_KEY}network"]["create"]["zones"] = ["us-east-2a", "us-east-2b", "us-east-2c"]
    config[f"{_KEY}nodeGroups"] = groups()
    config[f"{_KEY}capacityBlocks"] = {"training": {"reservationId": BLOCK["id"], "expect": {"end": BLOCK["end"]}}}
    config[f"{_KEY}monitoring"] = {"prometheus": "stack"}
    config[f"{_KEY}budget"] = {"monthlyUsd": 10_000_000}
    lengths = {"full": 16384}
    servers = {name: _server(model, lengths.get(name, 4096)) for name, model in MODELS.items()}
    config[f"{_KEY}workloads"] = {"vllm": servers}


@dataclass
class Story:
    """One cause, and by which labels alerts about it are known. It begins so many minutes after faults strike."""

    text: str
    site: Site
    about: set
    begins: float = 0.0
    repaired: bool = False

    def is_about(self, alert):
        return not self.about.isdisjoint(alert.labels.items())

    @property
    def cause(self):
        return next(each for each in CAUSES if (each.text, each.site) == (self.text, self.site))


class _Fleets:
    """Servers of several workloads."""

    def __init__(self, stack):
        placed = {each.name: each for each in stack.workloads}
        self.models = {
            name: server_model(name, one.workload, one.group, one.fit, one.workload.most_sequences)
            for name, one in placed.items()
        }
        self.fleets = {name: Fleet(number) for number, name in enumerate(self.models)}

    def server_state(self, pod):
        if pod[0] == IDLE:
            return ServerState()
        return next((state for each in self.fleets.values() if (state := each.server_state(pod))), None)

    def place(self, api):
        for name, fleet in self.fleets.items():
            view = look(api, "llm", name)
            fleet.place({pod: Placed(f"{name}/0", self.models[name]) for pod in view.ready}, view.ready)

    def advance(self, now):
        for fleet in self.fleets.values():
            fleet.advance(now)

    def follow(self, steps):
        for name, step in steps.items():
            self.fleets[name].follow(step)


@dataclass
class Loop:
    """The stack, deployed, in the loop."""

    sim: object
    stack: object
    taking_part: object
    day: object
    fleets: _Fleets
    stories: list = field(default_factory=list)
    repaired: list = field(default_factory=list)
    struck: float = 0.0

    @property
    def api(self):
        return self.sim.cluster.api

    def run(self):
        """Everything, from calm to calm."""
        repairs = NodeRepairs(
            self.sim.account,
            self.taking_part.account_clock.advance,
            {name: group.settings.node_repair for name, group in self.stack.groups.items()},
        )
        self._begin_idle()
        self._show_servers()
        self.fleets.place(self.api)
        self.fleets.follow(dict.fromkeys(SERVERS, LIGHT))
        began, faults = time.monotonic(), []
        struck = ended = False
        while (now := HOUR.simulated(time.monotonic() - began)) < 60 * LASTS:
            self.fleets.advance(now)
            if not struck and now >= 60 * STRIKES:
                struck, faults = True, self._strike()
            if not ended and now >= 60 * ENDS:
                ended = True
                for fault in faults:
                    self.taking_part.faults.end(fault)
            members = look(self.api, "llm", "well").every_member
            self.repaired += [(now / 60 - STRIKES, what) for what in repairs.look(members, now)]
            time.sleep(0.2)
        begin = self.taking_part.prometheus.clock.simulated_begin
        alerts = alert_history(self.taking_part.prometheus, begin, self.struck, 30)
        near = datetime.fromisoformat(BLOCK["end"]).timestamp() - 6 * 3600
        for text in BLOCK_STATES:
            self.stories.append(Story(text, Site.BLOCK, {("capacity_block", "training")}, (near - self.struck) / 60))
        slow = [each for each in alert_history(self.day, begin, begin, 60) if each.name in SLOW]
        return alerts, slow

    @property
    def missed(self):
        """Targets that did not answer in time though no fault had struck yet: the machine is too slow for the pace then."""
        server = self.taking_part.prometheus
        found = server.query_range("up == 0", server.clock.simulated_begin + 120, self.struck, 30)
        return [each.labels["instance"] for each in found]

    def _begin_idle(self):
        """A server that begins now and that nobody ever asks."""
        api = self.api
        api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": IDLE}})
        self.sim.cluster.api.create(
            _deployment(IDLE, "servers", {"nvidia.com/gpu": 1}, 1, {"app.kubernetes.io/name": "vllm"}, IDLE)
        )
        self.stories.append(Story(NO_LOAD, Site.SERVERS, {("namespace", IDLE)}, -STRIKES))

    def _show_servers(self):
        """Let the faster Prometheus see what it is asked about, and no more: servers, their GPUs, objects, and a block's pods."""
        servers = {
            node["metadata"]["name"]
            for node in self.api.list("v1", "Node", None, "eks-accelerators/node-group=servers")
        }
        until(lambda: [each["status"].get("phase") for each in self.api.list("v1", "Pod", IDLE)] == ["Running"])
        folder = self.sim.cluster.servers.folder / "exporters"

        def shown():
            listed = json.loads((folder / "targets.json").read_text())
            return [
                each
                for each in listed
                if each["labels"].get("node", "") in servers or {"vllm", "kube-state"} & set(_words(each))
            ]

        until(lambda: any(IDLE in each["labels"]["job"] for each in shown()))
        (folder / "of-servers.json").write_text(json.dumps(shown()))

    def _strike(self):
        """A fault for each node, loads for servers, and states; returns the faults."""
        api, free, made = self.api, defaultdict(list), []
        pods = [pod for pod in api.list("v1", "Pod") if pod["spec"].get("nodeName") and holds_accelerator(pod)]
        held = defaultdict(set)
        for pod in pods:
            held[pod["spec"]["nodeName"]].add(pod["metadata"]["name"])
        for node in api.list("v1", "Node"):
            group = node["metadata"]["labels"].get("eks-accelerators/node-group", "")
            if held[node["metadata"]["name"]]:
                free[group].append(node["metadata"]["name"])
            elif group == "whole":
                about = {("node", node["metadata"]["name"])}
                self.stories.append(Story(NO_POD, Site.ANY, about, -STRIKES))
        serving = {pod["metadata"]["labels"].get("app.kubernetes.io/instance"): pod for pod in pods}
        spare = free["servers"]
        for name in SERVERS:
            spare.remove(serving[name]["spec"]["nodeName"])
        for cause in FAULTS:
            node = free[GROUP_OF[cause.site]].pop(0) if cause.site is not Site.SERVERS else None
            self._has_fault(cause, node or serving["well"]["spec"]["nodeName"], held, made)
        self._has_fault(REPAIRED, free["repaired"].pop(0), held, made, repaired=True)
        self.struck = self.taking_part.prometheus.clock.now()
        for fault in made:
            self.taking_part.faults.add(fault)
        self.fleets.follow(SERVERS)
        for text, name in LOADS.items():
            about = {("pod", serving[name]["metadata"]["name"]), ("model_name", MODELS[name])}
            self.stories.append(Story(text, Site.SERVERS, about))
        self._states()
        return made

    def _has_fault(self, cause, node, held, made, *, repaired=False):
        made.append(parse(f"{cause.text}:{node}"))
        about = {("node", node), *(("pod", pod) for pod in held[node])}
        if cause.site is Site.SERVERS:
            about = {("job", "llm/vllm")}
        self.stories.append(Story(cause.text, cause.site, about, repaired=repaired))

    def _states(self):
        api = self.api
        for name in ("waits", "quota"):
            api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        api.create(_deployment("waits", "whole", {"nvidia.com/gpu": 8}, 1, {}, "waits"))
        self.stories.append(Story("a pod for which there is no node", Site.ANY, {("namespace", "waits")}))
        api.create(
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "accelerators", "namespace": "quota"},
                "spec": {"hard": {"requests.nvidia.com/gpu": 1}},
            }
        )
        time.sleep(1)
        api.create(_deployment("quota", "servers", {"nvidia.com/gpu": 1}, 1, {}, "quota"))
        self.stories.append(Story("a quota that is used up", Site.ANY, {("namespace", "quota")}))


def _words(target):
    return [word for word in ("vllm", "kube-state") if word in target["labels"]["job"]]


def _deployment(name, group, asks, replicas, labels=None, namespace="default"):
    own = {"app": name, **(labels or {})}
    amounts = {key: str(value) for key, value in asks.items()}
    container = {
        "name": "main",
        "image": "image",
        "args": ["--model", f"made-up/{name}"],
        "resources": {"requests": amounts, "limits": amounts},
    }
    spec = {
        "containers": [container],
        "nodeSelector": {"eks-accelerators/node-group": group},
        "tolerations": [{"operator": "Exists"}],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": own}, "spec": spec},
        },
    }


@contextmanager
def loop(folder, engines, program):
    """The loop, from its deployment on."""
    path = stack_file(folder / "stacks", "dev", _change)
    settings = load_stack_file(path, NOW).require().settings
    stack = simulated_stack("dev", path, PROJECT / "__main__.py", settings, NOW, {"capacityReservations": [BLOCK]})
    resolved = resolve_stack(settings)
    with ExitStack() as open_here:
        sim = open_here.enter_context(
            opened(folder / "state", engines, region=stack.region, now=NOW, world=stack.world)
        )
        if not sim.run("up", stack.program).ok:  # on a busy machine so many nodes keep servers waiting for too long
            sim.settle(60)
            outcome = sim.run("up", stack.program)
            assert outcome.ok, outcome.messages
        _train(sim, resolved)
        fleets = _Fleets(resolved)
        patched = open_here.enter_context(pytest.MonkeyPatch.context())
        patched.setattr("eks_accelerators.simulator.load.participants.SCRAPE_SECONDS", SCRAPE_SECONDS)
        taking_part = open_here.enter_context(
            participants(sim, resolved, {"prometheus": program}, HOUR, fleets, needs_of(resolved))
        )
        rules = rules_of(resolved, emitted(resolved) | {Exporter.KUBE_STATE_METRICS})
        clock = PacedClock.beginning_now(DAY, taking_part.prometheus.clock.simulated_begin)
        targets = sim.cluster.servers.folder / "exporters" / "of-servers.json"
        slow = [group for group in rules if group.name == RECORDED or SLOW & {rule.name for rule in group.rules}]
        settings_of_day = PrometheusSettings([targets], as_rule_file(slow), scrape_seconds=120, evaluation_seconds=60)
        day = open_here.enter_context(prometheus(program, settings_of_day, clock))
        yield Loop(sim, resolved, taking_part, day, fleets)


def _train(sim, stack):
    """A pod of training on every node but a spare one of the group `whole`, which no pod uses."""
    api = sim.cluster.api
    for name, asks in WHOLE_NODE.items():
        nodes = stack.groups[name].settings.size
        count = (nodes.desired or nodes.max) * (4 if name == "shared" else 1) - (name == "whole")
        api.create(_deployment(f"training-{name}", name, asks, count))

    def running():
        listed = api.list("v1", "Pod", "default")
        return listed and all(pod["status"].get("phase") == "Running" for pod in listed)

    until(running)
    sim.settle()
