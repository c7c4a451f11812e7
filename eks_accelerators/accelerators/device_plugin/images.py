"""What a configuration does on nodes whose image runs a device plugin of its own: nothing.

Source: Amazon EKS User Guide, pages on GPU sharing, on Bottlerocket's accelerated images and on Auto Mode; Bottlerocket's
settings `kubelet-device-plugins.nvidia`; read 2026-11-20 and 2026-11-21.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from eks_accelerators.accelerators import mig
from eks_accelerators.accelerators.device_plugin.judge import Judgement
from eks_accelerators.accelerators.device_plugin.nodes import Node
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.mig import rules

Nodes = Literal["al2023", "bottlerocket", "auto-mode"]

WITH_OWN_PLUGIN = {
    "bottlerocket": "Bottlerocket runs a device plugin of its own, with settings.kubelet-device-plugins.nvidia",
    "auto-mode": "EKS Auto Mode runs a device plugin of its own",
}
"""Kinds of nodes that no chart and no file configures, and why."""


def judge_for_nodes(judgement: Judgement, nodes: Nodes, node: Node | None) -> Judgement:
    """The judgement of a configuration file, for nodes of a kind; ``node`` has the MIG layouts, where there are any."""
    problems = [*judgement.problems, *_problems(judgement, nodes, node)]
    if nodes not in WITH_OWN_PLUGIN:
        return replace(judgement, problems=tuple(problems))
    problems.append(Finding("image-runs-plugin", "", f"ignored: {WITH_OWN_PLUGIN[nodes]}", "warning"))
    return Judgement(tuple(problems), ("",))


def chart_problem(nodes: Nodes) -> Finding | None:
    """Why the plugin's chart must stay off nodes of a kind."""
    if nodes not in WITH_OWN_PLUGIN:
        return None
    message = f"{WITH_OWN_PLUGIN[nodes]}: keep the chart off these nodes, since both register the same resource"
    return Finding("image-runs-plugin", "", message)


def sharing_problem(judgement: Judgement, nodes: Nodes) -> Finding | None:
    """The kind of sharing that a configuration wants, and nodes of a kind do not have."""
    strategy = judgement.effective.strategy if judgement.effective else "none"
    if nodes != "auto-mode" or strategy == "none":
        return None
    section, feature = ("sharing.mps", "MPS") if strategy == "mps" else ("sharing.timeSlicing", "time-slicing")
    return replace(rules.auto_mode_problem(feature), path=section)


def _problems(judgement: Judgement, nodes: Nodes, node: Node | None) -> Iterator[Finding]:
    if problem := sharing_problem(judgement, nodes):
        yield problem
    strategy = judgement.effective.mig_strategy if judgement.effective else "none"
    if nodes == "auto-mode" and strategy != "none":
        yield replace(rules.auto_mode_problem("MIG"), path="flags.migStrategy")
    if problem := rules.strategy_problem(strategy, image_runs_plugin=nodes == "bottlerocket"):
        yield replace(problem, path="flags.migStrategy")
    gpu = mig.gpu_of(node.instance_type) if node else None
    if node and gpu:
        yield from _layout_problems(node, gpu, nodes)


def _layout_problems(node: Node, gpu: mig.MigGpu, nodes: Nodes) -> Iterator[Finding]:
    found = [rules.nodes_problem(nodes, gpu, layout) for layout in node.layouts if layout]
    yield from (replace(problem, path="--mig") for problem in dict.fromkeys(filter(None, found)))
    if nodes == "bottlerocket" and node.in_mig_mode and any(layout != node.layouts[0] for layout in node.layouts):
        yield Finding("mig-bottlerocket", "--mig", "layouts differ: Bottlerocket divides every GPU of a node alike")
