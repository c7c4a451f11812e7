"""Clusters on paper, with everything that runs on their nodes, and what their exporters show."""

from dataclasses import replace

from eks_accelerators import components
from eks_accelerators.accelerators import scheduling
from eks_accelerators.accelerators.sharing import EXCLUSIVE
from eks_accelerators.monitoring.metrics import Exporter
from eks_accelerators.simulator.kubernetes.addons import node_monitoring_agent
from eks_accelerators.simulator.kubernetes.advertisement import advertised
from eks_accelerators.simulator.metrics import node_conditions, pod_states
from eks_accelerators.simulator.metrics.cluster import ClusterObjects, uid
from eks_accelerators.simulator.metrics.exporters import shown
from eks_accelerators.simulator.metrics.faults import DeviceFaults, parse
from eks_accelerators.simulator.metrics.servers import IdleServers
from eks_accelerators.simulator.metrics.world import ScrapedWorld
from tests.simulator.kubernetes.paper_cluster import configurations, daemon_sets, node, pods_on, released

NOW = 1_800_000_000.0
BEGAN = "2026-11-22T08:00:00Z"
"""When every pod began: days before `NOW`."""

READY = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
ALL_THREE = {
    "kubernetes": {"enablePodUID": True},
    "hostPID": True,
    "extraEnv": [
        {"name": "KUBERNETES_VIRTUAL_GPUS", "value": "true"},
        {"name": "NVIDIA_RESOURCE_NAMES", "value": "nvidia.com/gpu,nvidia.com/gpu.shared"},
    ],
}
"""What the exporter is told where pods share GPUs."""

OF_CLAIMS = {"kubernetesDRA": {"enabled": True}, "affinity": {}}
"""And where they claim them; without affinity it runs on every GPU node."""


def pod(name, on=None, asks=None, *, app="", namespace="team", phase="Running", args=(), **spec):
    """A pod; ``asks`` are its requests. It is ready as soon as it runs."""
    container = {
        "name": "main",
        "args": list(args),
        "resources": {"requests": {k: str(v) for k, v in (asks or {}).items()}},
    }
    placed = {"nodeName": on["metadata"]["name"]} if on else {}
    scheduled = {"type": "PodScheduled", "status": "True" if on else "False"}
    status = {"phase": phase if on else "Pending", "conditions": [scheduled]}
    if on:
        status |= {"startTime": BEGAN, "containerStatuses": [{"name": "main", "restartCount": 0}]}
        status["conditions"].append({"type": "Ready", "status": "True" if phase == "Running" else "False"})
    return {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"uid-{namespace}-{name}",
            "labels": {"app.kubernetes.io/name": app} if app else {},
        },
        "spec": {"containers": [container], **placed, **spec},
        "status": status,
    }


def vllm(name, on=None, asks=None, *args):
    return pod(name, on, asks, app="vllm", args=["--model", "meta/llama", *args])


def claim_of(user, here):
    """The claim by which a pod has the first GPU of a node."""
    device = {"driver": "gpu.nvidia.com", "pool": here["metadata"]["name"], "device": "gpu-0", "request": "gpu"}
    status = {
        "allocation": {"devices": {"results": [device]}},
        "reservedFor": [{"resource": "pods", "name": user["metadata"]["name"], "uid": user["metadata"]["uid"]}],
    }
    return {"metadata": {"name": "a-gpu", "namespace": "team"}, "status": status}


def quota(namespace, **status):
    """A quota; ``status`` has `hard` and `used`."""
    counts = {part: {name: str(count) for name, count in given.items()} for part, given in status.items()}
    return {"metadata": {"name": "accelerators", "namespace": namespace}, "status": counts}


class Paper:
    """A cluster that grows node by node; ``world`` is what the exporters are asked of."""

    def __init__(self, *faults, exporter=None, servers=None, always=(Exporter.KUBE_STATE_METRICS,), now=NOW):
        self.nodes, self.pods, self.claims, self.quotas, self.deployments = [], [], [], [], []
        self.exporter = exporter or {}
        self.maps = []
        self.faults = DeviceFaults(parse(fault) for fault in faults)
        self.now = now
        self._world = ScrapedWorld(ClusterObjects(), now, faults=self.faults, always=frozenset(always))
        self.servers = servers or IdleServers()
        self._world = replace(self._world, servers=self.servers)

    def add(self, group="gpu", instance_type="g6.12xlarge", sharing=EXCLUSIVE, *, claimed=False, number=0, **more):
        """A node of a group, with what our components put on it, and what it then advertises."""
        made = node(
            instance_type, sharing, claimed=claimed, name=f"ip-10-20-{number}-{len(self.nodes)}.ec2.internal", **more
        )
        made["metadata"]["uid"] = f"uid-{made['metadata']['name']}"
        made["metadata"]["labels"][scheduling.NODE_GROUP_LABEL] = group
        maps = configurations(sharing)
        sets = daemon_sets(
            *(each for one in (components.NvidiaDevicePlugin, components.NeuronDevicePlugin) for each in released(one)),
            *(released(components.DraDriver) if claimed else ()),
            *released(components.EfaDevicePlugin),
            *released(components.DcgmExporter, OF_CLAIMS if claimed else self.exporter),
            *node_monitoring_agent.manifests(),
        )
        for one in sets:
            if one["metadata"]["name"] == "dcgm-server":
                one["spec"]["template"]["spec"]["tolerations"] = [{"operator": "Exists"}]
        here = pods_on(made, sets)
        for each in here:
            each["metadata"]["uid"] = f"uid-{each['metadata']['name']}-{made['metadata']['name']}"
            each["metadata"]["name"] += f"-{len(self.nodes)}"
        self.maps += [
            {"metadata": {"namespace": namespace, "name": name}, **content}
            for (namespace, name), content in maps.items()
        ]
        self.maps += [each for each in released(components.DcgmExporter, self.exporter) if each["kind"] == "ConfigMap"]
        found = advertised(made, here, maps)
        counts = {name: str(count) for name, count in found.resources.items()}
        made["status"]["capacity"] |= counts
        made["status"]["allocatable"] |= counts
        made["status"]["conditions"] = [READY]
        if instance_type.startswith(("trn", "inf")):
            here.append(
                pod("neuron-monitor-" + made["metadata"]["name"], made, app="neuron-monitor", namespace="neuron")
            )
        self.nodes.append(made)
        self.pods += here
        return made

    def pace(self, clock):
        """Let what happens once or now and then happen by this clock."""
        self._world = replace(self._world, clock=clock)

    def run(self, *pods):
        self.pods += pods
        return self

    def at(self, seconds=0.0):
        """The world so many seconds after the beginning; faults strike, and nodes show it."""
        cluster = ClusterObjects(self.nodes, self.pods, self.quotas, self.claims, self.maps, self.deployments)
        world = replace(self._world, cluster=cluster, now=self.now + seconds)
        self.faults.strike(cluster, world.now)
        nodes = [
            {
                **each,
                "status": {
                    **node_conditions.with_conditions(each, world),
                    **self._devices(each),
                },
            }
            for each in self.nodes
        ]
        struck = dict(pod_states.struck_pods(world))
        pods = [
            {**each, "status": {**each["status"], **pod_states.status_of(each, struck[uid(each)])}}
            if uid(each) in struck
            else each
            for each in self.pods
        ]
        return replace(world, cluster=replace(cluster, nodes=nodes, pods=pods))

    def shown(self, seconds=0.0):
        return shown(self.at(seconds))

    def series(self, name, seconds=0.0):
        """The labels and value of every series of that name."""
        return [
            (dict(sample.labels), sample.value)
            for _, samples in self.shown(seconds)
            for sample in samples
            if sample.name == name
        ]

    def _devices(self, each):
        """What the kubelet says of them."""
        planned = {name: int(count) for name, count in each["status"]["capacity"].items() if "/" in name}
        found = self.faults.found(each, planned)
        counts = {"capacity": found, "allocatable": self.faults.healthy(each, found)}
        return {
            part: {**each["status"][part], **{name: str(count) for name, count in of_part.items()}}
            for part, of_part in counts.items()
        }
