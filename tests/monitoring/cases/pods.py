"""Pods that get no accelerator, do not work with it, or do not use it."""

import re

from tests.monitoring.cases.case import FIRST, A, B, Case, labelled
from tests.monitoring.cases.kubernetes import CORE, MIG, SHARED, claiming, of_pod, pod

ONE, TWO = {"namespace": "team", "pod": "one"}, {"namespace": "team", "pod": "two"}
UNSCHEDULABLE, READY = "kube_pod_status_unschedulable", "kube_pod_status_ready"
REASON = "kube_pod_status_reason"
RESTARTS, STARTED = "kube_pod_container_status_restarts_total", "kube_pod_start_time"
LOAD, ACTIVE = "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE"
AN_HOUR_AND_A_HALF = 90
EVERY_TEN_MINUTES = "0x9 1x9 2x9 3x9 4x9 5x9 6x40"


def not_ready(name, values="1x60"):
    ready = re.sub(r"\b([01])x", lambda found: f"{1 - int(found[1])}x", values)
    return {**of_pod(READY, name, values, condition="false"), **of_pod(READY, name, ready, condition="true")}


def started(name, minute=0):
    return of_pod(STARTED, name, f"_x{minute} {60 * minute}x120" if minute else "0x120")


def measured(metric, values, **labels):
    """A series of a GPU, with the temperature that DCGM says of it at the same moments."""
    return {
        labelled(metric, **labels): values,
        labelled("DCGM_FI_DEV_GPU_TEMP", **labels): re.sub(r"[\d.]+x", "40x", values),
    }


CASES = [
    Case(
        "AcceleratorPodUnschedulable",
        "one runs, one is gated, and one without an accelerator waits",
        {
            **pod("one", "node-a"),
            **pod("gated", "", phase="Pending"),
            **of_pod(UNSCHEDULABLE, "gated", "1x60"),
            **of_pod(REASON, "gated", "1x60", reason="SchedulingGated"),
            **pod("plain", "", None, phase="Pending"),
            **of_pod(UNSCHEDULABLE, "plain", "1x60"),
        },
    ),
    Case(
        "AcceleratorPodUnschedulable",
        "two wait, one with a claim",
        {
            **pod("one", "", phase="Pending"),
            **of_pod(UNSCHEDULABLE, "one", "1x60"),
            **claiming("two", phase="Pending"),
            **of_pod(UNSCHEDULABLE, "two", "1x60"),
            **pod("three", "node-a"),
        },
        (ONE, TWO),
    ),
    Case(
        "AcceleratorPodUnschedulable",
        "one waits for a share, one for a MIG instance, and two have theirs",
        {
            **pod("one", "", SHARED, phase="Pending"),
            **of_pod(UNSCHEDULABLE, "one", "1x60"),
            **pod("two", "", MIG, phase="Pending"),
            **of_pod(UNSCHEDULABLE, "two", "1x60"),
            **pod("three", "node-a", SHARED),
            **pod("four", "node-b", MIG),
        },
        (ONE, TWO),
    ),
    Case(
        "AcceleratorPodUnschedulable", "a node comes", {**pod("one", ""), **of_pod(UNSCHEDULABLE, "one", "1x14 stale")}
    ),
    Case(
        "AcceleratorPodNotReady",
        "ready, done, loading, and without an accelerator",
        {
            **pod("one", "node-a"),
            **not_ready("one", "0x60"),
            **pod("done", "node-a", phase="Succeeded"),
            **not_ready("done"),
            **pod("loading", "node-a"),
            **not_ready("loading", "1x20 0x40"),
            **pod("plain", "node-a", None),
            **not_ready("plain"),
        },
        at=40,
    ),
    Case(
        "AcceleratorPodNotReady",
        "one whose image does not come, by resource and by claim, and two that have no node yet",
        {
            **pod("one", "node-a", phase="Pending"),
            **not_ready("one"),
            **claiming("two", phase="Pending"),
            **not_ready("two"),
            **pod("three", "", phase="Pending"),
            **of_pod(UNSCHEDULABLE, "three", "1x60"),
            **claiming("four", phase="Pending"),
            **of_pod(UNSCHEDULABLE, "four", "1x60"),
        },
        (ONE, TWO),
        at=40,
    ),
    Case(
        "AcceleratorPodNotReady",
        "one by resource, one by claim",
        {
            **pod("one", "node-a", CORE),
            **not_ready("one"),
            **claiming("two"),
            **not_ready("two"),
            **pod("three", "node-b"),
        },
        (ONE, TWO),
        at=40,
    ),
    Case(
        "AcceleratorPodNotReady",
        "one of the pods that share a GPU, one of those that divide one",
        {
            **pod("one", "node-a", SHARED),
            **not_ready("one"),
            **pod("two", "node-b", MIG),
            **not_ready("two"),
            **pod("three", "node-a", SHARED),
            **not_ready("three", "0x60"),
            **pod("four", "node-b", MIG),
            **not_ready("four", "0x60"),
        },
        (ONE, TWO),
        at=40,
    ),
    Case(
        "AcceleratorPodRestarting",
        "one a day, and one without an accelerator",
        {
            **pod("one", "node-a"),
            **of_pod(RESTARTS, "one", "0x30 1x90", container="main"),
            **pod("plain", "node-a", None),
            **of_pod(RESTARTS, "plain", "0+1x90", container="main"),
        },
        at=60,
    ),
    Case(
        "AcceleratorPodRestarting",
        "every ten minutes",
        {**pod("one", "node-a"), **of_pod(RESTARTS, "one", EVERY_TEN_MINUTES, container="main")},
        (ONE,),
        at=60,
        shown="6",
    ),
    Case(
        "AcceleratorPodRestarting",
        "one of two nodes",
        {
            **pod("one", "node-a"),
            **of_pod(RESTARTS, "one", EVERY_TEN_MINUTES, container="main"),
            **pod("two", "node-b"),
            **of_pod(RESTARTS, "two", "0x120", container="main"),
        },
        (ONE,),
        at=60,
        shown="6",
    ),
    Case(
        "AcceleratorPodRestarting",
        "one of the pods that share a GPU, one of those that divide one",
        {
            **pod("one", "node-a", SHARED),
            **of_pod(RESTARTS, "one", EVERY_TEN_MINUTES, container="main"),
            **pod("two", "node-b", MIG),
            **of_pod(RESTARTS, "two", EVERY_TEN_MINUTES, container="main"),
            **pod("three", "node-a", SHARED),
            **of_pod(RESTARTS, "three", "0x120", container="main"),
            **pod("four", "node-b", MIG),
            **of_pod(RESTARTS, "four", "0x120", container="main"),
        },
        (ONE, TWO),
        at=60,
        shown="6",
    ),
    Case(
        "GpuIdleWithPod",
        "one works, one idle GPU has no pod, one pod is young",
        {
            **measured(LOAD, "0x80 40x10 0x30", **A, **ONE),
            **started("one"),
            **measured(LOAD, "0x120", **B),
            **measured(LOAD, "_x40 0x80", node="node-c", gpu="0", UUID="GPU-c", **TWO),
            **started("two", 40),
        },
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "an old pod whose GPU has been measured for some minutes",
        {**measured(LOAD, "_x80 0x40", **A, **ONE), **started("one")},
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "one of two nodes",
        {
            **measured(LOAD, "0x120", **A, **ONE),
            **started("one"),
            **measured(LOAD, "90x120", **B, **TWO),
            **started("two"),
        },
        (ONE,),
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "one GPU of two works",
        {
            **measured(LOAD, "0x120", **A, **ONE),
            **measured(LOAD, "80x120", **{**A, "gpu": "1", "UUID": "GPU-a1"}, **ONE),
            **started("one"),
        },
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "pods that share a GPU may be idle",
        {**measured(LOAD, "0x120", **A), **measured(LOAD, "0x120", **A, **ONE, vgpu="0"), **started("one")},
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "a MIG instance",
        {**measured(ACTIVE, "0.001x120", **A, **FIRST, **ONE), **started("one")},
        (ONE,),
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "pods that share a MIG instance may be idle, and a kernel may do little",
        {
            **measured(ACTIVE, "0x120", **A, **FIRST, **ONE, vgpu="0"),
            **started("one"),
            **measured(LOAD, "40x120", **B, **TWO),
            **measured(ACTIVE, "0.001x120", **B, **TWO),
            **started("two"),
        },
        at=AN_HOUR_AND_A_HALF,
    ),
    Case(
        "GpuIdleWithPod",
        "a MIG instance that works",
        {**measured(ACTIVE, "0.7x120", **A, **FIRST, **ONE), **started("one")},
        at=AN_HOUR_AND_A_HALF,
    ),
]
