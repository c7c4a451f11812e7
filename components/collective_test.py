"""A test of how fast accelerators exchange data, on one node or between nodes."""

from types import MappingProxyType
from typing import Any

import pulumi

from eks_accelerators.accelerators.collective_bandwidth import measured
from eks_accelerators.components.arguments import CollectiveTestArgs
from eks_accelerators.components.charts import name_of
from eks_accelerators.components.gang import (
    GangComponent,
    GangInputs,
    add_job,
    add_programs,
    add_service,
    image_of,
    job_spec,
    place_of,
    programs_of,
)
from eks_accelerators.components.gang_pod import PROGRAMS, pod_spec
from eks_accelerators.components.resource_claims import claims_of, with_claims
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.settings.model.training import CollectiveTestSettings
from eks_accelerators.settings.training_fit import collective_fit, expected_words

_LAUNCHER, _MEASURE, _NCCOM_LAUNCHER = "launch.py", "measure_all_reduce.py", "launch_nccom.py"

_OF_SSHD = ("SETGID", "SETUID", "SYS_CHROOT")
"""Capabilities with which sshd locks itself in before it knows who comes: without the last it lets nobody in (OpenSSH 9.2, tried)."""

_SMALLEST = 2**20
_GRACE_SECONDS = 60


class CollectiveTest(GangComponent[CollectiveTestSettings]):
    """Namespace, ConfigMap of programs, headless Service and Indexed Job.

    The log of the pod of index 0 has the table: that of `all_reduce_perf` on one node, between nodes that of
    `components/programs/measure_all_reduce.py`, in the same columns; on Neuron devices that of `nccom-test`.

    Providers: Kubernetes.

    Alone: A test of a node group that is described by `runs_on`. How to read it is in `docs/training.md`.
    """

    job_name: pulumi.Output[str]
    """Name of the Job."""
    namespace_name: pulumi.Output[str]
    """Its namespace."""
    expected: pulumi.Output[str]
    """The bus bandwidth to expect, and its source; or that nobody knows."""

    EXPORTED = MappingProxyType({"Expected": "expected"})

    def __init__(self, name: str, args: CollectiveTestArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, _parsed(name, args), opts)

    def _create(
        self, name: str, inputs: GangInputs[CollectiveTestSettings], opts: pulumi.ResourceOptions | None
    ) -> None:
        self._register(name, opts)
        workload, group = inputs.workload, inputs.group
        place = place_of(self, name, inputs.namespace)
        programs = add_programs(self, name, place, program_files(inputs))
        service = add_service(self, name, place)
        pod = pod_of(name, inputs)
        gpus = workload.accelerators
        claims = claims_of(self, f"{name}-gpus", group, gpus, place.namespace, depends_on=place.before)
        policy = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]
        spec = job_spec(name, workload.nodes, with_claims(pod, claims), 0, policy)
        self.job_name = name_of(add_job(self, name, place, spec, [programs, service]))
        self.namespace_name = place.namespace
        self.expected = pulumi.Output.from_input(_expected(inputs))
        outputs = {"job_name": self.job_name, "namespace_name": self.namespace_name, "expected": self.expected}
        self.register_outputs(outputs)


def pod_of(name: str, inputs: GangInputs[CollectiveTestSettings]) -> dict[str, Any]:
    """The pod of one node, in Kubernetes' own shape; without claims."""
    pod = pod_spec(
        name,
        inputs.workload,
        inputs.group,
        image=image_of(inputs),
        command=command(inputs),
        environment=_environment(name, inputs),
        node_selector=inputs.node_selector or inputs.group.node_selector,
        programs=programs_of(name),
        grace_seconds=_GRACE_SECONDS,
    )
    if _by_ssh(inputs):
        pod["containers"][0]["securityContext"]["capabilities"]["add"] = list(_OF_SSHD)
    return pod


def program_files(inputs: GangInputs[CollectiveTestSettings]) -> tuple[str, ...]:
    """Programs that its pods run, which ship."""
    return (_NCCOM_LAUNCHER,) if _by_ssh(inputs) else (_LAUNCHER, _MEASURE)


def _by_ssh(inputs: GangInputs[CollectiveTestSettings]) -> bool:
    """Whether its pods start each other's ranks: `nccom-test` does so by MPI."""
    return inputs.group.type.neuron is not None and inputs.workload.nodes > 1


def command(inputs: GangInputs[CollectiveTestSettings]) -> list[str]:
    """What measures: NVIDIA's or AWS's own program on one node; between nodes AWS's, and ours in the place of NVIDIA's, which needs MPI."""
    workload, ranks = inputs.workload, inputs.fit.processes_per_node
    smallest, largest = f"{_SMALLEST}", f"{workload.largest_mib * 2**20}"
    if inputs.group.type.neuron:
        sizes = ["-b", smallest, "-e", largest, "-f", "2", "-d", "fp32"]
        if not _by_ssh(inputs):
            return ["nccom-test", "-r", str(ranks), *sizes, "--check", "allr"]
        over = ["-r", str(ranks * workload.nodes), "-N", str(workload.nodes)]
        return ["python3", f"{PROGRAMS}/{_NCCOM_LAUNCHER}", "nccom-test", *over, *sizes, "--check", "allr"]
    if workload.nodes == 1:
        return ["all_reduce_perf", "-b", smallest, "-e", largest, "-f", "2", "-g", str(ranks), "-c", "1", "-n", "20"]
    measure = [f"{PROGRAMS}/{_MEASURE}", "--smallest", smallest, "--largest", largest]
    return ["python3", f"{PROGRAMS}/{_LAUNCHER}", *measure]


def _environment(name: str, inputs: GangInputs[CollectiveTestSettings]) -> dict[str, Any]:
    if _by_ssh(inputs):
        return {"HOSTS": " ".join(f"{name}-{index}.{name}" for index in range(inputs.workload.nodes))}
    if inputs.group.type.neuron:
        return {}
    return {
        # The lines that prove EFA and GPUDirect RDMA.
        "NCCL_DEBUG": "INFO",
        "NODES": str(inputs.workload.nodes),
        "PROCESSES_PER_NODE": str(inputs.fit.processes_per_node),
        "RENDEZVOUS_HOST": f"{name}-0.{name}",
        "RENDEZVOUS_ID": name,
        "MAX_RESTARTS": "0",
        "STOP_FILE": "/tmp/ask-to-end",  # noqa: S108  (in the container, where nobody else is)
        "SAVE_SECONDS": "5",
    }


def _expected(inputs: GangInputs[CollectiveTestSettings]) -> str:
    known = measured(inputs.group.type.name, inputs.workload.nodes)
    words = expected_words(inputs.workload, inputs.group)
    return f"{words} ({known.source})" if known else words


def _parsed(name: str, args: CollectiveTestArgs) -> GangInputs[CollectiveTestSettings]:
    """The arguments, typed, with every default; raises `SettingsError` where a rule forbids them."""
    runs_on = args["runs_on"]
    group, workload = resolve_workload(CollectiveTestSettings, name, args, runs_on)
    return GangInputs(
        workload=workload,
        group=group,
        fit=collective_fit(workload, group),
        namespace=args.get("namespace"),
        node_selector=runs_on.get("node_selector"),
    )
