"""Clusters on paper that a verification can ask: nodes as their stack has them, and tools that print what a simulation prints."""

import itertools
from contextlib import contextmanager
from datetime import UTC, datetime

from eks_accelerators.accel.verify.gangs import gang
from eks_accelerators.accelerators import sharing as sharings
from eks_accelerators.components.mig_user_data import script
from eks_accelerators.simulator.kubernetes.mig_hardware import layout_file
from eks_accelerators.simulator.tools import pods as simulated_pods
from eks_accelerators.verification.cluster import ClusterError
from eks_accelerators.verification.device_checks import Level
from eks_accelerators.verification.run import Verification
from tests.settings.example import check
from tests.simulator.metrics.worlds import Paper, pod

IMAGES = {
    "cuda-vectoradd": "nvcr.io/nvidia/k8s/cuda-sample:vectoradd",
    "dcgm": "nvcr.io/nvidia/cloud-native/dcgm:4",
    "neuron-monitor": "public.ecr.aws/neuron/neuron-monitor:1",
    "pytorch": "public.ecr.aws/deep-learning-containers/pytorch:2",
    "pytorch-neuron": "public.ecr.aws/neuron/tools:2",
}
NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
PORT = 8000
"""Of each server in its pod, where it is called `http`."""

READY = [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "True"}]


def hosts_of(pod):
    """Where the pods of a Job can be: at the host of their selector, or at one each of those of their affinity."""
    if "kubernetes.io/hostname" in pod["nodeSelector"]:
        return [pod["nodeSelector"]["kubernetes.io/hostname"]]
    required = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    ((chosen,),) = [term["matchExpressions"] for term in required["nodeSelectorTerms"]]
    return chosen["values"]


def stack_of(patch):
    """The resolved stack of the patched example, which breaks no rule."""
    checked = check(patch)
    assert not [each for each in checked.problems if each.severity.value == "error"], checked.problems
    return checked.stack


class PaperCluster:
    """A cluster of the groups of a stack, each with so many ``nodes``, where ``faults`` have struck.

    Servers run as ``pod`` does. Jobs run at once. What is created and not deleted again is in ``kept``; every request is in ``asked``.
    """

    def __init__(self, stack, *faults, nodes=1, number_of_servers=None, pod=None):
        self.as_pod = pod or {}
        self.stack, self.paper = stack, Paper(*faults)
        self.kept, self.asked, self.executed = {}, [], []
        self.jobs_start = True
        self._numbers = itertools.count()
        for number, group in enumerate(stack.groups.values()):
            for _ in range(nodes):
                self._add(group, number)
        self._serve(number_of_servers)
        self.now = self.paper.at()

    def _add(self, group, number):
        mig = group.sharing.mig
        made = self.paper.add(
            group.name,
            group.type.name,
            group.sharing,
            number=number,
            claimed=group.is_claimed,
            efa_interfaces=group.resources.get(sharings.EFA_DEVICE, 0),
            mig_layout=layout_file(script(group.type, mig)) if mig else "",
        )
        made["metadata"]["labels"] |= group.labels
        made["spec"]["taints"] = [{"key": t.key, "value": t.value, "effect": t.effect} for t in group.taints]
        made["status"]["allocatable"] |= {name: str(count) for name, count in group.resources.items()}
        made["status"]["capacity"] |= {name: str(count) for name, count in group.resources.items()}
        for each in self.paper.pods:
            each["status"].setdefault("conditions", READY)
            for container in each["spec"]["containers"]:
                container.setdefault("image", "image")

    def _serve(self, count):
        """The servers of the stack, as many as fit, or ``count``."""
        for one in self.stack.workloads:
            nodes = [
                each
                for each in self.paper.nodes
                if each["metadata"]["labels"]["eks-accelerators/node-group"] == one.group.name
            ]
            per_node = one.fit.pods_per_node if count is None else count
            for node, number in itertools.product(nodes, range(per_node)):
                server = pod(f"{one.name}-{number}", node, {one.group.resource: 1}, namespace=one.workload.namespace)
                server["metadata"]["labels"]["app.kubernetes.io/instance"] = one.name
                server["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": PORT}]
                server["spec"]["securityContext"] = self.as_pod.get("securityContext") or {}
                theirs = self.as_pod.get("containers") or [{}]
                server["spec"]["containers"][0]["securityContext"] = theirs[0].get("securityContext") or {}
                server["metadata"]["uid"] += node["metadata"]["name"]
                self.paper.run(server)

    def _look(self):
        self.now = self.paper.at()
        return self.now.cluster

    def list(self, kind, namespace="", selector=""):
        self.asked.append(f"list {kind}")
        wanted = [tuple(each.split("=")) for each in selector.split(",") if each]
        listed = {
            "nodes": self._look().nodes,
            "pods": self.paper.pods,
            "resourceclaims": self.paper.claims,
        }.get(kind)
        if listed is None:
            listed = [each for (found, *_), each in self.kept.items() if found == kind]
        return [
            each
            for each in listed
            if namespace in ("", each["metadata"].get("namespace"))
            and all((each["metadata"].get("labels") or {}).get(key) == value for key, value in wanted)
        ]

    def create(self, kind, obj):
        metadata = dict(obj["metadata"])
        if "generateName" in metadata:
            metadata["name"] = f"{metadata['generateName']}{next(self._numbers)}"
        key = (kind, metadata.get("namespace", ""), metadata["name"])
        self.asked.append(f"create {kind} {metadata['name']}")
        if key in self.kept:
            raise ClusterError("already exists", 409)
        self.kept[key] = {**obj, "metadata": metadata}
        if kind == "jobs":
            self._run(self.kept[key])
        return self.kept[key]

    def _run(self, job):
        template = job["spec"]["template"]
        hostnames = hosts_of(template["spec"])
        for number in range(job["spec"]["completions"]):
            name = f"{job['metadata']['name']}-{number}"
            labels = {**template["metadata"]["labels"], "batch.kubernetes.io/job-name": job["metadata"]["name"]}
            host = hostnames[number % len(hostnames)]
            spec = {**template["spec"], **({"nodeName": host} if self.jobs_start else {})}
            self.paper.run(
                {
                    "metadata": {
                        "name": name,
                        "namespace": job["metadata"]["namespace"],
                        "uid": name,
                        "labels": labels,
                        "annotations": {"batch.kubernetes.io/job-completion-index": str(number)},
                    },
                    "spec": spec,
                    "status": {"phase": "Succeeded", "conditions": READY}
                    if self.jobs_start
                    else {
                        "phase": "Pending",
                        "conditions": [
                            {
                                "type": "PodScheduled",
                                "status": "False",
                                "message": "0/1 nodes are available: Insufficient cpu.",
                            }
                        ],
                    },
                }
            )

    def annotate(self, kind, name, annotations):
        self.kept[kind, "", name]["metadata"].setdefault("annotations", {}).update(annotations)

    def delete(self, kind, name, namespace=""):
        self.asked.append(f"delete {kind} {name}")
        self.kept.pop((kind, namespace, name), None)
        if kind == "namespaces":
            self.kept = {key: each for key, each in self.kept.items() if key[1] != name}
            self.paper.pods = [each for each in self.paper.pods if each["metadata"].get("namespace") != name]
        if kind == "jobs":
            self.paper.pods = [
                each
                for each in self.paper.pods
                if each["metadata"]["labels"].get("batch.kubernetes.io/job-name") != name
            ]

    def _found(self, namespace, name):
        return next(
            each
            for each in self.paper.pods
            if (each["metadata"].get("namespace"), each["metadata"]["name"]) == (namespace, name)
        )

    def log(self, namespace, pod):
        return simulated_pods.log_of(self._found(namespace, pod), self._look(), self.paper.faults)

    def execute(self, namespace, pod, container, command):
        self.executed.append((pod, container, *command))
        return simulated_pods.executed(self._found(namespace, pod), command, self._look(), self.paper.faults)

    def get(self, kind, name, namespace=""):
        """Of what nobody has created here there are Services: that of each server."""
        assert kind == "services"
        return {
            "metadata": {"name": name, "namespace": namespace},
            "spec": {
                "selector": {"app.kubernetes.io/instance": name},
                "ports": [{"port": 80, "targetPort": "http"}, {"port": 81}],
            },
        }

    def ask_service(self, namespace, service, path, body):
        described = self.get("services", service, namespace)
        with _told():
            return simulated_pods.answer_of(described, path, body, self._look(), self.paper.faults)

    def ask_pod(self, namespace, pod, port, path, body):
        assert port == PORT
        with _told():
            found = self._found(namespace, pod)
            return simulated_pods.answer_of_pod(found, path, body, self._look(), self.paper.faults)


@contextmanager
def _told():
    try:
        yield
    except simulated_pods.NoAnswerError as error:
        raise ClusterError(str(error), error.status) from None


def verification(stack, cluster, level=Level.QUICK, **more):
    return Verification(stack, cluster, IMAGES, gang, level, unscheduled_seconds=0, now=lambda: NOW, **more)


def verified(patch, *faults, level=Level.QUICK, nodes=1, **more):
    """What is found in the cluster of the patched example."""
    stack = stack_of(patch)
    return verification(stack, PaperCluster(stack, *faults, nodes=nodes, **more), level).findings()


def wrong(findings):
    """Code and severity of what is not as expected."""
    return [(each.code, each.severity.value) for each in findings if each.severity.failed]


def made_by(patch, *, nodes=2, level=Level.THOROUGH, **more):
    """Every object that a verification creates, by its plural kind, in the order in which it does."""
    stack = stack_of(patch)
    cluster, made = PaperCluster(stack, nodes=nodes, **more), []
    create = cluster.create

    def noted(kind, obj):
        made.append((kind, obj))
        return create(kind, obj)

    cluster.create = noted
    verification(stack, cluster, level).findings()
    return made
