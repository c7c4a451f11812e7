"""What `accel check` finds out, and `accel plan` with it."""

from decimal import Decimal
from typing import Literal

from pydantic import Field

from eks_accelerators.accel.reports.base import Cents, Gib, ReportPart, Usd, VersionedReport
from eks_accelerators.settings.model.monitoring import PrometheusKind
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.problems import Severity


class ProblemReport(ReportPart):
    """One thing that is wrong. `message`, `found`, `allowed` and `fix` are text for people."""

    code: str = Field(description="One of [rules.md](rules.md), or of those of `accel plan`")
    severity: Severity = Field(description="An error stops a deployment, a warning does not")
    path: str = Field(description="Property path, such as `nodeGroups.l4.size.max`")
    line: int | None = Field(description="Line of the stack file, where it is known")
    message: str = Field(description="What is wrong")
    found: str = Field(description="What is there")
    allowed: str = Field(description="What may be there")
    fix: str = Field(description="What to do")


class SizeReport(ReportPart):
    """Number of nodes of a group: at least, to begin with, at most."""

    min: int = Field(description="The smallest")
    desired: int = Field(description="The one to begin with")
    max: int = Field(description="The largest")


class ShareUser(ReportPart):
    """A workload that asks for shares."""

    kind: str = Field(description="As in the stack file, such as `vllm`")
    workload: str = Field(description="Its name")
    count: int = Field(description="Shares that all its pods ask for")
    taken: int = Field(description="Shares of those pods that find a place")


class ShareReport(ReportPart):
    """A share is what a pod gets for one of `resource`: a whole accelerator, a turn on one, a part of one with MPS, a MIG
    instance. Pods of this stack's workloads are counted, at the desired size of the group. Where workloads compete, those
    that the stack file has first come first.
    """

    resource: str = Field(description="What a pod asks for")
    device: str = Field(description="What it is, or is a share of: `L4`, `3g.40gb of H100`")
    sharers: int = Field(description="Shares of one `device`")
    memory_gib: Gib | None = Field(description="Memory of one share in GiB; null where it is not known")
    per_node: int = Field(description="Shares of a node")
    at_desired: int = Field(description="Shares of the group at its desired size")
    at_max: int = Field(description="Shares of the group at its largest size")
    asked_by: tuple[ShareUser, ...] = Field(description="Who asks for them")
    taken: int = Field(description="Shares that pods take")
    left: int = Field(description="The others: together they are `atDesired`")
    take_turns: bool = Field(description="Pods share the whole memory of a device: time-slicing")
    memory_left_gib: Gib | None = Field(
        description="GiB. With `takeTurns` what all pods leave of the fullest device; else what the largest pod leaves of its "
        "own share. Null where the memory of device or pod is not known"
    )


class RefusalReport(ReportPart):
    """What the group would refuse at its desired size.

    | `code` | What would be refused |
    | --- | --- |
    | no-node | any pod, as long as the group has no node |
    | workload-beyond-headroom | more pods of a workload than find a place, or those that are Pending already |
    | share-beyond-headroom | more of a share that no workload of the stack asks for |
    | more-than-a-node | a pod that asks for more than one node has |
    | two-shares | a pod that asks for two shares of one GPU |
    | other-resource | a pod that asks for accelerators by a name that the group does not advertise |
    | no-toleration | a pod that does not tolerate a taint of the group |
    | longer-context | a vLLM workload with a longer context than its share has memory for |
    | memory-above-share | an allocation of more memory than a share has, where something holds pods to it |
    """

    code: str = Field(description="One of those above")
    what: str = Field(description="What would be refused, for people")
    why: str = Field(description="In the words of who refuses it")
    fix: str = Field(description="What to do about it")


class NodeGroupReport(ReportPart):
    """One node group of accelerators."""

    name: str = Field(description="Name in the stack file")
    instance_type: str = Field(description="EC2 instance type")
    accelerator: str = Field(description="Name of the chip, such as `L4`")
    accelerators_per_node: int = Field(description="Chips of one node")
    partition_size: float = Field(
        description="Part of a chip that one of them is: 1 for whole chips, less for types such as `g6f.large`"
    )
    accelerator_memory_mib: int | None = Field(description="Memory of one, in MiB")
    sharing: Literal["exclusive", "timeSlicing", "mps", "mig"] = Field(description="How pods share a chip")
    replicas: int | None = Field(description="Pods that share one accelerator, or one MIG instance; 1 without sharing")
    sharing_effects: dict[str, str] = Field(
        description="What sharing does: `pods`, `memory`, `faults`, `metrics`; empty without sharing"
    )
    resource: str = Field(
        description="What a pod asks for to get one accelerator, or one share; the first of several with MIG `mixed`; the "
        "device class where pods claim GPUs"
    )
    resources_per_node: dict[str, int] = Field(description="All extended resources that a node advertises")
    claims_per_node: dict[str, int] = Field(
        description="Devices of a node that pods claim, by device class; empty without "
        "[Dynamic Resource Allocation](dynamic-resource-allocation.md)"
    )
    efa_interfaces: int = Field(description="EFA interfaces of a node")
    zones: tuple[str, ...] | None = Field(description="Zones; null where the Capacity Block decides")
    capacity_type: CapacityType = Field(description="How it is bought")
    capacity_block: str | None = Field(description="Its key under `capacityBlocks`")
    next_capacity_blocks: tuple[str, ...] = Field(description="Blocks that take over, in order")
    ami_type: str | None = Field(description="EKS AMI type")
    size: SizeReport = Field(description="Number of nodes")
    quota_code: str | None = Field(
        description="Code of the EC2 quota for on-demand instances of this family; its unit is vCPUs"
    )
    vcpus_per_node: int = Field(description="vCPUs of a node")
    usd_per_hour_at_desired: Usd | None = Field(description="Instances and disks at the desired size")
    usd_per_hour_at_max: Usd | None = Field(description="At the largest size")
    labels: dict[str, str] = Field(description="All labels of the nodes that the group sets")
    taints: tuple[str, ...] = Field(description="All taints, as `key=value:effect`")
    shares: tuple[ShareReport, ...] = Field(description="Every kind of share that a node offers")
    refused: tuple[RefusalReport, ...] = Field(description="What the group would refuse")


class HoursReport(ReportPart):
    """Hours in which servers are kept, whatever the load."""

    start: str = Field(description="Cron expression of the beginning")
    end: str = Field(description="Cron expression of the end")
    timezone: str = Field(description="Time zone of both")
    replicas: int = Field(description="Servers that are there in these hours at least")


class AutoscalingReport(ReportPart):
    """How a workload follows its load; nodes are counted as if it had them for itself."""

    min: int = Field(description="Fewest servers")
    max: int = Field(description="Most servers")
    hours: tuple[HoursReport, ...] = Field(description="Hours in which more than the fewest are kept")
    metrics: tuple[str, ...] = Field(description="What they are scaled by: `concurrency`, `kvCacheUse`")
    target_concurrency: int = Field(description="Requests of one server at which another is added")
    sequences_at_a_time: int = Field(description="Sequences of full length that one server works on at a time")
    start_seconds: int = Field(description="Seconds that a server takes to start")
    fallback_replicas: int = Field(description="Fewest servers while Prometheus does not answer")
    nodes_at_min: int | None = Field(description="Nodes that the fewest servers need; null where none fits a node")
    nodes_at_max: int | None = Field(description="Nodes that the most servers need")
    usd_per_hour_at_min: Usd | None = Field(description="Price of these nodes, disks included; null where unknown")
    usd_per_hour_at_max: Usd | None = Field(description="The same for the most servers")


class RunReport(ReportPart):
    """A workload that works on several nodes as one, and what that costs."""

    nodes: int = Field(description="Nodes that it takes, with one pod on each")
    processes_per_node: int = Field(description="Ranks of one pod")
    words: str = Field(description="Pods, accelerators and ranks, and for a test what to expect, in words")
    usd_per_hour: Usd | None = Field(
        description="Price of an hour of its nodes, disks included; null where unknown, and on a Capacity Block"
    )
    note: str = Field(description="What else is to say of the price; empty where nothing is")


class WorkloadReport(ReportPart):
    """One workload, and how its pods fare."""

    name: str = Field(description="Name in the stack file")
    kind: str = Field(description="As in the stack file: `vllm`, `cudaVectorAdd` or `dcgmProfTester`")
    model: str | None = Field(
        description="Hugging Face model; null for other kinds than `vllm`, as is all that concerns the memory of a server"
    )
    node_group: str = Field(description="Node group that it names")
    replicas: int | None = Field(
        description="Pods, the fewest where they follow the load; null where neither the settings nor the node group say"
    )
    autoscaling: AutoscalingReport | None = Field(
        None, description="How their number follows the load; null where it stays as it is"
    )
    resource: str | None = Field(
        None, description="What its pods ask for; null where the node group does not exist, as in everything below"
    )
    pods_per_node: int | None = Field(None, description="Pods that fit one node")
    limited_by: str | None = Field(
        None, description="What runs out first on a node: a resource, `cpu`, `memory` or `pods`"
    )
    pods_at_desired: int | None = Field(None, description="Pods that fit the group at its desired size")
    pods_at_max: int | None = Field(None, description="At its largest size")
    servers_per_gpu: int | None = Field(
        None, description="Servers whose memory fits one GPU; null where model or memory is not known"
    )
    memory: str | None = Field(None, description="The arithmetic, in words")
    run: RunReport | None = Field(
        None, description="What one run takes and costs; null for kinds whose pods work by themselves"
    )
    placed: int | None = Field(
        None, description="Pods that find a place at the desired size, beside those of other workloads"
    )
    pending: int | None = Field(None, description="Pods that find none")
    pending_reason: str | None = Field(None, description="Why, as the scheduler puts it; null where none is pending")
    memory_left_gib: Gib | None = Field(
        None,
        description="GiB that a server leaves of its share of the GPU; null where model or memory is not known, as in the "
        "next three",
    )
    kv_cache_tokens: int | None = Field(None, description="Tokens that the KV cache of a server holds")
    kv_cache_sequences: int | None = Field(None, description="Sequences of `maxModelLen` tokens that it holds")
    longest_context: int | None = Field(
        None, description="The largest `maxModelLen` in tokens that fits the share, at most that of the model"
    )


class CostLineReport(ReportPart):
    """One line of the cost estimate."""

    name: str = Field(description="What costs it")
    usd_per_hour: Usd | None = Field(description="Price of one piece; null where unknown")
    at_desired: int = Field(description="Pieces at the desired size")
    at_max: int = Field(description="Pieces at the largest size")
    usd_per_hour_at_desired: Usd | None = Field(description="All pieces at the desired size")
    usd_per_hour_at_max: Usd | None = Field(description="All pieces at the largest size")
    note: str = Field(description="Where the price is from, or why it is not known")


class CostReport(ReportPart):
    """The estimate: what is known of the price, and the names of what is not."""

    currency: Literal["USD"] = Field("USD", description="Currency of all amounts")
    usd_per_hour_at_desired: Usd = Field(description="Sum of what is known, at the desired sizes")
    usd_per_hour_at_max: Usd = Field(description="At the largest sizes")
    usd_per_month_at_desired: Cents = Field(description="The same for 730 hours")
    usd_per_month_at_max: Cents = Field(description="At the largest sizes")
    unknown_at_desired: tuple[str, ...] = Field(description="Names of lines that cost something unknown")
    unknown_at_max: tuple[str, ...] = Field(description="At the largest sizes")
    not_counted: tuple[str, ...] = Field(description="What no line covers")
    lines: tuple[CostLineReport, ...] = Field(description="What the sums are of")

    @property
    def sums(self) -> tuple[tuple[str, Decimal, Decimal, tuple[str, ...]], ...]:
        """Of both sizes their label, USD by the hour and for a month, and what is unknown."""
        return (
            ("now", self.usd_per_hour_at_desired, self.usd_per_month_at_desired, self.unknown_at_desired),
            ("at the largest size", self.usd_per_hour_at_max, self.usd_per_month_at_max, self.unknown_at_max),
        )


class AlertLeftOut(ReportPart):
    """An alert that concerns the stack and is not deployed."""

    alert: str = Field(description="Its name, as in [alerts.md](alerts.md)")
    reason: str = Field(description="What it lacks")


class MonitoringReport(ReportPart):
    """Who reads the metrics, and what follows from them."""

    prometheus: PrometheusKind = Field(description="Which Prometheus reads them: `prometheus` of the stack file")
    exporters: tuple[str, ...] = Field(description="Whose metrics it has, as in [metrics.md](metrics.md)")
    alerts: int = Field(description="Alerts that are deployed")
    alerts_left_out: tuple[AlertLeftOut, ...] = Field(description="Those that concern the stack and are not")


class CheckReport(VersionedReport):
    """`accel check <stack> --json`. The exit status is 0, or 2 where the settings have an error; the report is printed in both
    cases.
    """

    stack: str = Field(description="Name of the stack")
    region: str | None = Field(description="AWS region; null where the settings could not be read")
    problems: tuple[ProblemReport, ...] = Field(description="What is wrong")
    node_groups: tuple[NodeGroupReport, ...] = Field(
        (), description="Accelerator node groups; empty where the settings have no valid shape"
    )
    workloads: tuple[WorkloadReport, ...] = Field((), description="Workloads")
    monitoring: MonitoringReport | None = Field(
        None, description="Metrics and alerts; null where no Prometheus reads them, or the settings have no valid shape"
    )
    cost: CostReport | None = Field(None, description="Estimate; null where the settings have no valid shape")
