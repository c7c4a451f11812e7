"""What `accel simulate <stack> load` finds out."""

from typing import ClassVar

from pydantic import Field

from eks_accelerators.accel.reports.base import Moment, ReportPart, Usd, VersionedReport


class LoadStepReport(ReportPart):
    """A step of the load, and what came of it."""

    at: int = Field(description="When it begins, in seconds from the beginning")
    ends: int = Field(description="When it ends")
    load: str = Field(description="The load in words")
    restored: int | None = Field(
        description="Seconds from its begin until the objective held; 0 where it held all the time, null where it never did"
    )


class LoadPart(ReportPart):
    """A part of the way from more load to a server that answers, which no setting of this stack shortens further."""

    name: str = Field(description="What it is")
    seconds: int = Field(description="How long it takes at most, in seconds")
    source: str = Field(description="Where the figure is from")


class LoadSample(ReportPart):
    """How it is at a moment."""

    at: int = Field(description="Seconds from the beginning")
    in_flight: int = Field(description="Requests that are not answered")
    running: int = Field(description="Those that servers work at")
    waiting: int = Field(description="Those that wait, in a server or for one")
    replicas: int = Field(description="Servers that there should be")
    ready: int = Field(description="Servers that answer")
    starting: int = Field(description="Servers that are on a node and do not answer yet")
    unscheduled: int = Field(description="Servers without a place")
    nodes: dict[str, int] = Field(description="Nodes that are ready, by node group; `system` are those of none")
    alerts: tuple[str, ...] = Field(description="Alerts that fire")
    usd_per_hour: Usd = Field(description="What runs costs, as far as prices are known")


class LoadEvent(ReportPart):
    """A change during a load: of requests, replicas, nodes, alerts or faults."""

    at: int = Field(description="Seconds from the beginning")
    kind: str = Field(description="`load`, `replicas`, `pods`, `nodes`, `alert`, `fault`, `repair` or `account`")
    what: str = Field(description="What happened, for people")


class LoadTotals(ReportPart):
    """Requests, tokens and cost of the whole load."""

    asked: int = Field(description="Requests that were made")
    answered: int = Field(description="Those that were answered to the end")
    broken_off: int = Field(description="Those whose server went away")
    slow: int = Field(description="Those whose first token came later than 2.5 s")
    output_tokens_per_second: int = Field(description="Tokens of answers, on average")
    usd: Usd = Field(description="What nodes and cluster cost in that time, as far as prices are known")
    unknown: tuple[str, ...] = Field(description="What costs something unknown")


class LoadReport(VersionedReport):
    """`accel simulate <stack> load --json`; progress goes to standard error. The exit status is 0, 1 where the objective does
    not hold at the end, 2 where nothing could be simulated, 130 after Ctrl-C, 143 after SIGTERM.
    """

    as_they_are: ClassVar = frozenset({"chart"})

    stack: str = Field(description="Name of the stack")
    region: str = Field(description="AWS region")
    server: str = Field(description="The model server that was asked")
    state: str = Field(description="Folder of the simulation")
    clock: Moment = Field(description="Simulated time after it")
    seconds: int = Field(description="How long the load was, in seconds of simulated time")
    pace: float = Field(description="Simulated seconds of a second of the wall clock")
    held: bool = Field(description="Whether the objective holds at the end")
    objective: str = Field(description="What servers promise")
    steps: tuple[LoadStepReport, ...] = Field(description="Steps of the load")
    parts: tuple[LoadPart, ...] = Field(description="Parts of the way from load to a new server, one after the other")
    samples: tuple[LoadSample, ...] = Field(description="Every change, and a moment every 15 s")
    events: tuple[LoadEvent, ...] = Field(description="What happened, in order")
    totals: LoadTotals = Field(description="The whole load")
    without: tuple[str, ...] = Field(description="What of the stack took no part, and why")
    doubts: tuple[str, ...] = Field(
        description="Why it may have gone otherwise than it would on real AWS, and what to do"
    )
    models: tuple[str, ...] = Field(description="What is a model here, and not measured")
    chart: str = Field(description="A picture of it, in lines of text")
