"""The rules that hold between fields. Each is a function; `RULES` has them all by code."""

from datetime import datetime

from eks_accelerators.settings.problems import Problem, Severity
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.settings.rules import (  # noqa: F401  (importing a module registers its rules)
    amis,
    autoscaling,
    autoscaling_limits,
    caches,
    capacity_block_purchase,
    capacity_block_rotation,
    capacity_blocks,
    cluster,
    cost,
    cuda_graphs,
    disks,
    dynamic_resource_allocation,
    efa,
    gpu_operator,
    gpu_tests,
    images,
    instance_types,
    karpenter,
    mig,
    model_repositories,
    monitoring,
    networks,
    neuron_vllm,
    nim,
    node_autoscaling,
    node_groups,
    pasted_secrets,
    plugins,
    scheduled_actions,
    scheduled_scaling,
    servers,
    servers_across_nodes,
    sharing,
    storage,
    training,
    training_engines,
    vllm,
    volumes,
    workloads,
    workloads_on_nodes,
)
from eks_accelerators.settings.rules.consequences import without_consequences
from eks_accelerators.settings.rules.registry import RULES, Context, Rule

__all__ = ["RULES", "Rule", "check"]


def check(stack: ResolvedStack, now: datetime) -> list[Problem]:
    """Every problem that the rules find, errors first, without those that only follow from another."""
    context = Context(stack, now)
    problems = [problem for rule in RULES.values() for problem in rule.problems(context)]
    problems = without_consequences(problems, stack.settings)
    return sorted(problems, key=lambda problem: problem.severity is Severity.WARNING)
