"""A training job: what each of its ranks does, and what their links carry. The slowest rank holds up all others."""

from eks_accelerators.monitoring.alerts.concerns import ALONE, EFA, LINKED
from eks_accelerators.monitoring.alerts.phrases import grown
from eks_accelerators.monitoring.dashboards.plan import (
    BYTES,
    BYTES_PER_SECOND,
    RATIO,
    WATTS,
    WINDOW,
    DashboardPanel,
    DashboardPlan,
    PanelKind,
    PanelSection,
    Query,
    Variable,
)
from eks_accelerators.monitoring.dashboards.shared_panels import NVLINK_UNIT, firing, names_of

_CHOSEN = 'namespace=~"$namespace", pod=~"$pod", pod!=""'
_RANK = "namespace, pod, node, gpu, UUID, GPU_I_ID"
_LEGEND = "{{pod}} GPU {{gpu}} {{GPU_I_ID}}"
_RANKS = "A rank is a GPU, or a MIG instance, that one of the chosen pods holds."


def _ranks(series: str) -> str:
    return f"max by ({_RANK}) ({series}{{{_CHOSEN}}})"


_WORKS = f"max by ({_RANK}) (avg_over_time(DCGM_FI_PROF_SM_ACTIVE{{{_CHOSEN}}}[{WINDOW}]))"


def _stat(title: str, means: str, expression: str, unit: str = "none") -> DashboardPanel:
    return DashboardPanel(
        title,
        PanelKind.STAT,
        f"{means} {_RANKS}",
        (Query(expression),),
        unit,
        width=6,
        height=4,
        concern=ALONE,
        runbook="slow-gpus" if unit == RATIO else "",
    )


def _each(
    title: str, means: str, expression: str, unit: str, most: float | None = None, runbook: str = ""
) -> DashboardPanel:
    return DashboardPanel(
        title,
        PanelKind.TIME_SERIES,
        f"{means} {_RANKS}",
        (Query(expression, _LEGEND),),
        unit,
        concern=ALONE,
        most=most,
        runbook=runbook,
    )


_USE = PanelSection(
    "Ranks",
    (
        _stat("Ranks", "GPUs at work.", f"count ({_ranks('DCGM_FI_DEV_GPU_TEMP')})"),
        _stat("On average", "Share of cycles in which multiprocessors had work.", f"avg ({_WORKS})", RATIO),
        _stat("Slowest rank", "The one that all others wait for.", f"min ({_WORKS})", RATIO),
        _stat(
            "Between the slowest and the fastest",
            "Ranks that do the same work should be near each other.",
            f"max ({_WORKS}) - min ({_WORKS})",
            RATIO,
        ),
        _each(
            "Multiprocessors",
            "Share of cycles in which they had work. A rank that waits for others spins in a kernel of NCCL and reads high: compare "
            "with the tensor cores.",
            _ranks("DCGM_FI_PROF_SM_ACTIVE"),
            RATIO,
            1,
            "slow-gpus",
        ),
        _each(
            "Tensor cores", "Share of cycles in which they worked.", _ranks("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"), RATIO, 1
        ),
        _each(
            "Memory", "In use, under MIG of the instance.", f"{_ranks('DCGM_FI_DEV_FB_USED')} * {1024 * 1024}", BYTES
        ),
        _each(
            "Power",
            "Of the whole GPU. A rank that waits draws less.",
            _ranks("DCGM_FI_DEV_POWER_USAGE"),
            WATTS,
            runbook="slow-gpus",
        ),
    ),
)

_LINKS = PanelSection(
    "Links",
    (
        DashboardPanel(
            "NVLink",
            PanelKind.TIME_SERIES,
            f"Traffic over all NVLinks of the GPU that a rank has, sent and received. {_RANKS}",
            (Query(f"{_ranks('DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL')} * {NVLINK_UNIT}", _LEGEND),),
            BYTES_PER_SECOND,
            concern=LINKED,
            runbook="links",
        ),
        DashboardPanel(
            "PCIe",
            PanelKind.TIME_SERIES,
            f"Sent and received, protocol included: what goes to EFA and to the processor too. {_RANKS}",
            (
                Query(_ranks("DCGM_FI_PROF_PCIE_TX_BYTES"), f"sent {_LEGEND}"),
                Query(_ranks("DCGM_FI_PROF_PCIE_RX_BYTES"), f"received {_LEGEND}"),
            ),
            BYTES_PER_SECOND,
            concern=ALONE,
            runbook="links",
        ),
        DashboardPanel(
            "EFA",
            PanelKind.TEXT,
            "What is known of EFA here.",
            concern=EFA,
            text="No exporter of EFA's counters has a public image, so that its **traffic is not measured** here. The counters are on "
            "the nodes, in `/sys/class/infiniband/*/ports/*/hw_counters`. Bursts of errors are counted by the EKS node monitoring "
            "agent: see beside.",
        ),
        DashboardPanel(
            "Bursts of EFA errors",
            PanelKind.TIME_SERIES,
            "Within 15 minutes, by node: drops, errors of the other side, timeouts, packets sent again. Nothing is drawn until the "
            "first one.",
            (Query(grown('problem_condition_count{reason="EFAErrorMetric"}', "15m", "node"), "{{node}}"),),
            concern=EFA,
            warns_at=1,
            runbook="links",
        ),
    ),
)

_TROUBLE = PanelSection(
    "Trouble",
    (
        DashboardPanel(
            "What keeps clocks down",
            PanelKind.TIME_SERIES,
            "Samples of the last 5 minutes, by rank and cause, without rest and full load. It is of the whole GPU.",
            (
                Query(
                    f"max by (clock_event, {_RANK}) (DCGM_EXP_CLOCK_EVENTS_COUNT{{{_CHOSEN},"
                    ' clock_event!~"gpu_idle|power_cap|clocks_setting"})',
                    "{{clock_event}} " + _LEGEND,
                ),
            ),
            concern=ALONE,
            runbook="slow-gpus",
        ),
        DashboardPanel(
            "Restarts",
            PanelKind.TIME_SERIES,
            "Of the containers of the chosen pods, within an hour.",
            (
                Query(
                    "sum by (namespace, pod) (increase(kube_pod_container_status_restarts_total"
                    '{namespace=~"$namespace", pod=~"$pod"}[1h]))',
                    "{{namespace}}/{{pod}}",
                ),
            ),
            concern=ALONE,
            runbook="broken-pods",
        ),
        firing(names_of("gpu-faults", "gpu-speed", "pods"), concern=ALONE),
    ),
)

PLAN = DashboardPlan(
    "training",
    "Accelerators: training job",
    "What each rank of a job does, and what its links carry.",
    ALONE,
    (_USE, _LINKS, _TROUBLE),
    (
        Variable("namespace", "Namespace", 'DCGM_FI_DEV_GPU_TEMP{pod!=""}', "namespace"),
        Variable("pod", "Pods", 'DCGM_FI_DEV_GPU_TEMP{pod!="", namespace=~"$namespace"}', "pod"),
    ),
)
