"""Situations in which every alert is tried, and why one cannot be where there is no such case."""

import re
from collections.abc import Callable

from tests.monitoring.cases.case import Case

_LABEL = re.compile(r'(\w+)="([^"]+)"')


def _labels(case):
    return {pair for series in case.series for pair in _LABEL.findall(series)}


def _one_of_two(case):
    """It fires for one node and is silent for another; where it names no node, for whatever else it names."""
    named = {key for fired in case.fires for key in fired}
    return any(
        {fired[key] for fired in case.fires if key in fired} < {value for label, value in _labels(case) if label == key}
        for key in named & {"node"} or named
    )


def _shared(case):
    return any(
        key == "vgpu" or (key == "resource" and "gpu_shared" in value.replace(".", "_")) for key, value in _labels(case)
    )


def _divided(case):
    return any(
        key == "GPU_I_ID" or (key == "resource" and "nvidia" in value and "mig" in value)
        for key, value in _labels(case)
    )


SITUATIONS: dict[str, Callable[[Case], bool]] = {
    "fires": lambda case: bool(case.fires),
    "silent": lambda case: not case.fires,
    "one of two": lambda case: bool(case.fires) and _one_of_two(case),
    "a shared GPU": lambda case: bool(case.fires) and _shared(case),
    "MIG": lambda case: bool(case.fires) and _divided(case),
}
"""Which cases are of a situation. A fault that sharing must not hide is one that fires on a shared GPU."""

_NO_GPU = {
    "AcceleratedHardwareNotReady": "a condition of the node, which is the same however its GPUs are shared",
    "AcceleratorMetricsMissing": "whether an exporter answers, whatever it measures",
    "AutoscalerBlind": "KEDA's questions, which are about requests",
    "AutoscalerMissing": "Deployments of autoscalers",
    "AutoscalerStopped": "the Cluster Autoscaler as a whole",
    "CapacityBlockEnding": "the clock alone",
    "EfaErrors": "network interfaces",
    "KarpenterLimitNearlyReached": "Karpenter's pools, whose GPUs are whole",
    "KarpenterNodesNotLaunching": "Karpenter's pools, whose GPUs are whole",
    "ModelServerUnused": "requests to a server, whatever it runs on",
    "NeuronExecutionErrors": "Neuron devices",
    "NeuronUncorrectableEcc": "Neuron devices",
    "NodesNotLaunching": "the Cluster Autoscaler's attempts, by their reason",
    "VllmFirstTokenSlow": "requests to a server, whatever it runs on",
    "VllmFirstTokenSlowish": "requests to a server, whatever it runs on",
    "VllmPreempting": "requests to a server, whatever it runs on",
    "VllmQueueGrowing": "requests to a server, whatever it runs on",
}

CANNOT_BE: dict[str, dict[str, str]] = {
    "one of two": {
        "AutoscalerMissing": "which there should be is written into the rules, and no series says it: a case has two of three",
        "AutoscalerStopped": "there is one Cluster Autoscaler",
        "CapacityBlockEnding": "it reads no series of nodes: when a block ends is written into the rules",
        "CapacityBlockEndingInUse": "a block ends as a whole: one node of two in use is all of it",
    },
    "a shared GPU": {
        **_NO_GPU,
        "GpuIdleWithPod": "of pods that share a GPU nobody knows which one is idle: it is silent",
    },
    "MIG": _NO_GPU,
}
"""Why an alert has no case of a situation, by the situation and the alert's name."""

OF_GPUS = re.compile(r"DCGM_|nvidia_com|nvidia\.com|accelerator:requested")
"""What an expression names that asks of GPUs, of their resources, or of what is recorded of these."""
