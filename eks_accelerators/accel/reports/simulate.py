"""What `accel simulate` finds out."""

from typing import ClassVar, Literal

from pydantic import Field

from eks_accelerators.accel.reports.base import Moment, Properties, ReportPart, Usd, VersionedReport
from eks_accelerators.accel.reports.check import ProblemReport
from eks_accelerators.accel.simulate.options import Action


class FailedResource(ReportPart):
    """A resource whose operation failed."""

    type: str = Field(description="Type token")
    name: str = Field(description="Name in the program")


class SimulatedChange(ReportPart):
    """What the engine did with one resource."""

    operation: str = Field(description="What the engine did with it, such as `create`")
    type: str = Field(description="Type token")
    name: str = Field(description="Name in the program")


class TimelineStep(ReportPart):
    """A step that nothing can be quicker than."""

    action: str = Field(description="`create`, `update` or `delete`")
    type: str = Field(description="Type token")
    name: str = Field(description="Name in the program")
    seconds: int = Field(description="How long it takes on real AWS, in seconds")


class TimelineReport(ReportPart):
    """How long it takes on real AWS."""

    as_they_are: ClassVar = frozenset({"chart"})

    seconds: int = Field(description="From beginning to end, in seconds")
    critical_seconds: int = Field(description="Seconds of the longest chain of steps that wait for each other")
    sentence: str = Field(description="The same in words")
    path: tuple[TimelineStep, ...] = Field(description="That chain")
    unknown: tuple[str, ...] = Field(description="Types whose duration nobody knows")
    chart: str = Field(description="A picture of it, in lines of text")


class ThrottlingReport(ReportPart):
    """Calls that were throttled by `--throttle`, and what that took."""

    calls: int = Field(description="Calls that were made")
    throttled: int = Field(description="Those that AWS throttled")
    waited_seconds: int = Field(description="Seconds that were waited for them")


class EventReport(ReportPart):
    """Something that happens in the account."""

    at: Moment = Field(description="Simulated time")
    what: str = Field(description="What happens, for people")


class ResourceCount(ReportPart):
    """How much of a resource there is on a node."""

    allocatable: int = Field(description="What the node has to give")
    requested: int = Field(description="What pods on it ask for")


class NodeReport(ReportPart):
    """A node of the simulated cluster, and what it advertises."""

    name: str = Field(description="Name in Kubernetes")
    instance_type: str = Field(description="EC2 instance type")
    zone: str = Field(description="Availability zone")
    node_group: str = Field(description="Name in the stack file; for the system group that of EKS")
    system: bool = Field(
        validation_alias="is_system", description="Whether it belongs to no node group of accelerators"
    )
    ready: bool = Field(description="Whether Kubernetes says that it is ready")
    accelerators: dict[str, ResourceCount] = Field(
        description="By resource, EFA too; claimed GPUs are under `gpu.nvidia.com`"
    )
    reason: str | None = Field(description="What of them is missing, and why")


class PodReport(ReportPart):
    """Pods of one owner that fare alike."""

    namespace: str = Field(description="Namespace in Kubernetes")
    owner: str = Field(description="What they belong to, such as `Deployment/llama`")
    phase: str = Field(description="Phase in Kubernetes, such as `Running` or `Pending`")
    count: int = Field(description="Number of pods")
    requests: dict[str, int] = Field(description="What each asks for")
    reason: str | None = Field(description="Why they do not run; null where they do")
    names: tuple[str, ...] = Field(description="Names of the pods")
    nodes: tuple[str, ...] = Field(description="Nodes on which they are")


class RunningCost(ReportPart):
    """What the nodes that there are cost."""

    currency: Literal["USD"] = Field("USD", description="Currency of the amount")
    usd_per_hour: Usd = Field(description="Sum of what is known")
    unknown: tuple[str, ...] = Field(description="What costs something unknown")


class SimulateReport(VersionedReport):
    """`accel simulate <stack> --json`; progress goes to standard error. The exit status is 0, 1 where the simulated deployment
    failed, 2 where nothing could be simulated, 130 after Ctrl-C, 143 after SIGTERM.
    """

    as_they_are: ClassVar = frozenset({"outputs"})

    stack: str = Field(description="Name of the stack")
    region: str = Field(description="AWS region")
    action: Action = Field(description="What was done")
    ok: bool = Field(description="Whether it worked")
    state: str = Field(description="Folder of the simulation")
    clock: Moment = Field(description="Simulated time after it")
    assumptions: tuple[str, ...] = Field(description="What was assumed of the account")
    problems: tuple[ProblemReport, ...] = Field(description="Warnings about the settings")
    changes: dict[str, int] = Field(description="Number of resources by operation of the engine")
    resources: tuple[SimulatedChange, ...] = Field(description="Each that changed")
    failed: tuple[FailedResource, ...] = Field(description="Each that failed")
    errors: tuple[str, ...] = Field(description="What went wrong, in the words of the engine and its providers")
    outputs: Properties = Field(description='Outputs of the stack; a secret is `"[secret]"`')
    timeline: TimelineReport | None = Field(description="How long it takes on real AWS; null where nothing was done")
    throttling: ThrottlingReport | None = Field(description="With `--throttle` what it did, else null")
    happened: tuple[EventReport, ...] = Field(description="What has happened in the account")
    nodes: tuple[NodeReport, ...] = Field(description="Nodes; none where there is no cluster")
    pods: tuple[PodReport, ...] = Field(description="Pods, those that fare alike together")
    cost: RunningCost | None = Field(description="What runs costs; null where there is no cluster")
    next: tuple[EventReport, ...] = Field(description="What happens next, 60 days ahead at most")
