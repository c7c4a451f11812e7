"""One GPU, and who shares it."""

from eks_accelerators.monitoring.alerts.concerns import DIVIDED, LINKED, NVIDIA, UNDIVIDED
from eks_accelerators.monitoring.dashboards.plan import (
    BYTES,
    BYTES_PER_SECOND,
    CELSIUS,
    MEGAHERTZ,
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

_HERE = 'node="$node", gpu="$gpu"'
_MIB = 1024 * 1024
_ONCE = "Under sharing each pod has a copy of the same value, which is drawn once."


def _largest(series: str, where: str = "") -> str:
    """Of the whole GPU, or of each of its instances: pods that share have copies."""
    return f"max by (GPU_I_ID) ({series}{{{_HERE}{where}}})"


def _of_gpu(series: str) -> str:
    return f"max ({series}{{{_HERE}}})"


def _rate(series: str) -> str:
    return f"max (rate({series}{{{_HERE}}}[{WINDOW}]))"


_SHARERS = PanelSection(
    "Who shares it",
    (
        DashboardPanel(
            "Does",
            PanelKind.STAT,
            "Free: no pod holds any part of it. Idle: a pod does, and the engine ran for less than 2 % of 5 minutes.",
            (Query(f"max by (state) (accelerator:gpu_state{{{_HERE}}})", "{{state}}"),),
            width=6,
            height=4,
            concern=NVIDIA,
            named=True,
        ),
        DashboardPanel(
            "Pods",
            PanelKind.STAT,
            "Pods that hold the GPU, a share of it, one of its instances, or a claim to it.",
            (
                Query(
                    f'count (group by (namespace, pod) (DCGM_FI_DEV_GPU_TEMP{{{_HERE}, pod!=""}}))'
                    f" or 0 * {_of_gpu('DCGM_FI_DEV_GPU_TEMP')}"
                ),
            ),
            width=6,
            height=4,
            concern=NVIDIA,
        ),
        DashboardPanel(
            "This GPU",
            PanelKind.TABLE,
            "What the driver says of it. Its index is that of every node; the UUID is its own.",
            (Query(f"group by (modelName, UUID, pci_bus_id) (DCGM_FI_DEV_GPU_TEMP{{{_HERE}}})"),),
            width=12,
            height=4,
            columns={"modelName": "Model", "UUID": "UUID", "pci_bus_id": "PCI"},
            concern=NVIDIA,
        ),
        DashboardPanel(
            "Pods that hold it",
            PanelKind.TABLE,
            "One line for each container. Share: a number under time-slicing and MPS. Instance: under MIG. Claim: under "
            "Dynamic Resource Allocation.",
            (
                Query(
                    "group by (namespace, pod, container, vgpu, GPU_I_PROFILE, GPU_I_ID, dra_claim_name)"
                    f' (DCGM_FI_DEV_GPU_TEMP{{{_HERE}, pod!=""}})'
                ),
            ),
            width=24,
            columns={
                "namespace": "Namespace",
                "pod": "Pod",
                "container": "Container",
                "vgpu": "Share",
                "GPU_I_PROFILE": "Profile",
                "GPU_I_ID": "Instance",
                "dra_claim_name": "Claim",
            },
            concern=NVIDIA,
        ),
    ),
)

_LOAD = PanelSection(
    "Load and memory",
    (
        DashboardPanel(
            "Engine, multiprocessors, tensor cores and memory",
            PanelKind.TIME_SERIES,
            "Shares of time. The engine runs when any kernel does: one small kernel without pause reads 100 %. How much "
            f"of the GPU works is said by its multiprocessors. {_ONCE} Under MIG a line for each instance.",
            tuple(
                Query(_largest(series), f"{name} {{{{GPU_I_ID}}}}")
                for series, name in (
                    ("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "engine"),
                    ("DCGM_FI_PROF_SM_ACTIVE", "multiprocessors"),
                    ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor cores"),
                    ("DCGM_FI_PROF_DRAM_ACTIVE", "memory interface"),
                )
            ),
            RATIO,
            concern=NVIDIA,
            most=1,
            runbook="unused-accelerators",
        ),
        DashboardPanel(
            "Load of each pod",
            PanelKind.TIME_SERIES,
            "Share of time in which a kernel of the pod ran. Pods that take turns can add up to more than 100 %, since each is "
            "sampled for itself. Under MPS the driver may report 0.",
            (
                Query(
                    f'max by (namespace, pod, vgpu) (DCGM_FI_DEV_GPU_UTIL{{{_HERE}, pod!=""}}) / 100',
                    "{{namespace}}/{{pod}} {{vgpu}}",
                ),
            ),
            RATIO,
            concern=UNDIVIDED,
            most=1,
            runbook="unused-accelerators",
        ),
        DashboardPanel(
            "Load of each instance's pod",
            PanelKind.TIME_SERIES,
            "Share of time in which the engine of a MIG instance ran, for the pod that has it. Its use by the driver's own "
            "count is not reported under MIG.",
            (
                Query(
                    "max by (namespace, pod, GPU_I_ID, GPU_I_PROFILE)"
                    f' (DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{_HERE}, pod!="", GPU_I_ID!=""}})',
                    "{{namespace}}/{{pod}} {{GPU_I_PROFILE}} {{GPU_I_ID}}",
                ),
            ),
            RATIO,
            concern=DIVIDED,
            most=1,
            runbook="unused-accelerators",
        ),
        DashboardPanel(
            "Memory of each pod",
            PanelKind.TIME_SERIES,
            "What each pod's processes have allocated, and under MIG what is in use of the pod's instance. vLLM takes its share "
            "at the start and keeps it: that is no measure of need.",
            (
                Query(
                    f'max by (namespace, pod, vgpu, GPU_I_ID) (DCGM_FI_DEV_FB_USED{{{_HERE}, pod!=""}}) * {_MIB}',
                    "{{namespace}}/{{pod}} {{vgpu}}{{GPU_I_ID}}",
                ),
            ),
            BYTES,
            concern=NVIDIA,
            stacked=True,
        ),
        DashboardPanel(
            "Memory of the GPU",
            PanelKind.TIME_SERIES,
            f"Used, free, and what the driver keeps. {_ONCE} Under MIG three lines for each instance.",
            tuple(
                Query(f"{_largest(series)} * {_MIB}", f"{name} {{{{GPU_I_ID}}}}")
                for series, name in (
                    ("DCGM_FI_DEV_FB_USED", "used"),
                    ("DCGM_FI_DEV_FB_FREE", "free"),
                    ("DCGM_FI_DEV_FB_RESERVED", "reserved"),
                )
            ),
            BYTES,
            concern=NVIDIA,
            stacked=True,
            runbook="overloaded-servers",
        ),
    ),
)

_HARDWARE = PanelSection(
    "Hardware",
    (
        DashboardPanel(
            "Temperature",
            PanelKind.TIME_SERIES,
            f"Of the whole GPU, whoever uses it. {_ONCE}",
            (
                Query(_of_gpu("DCGM_FI_DEV_GPU_TEMP"), "GPU"),
                Query(_of_gpu("DCGM_FI_DEV_MEMORY_TEMP"), "memory"),
            ),
            CELSIUS,
            width=8,
            concern=NVIDIA,
            runbook="slow-gpus",
        ),
        DashboardPanel(
            "Power",
            PanelKind.TIME_SERIES,
            f"Of the whole GPU, whoever uses it. L4 and H100 run at their limit under full load: that is no fault. {_ONCE}",
            (Query(_of_gpu("DCGM_FI_DEV_POWER_USAGE"), "power"),),
            WATTS,
            width=8,
            concern=NVIDIA,
        ),
        DashboardPanel(
            "Clocks",
            PanelKind.TIME_SERIES,
            f"They fall where nothing runs, and where heat or power keep them down. {_ONCE}",
            (
                Query(_of_gpu("DCGM_FI_DEV_SM_CLOCK"), "multiprocessors"),
                Query(_of_gpu("DCGM_FI_DEV_MEM_CLOCK"), "memory"),
            ),
            MEGAHERTZ,
            width=8,
            concern=NVIDIA,
            runbook="slow-gpus",
        ),
        DashboardPanel(
            "What keeps the clocks down",
            PanelKind.TIME_SERIES,
            "Samples of the last 5 minutes, by cause. `gpu_idle` is rest, `power_cap` is full load; `hw_slowdown`, `hw_thermal` and "
            f"`hw_power_brake` are faults. {_ONCE}",
            (Query(f"max by (clock_event) (DCGM_EXP_CLOCK_EVENTS_COUNT{{{_HERE}}})", "{{clock_event}}"),),
            concern=NVIDIA,
            runbook="slow-gpus",
        ),
        DashboardPanel(
            "Slowed down",
            PanelKind.TIME_SERIES,
            f"Share of time in which heat or the power limit kept the clocks down. {_ONCE}",
            (
                Query(f"{_rate('DCGM_FI_DEV_THERMAL_VIOLATION')} / 1e9", "heat"),
                Query(f"{_rate('DCGM_FI_DEV_POWER_VIOLATION')} / 1e9", "power limit"),
            ),
            RATIO,
            concern=NVIDIA,
            runbook="slow-gpus",
        ),
        DashboardPanel(
            "PCIe",
            PanelKind.TIME_SERIES,
            f"Traffic of the whole GPU, protocol included. {_ONCE}",
            (
                Query(_of_gpu("DCGM_FI_PROF_PCIE_TX_BYTES"), "sent"),
                Query(_of_gpu("DCGM_FI_PROF_PCIE_RX_BYTES"), "received"),
            ),
            BYTES_PER_SECOND,
            concern=NVIDIA,
            runbook="links",
        ),
        DashboardPanel(
            "NVLink",
            PanelKind.TIME_SERIES,
            f"Traffic over all NVLinks of the GPU, sent and received. GPUs without NVLink have none. {_ONCE}",
            (Query(f"{_of_gpu('DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL')} * {NVLINK_UNIT}", "NVLink"),),
            BYTES_PER_SECOND,
            concern=LINKED,
            runbook="links",
        ),
    ),
)

_FAULTS = PanelSection(
    "Faults",
    (
        DashboardPanel(
            "XIDs",
            PanelKind.TIME_SERIES,
            "The driver's errors of the last 5 minutes, by number. They are of the whole GPU: under sharing nobody knows whose "
            "fault one is.",
            (Query(f"max by (xid) (DCGM_EXP_XID_ERRORS_COUNT{{{_HERE}}})", "XID {{xid}}"),),
            width=8,
            concern=NVIDIA,
            warns_at=1,
            runbook="replace-a-gpu-node",
        ),
        DashboardPanel(
            "Health checks",
            PanelKind.TIME_SERIES,
            "DCGM's own checks of the whole GPU: 0 is well, 10 a warning, 20 a failure.",
            (Query(f"max by (health_watch) (DCGM_EXP_GPU_HEALTH_STATUS{{{_HERE}}})", "{{health_watch}}"),),
            width=8,
            concern=NVIDIA,
            warns_at=20,
            runbook="replace-a-gpu-node",
        ),
        DashboardPanel(
            "Asked for by the driver",
            PanelKind.STAT,
            "0 nothing, 1 and 4 a reset of the GPU, 2 and 7 a reboot, 3 a drain of its peers, 5 and 6 are of links. Not every "
            "generation of GPUs reports it.",
            (Query(_of_gpu("DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION")),),
            width=8,
            concern=NVIDIA,
            warns_at=1,
            runbook="replace-a-gpu-node",
        ),
        DashboardPanel(
            "Memory errors",
            PanelKind.TIME_SERIES,
            "Since the driver was loaded. Corrected ones are normal in small numbers; one that could not be corrected is not. "
            "They are of the whole GPU.",
            (
                Query(_of_gpu("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL"), "corrected"),
                Query(_of_gpu("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"), "not corrected"),
                Query(_of_gpu("DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS"), "rows remapped, corrected"),
                Query(_of_gpu("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS"), "rows remapped, not corrected"),
                Query(_of_gpu("DCGM_FI_DEV_ROW_REMAP_PENDING"), "remapping pending"),
                Query(_of_gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE"), "remapping failed"),
            ),
            concern=NVIDIA,
            runbook="replace-a-gpu-node",
        ),
        DashboardPanel(
            "PCIe packets sent again",
            PanelKind.TIME_SERIES,
            "A minute. More than 8 are too many.",
            (Query(f"{_rate('DCGM_FI_DEV_PCIE_REPLAY_COUNTER')} * 60", "packets a minute"),),
            concern=NVIDIA,
            warns_at=8,
            runbook="links",
        ),
        firing(names_of("gpu-faults", "gpu-speed", "missing"), 'node="$node"', NVIDIA),
    ),
)

PLAN = DashboardPlan(
    "gpu",
    "Accelerators: one GPU",
    "What one GPU does, who shares it, and whether it is well.",
    NVIDIA,
    (_SHARERS, _LOAD, _HARDWARE, _FAULTS),
    (
        Variable("node", "Node", "DCGM_FI_DEV_GPU_TEMP", "node", several=False),
        Variable("gpu", "GPU", 'DCGM_FI_DEV_GPU_TEMP{node="$node"}', "gpu", several=False),
    ),
)
