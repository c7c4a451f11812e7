"""What `accel sharing check` finds out."""

from typing import Literal

from pydantic import Field

from eks_accelerators.accel.reports.base import Report, ReportPart
from eks_accelerators.accel.reports.findings import FindingReport
from eks_accelerators.accel.sharing.words import Chart, Nodes


class SharedResourceReport(ReportPart):
    """An extended resource that pods share, and the name it is advertised under."""

    name: str = Field(description="Name before it is shared")
    replicas: int = Field(description="Shares of each")
    advertised_as: str = Field(description="Name that a pod asks for")


class EffectiveConfiguration(ReportPart):
    """What the device plugin goes on with."""

    strategy: Literal["none", "time-slicing", "mps"] = Field(description="How a GPU is shared")
    mig_strategy: Literal["none", "single", "mixed"] = Field(description="How MIG instances are named")
    rename_by_default: bool = Field(description="Shares are called `.shared`")
    fail_requests_greater_than_one: bool = Field(description="A pod that asks for two shares is refused")
    shared_devices_allocation_policy: str = Field(description="`distributed` or `packed`")
    resources: tuple[SharedResourceReport, ...] = Field(description="What is shared")
    advertised: dict[str, int] | None = Field(
        description="All resources of the node's GPUs; null without an instance type"
    )
    largest_request: dict[str, int] = Field(description="How many of each a pod may ask for")
    memory_mib_per_share: int | None = Field(
        description="Memory of a GPU in MiB by its shares; only MPS holds pods to it. Null where GPUs are not shared, or not "
        "known"
    )


class SharingReport(Report):
    """`accel sharing check FILE --json`. The exit status is 2 where the verdict is `rejected`, else 0.

    Codes of what is refused: `too-large`, `not-yaml`, `wrong-type`, `version`, `no-resources`, `no-resource-name`, `replicas`,
    `resource-name`, `devices`, `device-list-strategy`, `device-id-strategy`, `allocation-policy`, `mig-strategy`,
    `device-discovery-strategy`, `imex-channels`, `mps-with-mixed-mig`, `mps-root`, `mps-clients`, `mps-on-mig`,
    `mps-without-daemon`, `mig-not-uniform`. Of what has no effect: `unknown-key`, `misplaced-key`, `ignored-key`,
    `both-kinds`, `resource-twice`, `resource-not-there`, `key-twice`, `further-document` (its path is `---`),
    `overridden-flag`. Of advice: `mig-not-served`, `mps-resource`, `time-slicing-on-mig`, `requests-greater-than-one`. Of the
    question itself: `unreadable-file`, `instance-type-unknown`, `no-gpu`, `mig-without-type`, `mig-layouts`, and those of
    `accel mig check`.

    Values of a chart embed configurations as texts. The path of what is found in one begins with that of the text and `: `, as
    in `config.map.any: sharing.mps`. Codes of values: `chart-namespace`, `chart-configurations`, `no-config-map`,
    `mps-without-discovery`, `operator-installs-again`, `operator-two-stacks`, `mig-configurations`,
    `mig-compute-instances`. Of nodes whose image runs a device plugin: `image-runs-plugin`, `auto-mode-sharing`,
    `mig-mixed-on-bottlerocket`, `mig-bottlerocket`, `mig-bottlerocket-profile`.
    """

    verdict: Literal["accepted", "accepted-but-ignores", "rejected"] = Field(
        description="`accepted-but-ignores` where something in the file has no effect; `rejected` by the plugin or by what runs "
        "beside it"
    )
    chart: Chart | None = Field(
        description="Helm chart whose values the file has; null for a configuration of the plugin"
    )
    nodes: Nodes = Field(description="Kind of the nodes")
    instance_type: str | None = Field(description="EC2 instance type of the node; null where none is given")
    problems: tuple[FindingReport, ...] = Field(description="What is wrong. Warnings do not make a verdict")
    ignored: tuple[str, ...] = Field(description="Property paths that have no effect; an empty one is the whole file")
    effective: EffectiveConfiguration | None = Field(
        description="What the plugin goes on with; null where it is refused, or ignored. With a chart that of a node without a "
        "label"
    )
    configurations: dict[str, EffectiveConfiguration | None] = Field(
        description="With a chart what the plugin goes on with, by the key that a node's label names; null where that is "
        "refused. Else empty"
    )
