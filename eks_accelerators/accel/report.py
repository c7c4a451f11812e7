"""What settings and facts alone say of a stack: the report of `accel check`. Imports no Pulumi SDK."""

from dataclasses import dataclass
from datetime import date, datetime

from eks_accelerators.accel.monitoring_report import monitoring_report
from eks_accelerators.accel.reports.check import (
    CheckReport,
    CostLineReport,
    CostReport,
    NodeGroupReport,
    ShareReport,
    ShareUser,
    WorkloadReport,
)
from eks_accelerators.accel.runs import run_report
from eks_accelerators.accel.scaling import scaling_report
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.sharing_effects import effects
from eks_accelerators.settings.cost import NOT_COUNTED, Cost, estimate, group_per_hour
from eks_accelerators.settings.fit import Fit, longest_context
from eks_accelerators.settings.gpu_memory import wanted_memory_words
from eks_accelerators.settings.headroom import GroupHeadroom, ShareHeadroom, headroom_of
from eks_accelerators.settings.language_models import language_model_of
from eks_accelerators.settings.load import Checked, load_stack_file, unset_secret
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.problems import Problem, Severity, errors
from eks_accelerators.settings.refusals import refused
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack, StackWorkload


@dataclass(frozen=True, slots=True)
class CheckedStack:
    """A stack and what was found out about it. ``problems`` are those of ``checked`` and what else came up."""

    stack: str
    checked: Checked
    problems: tuple[Problem, ...]
    report: CheckReport

    @property
    def settings(self) -> Settings | None:
        """The settings; None where their shape is wrong."""
        return self.checked.settings

    @property
    def failed(self) -> bool:
        """Whether a deployment would stop."""
        return bool(errors(self.problems))


def check_stack(location: StackLocation, now: datetime | None = None) -> CheckedStack:
    """Load and check the stack at ``location`` as of ``now``, by default this moment."""
    now = now or clock.now()
    return check_settings(location.name, load_stack_file(location.file, now), now.date())


def check_settings(stack: str, checked: Checked, today: date) -> CheckedStack:
    """What is found out about settings that are loaded."""
    unset = tuple(unset_secret(name, Severity.WARNING) for name in checked.unset_secrets)
    problems = (*checked.problems, *unset)
    settings = checked.settings
    report = CheckReport(
        stack=stack,
        region=settings.region if settings else None,
        problems=problems,
        **(_resolved(checked.stack, today) if checked.stack else {}),
    )
    return CheckedStack(stack, checked, problems, report)


def _resolved(stack: ResolvedStack, today: date) -> dict[str, object]:
    """What can be said of settings of a valid shape, by the field of the report."""
    cost = estimate(stack.settings, today)
    headrooms = {name: headroom_of(stack, name) for name in stack.groups}
    return {
        "node_groups": tuple(_node_group(headroom, stack, cost) for headroom in headrooms.values()),
        "workloads": tuple(_workload(each, headrooms, cost) for each in stack.every_workload),
        "monitoring": monitoring_report(stack),
        "cost": _cost(cost),
    }


def _node_group(headroom: GroupHeadroom, stack: ResolvedStack, cost: Cost) -> NodeGroupReport:
    group = headroom.group
    chip = group.type.accelerator
    return NodeGroupReport(
        name=group.name,
        instance_type=group.type.name,
        accelerator=chip.name,
        accelerators_per_node=chip.count,
        partition_size=chip.partition_size,
        accelerator_memory_mib=chip.memory_mib,
        sharing=group.sharing.strategy,
        replicas=group.sharing.replicas,
        sharing_effects=effects(group.type, group.sharing),
        resource=group.resource,
        resources_per_node=group.resources,
        claims_per_node=group.claimable,
        efa_interfaces=efa_count(group.interfaces),
        zones=group.zones or None,
        capacity_type=group.settings.bought_as,
        capacity_block=group.settings.capacity_block,
        next_capacity_blocks=group.settings.next_capacity_blocks,
        ami_type=group.ami_type,
        size=group.settings.size,
        quota_code=group.type.quota.on_demand_code,
        vcpus_per_node=group.type.vcpus,
        usd_per_hour_at_desired=group_per_hour(cost, group.name),
        usd_per_hour_at_max=group_per_hour(cost, group.name, at_max=True),
        labels=group.labels,
        taints=tuple(str(taint) for taint in group.taints),
        shares=tuple(map(_share, headroom.shares)),
        refused=refused(headroom, stack.workloads_on(group.name)),
    )


def _share(headroom: ShareHeadroom) -> ShareReport:
    share = headroom.share
    return ShareReport(
        resource=share.resource,
        device=share.device,
        sharers=share.sharers,
        memory_gib=share.gib,
        per_node=share.count,
        at_desired=headroom.offered,
        at_max=headroom.offered_at_max,
        asked_by=tuple(
            ShareUser(
                kind=user.asked.kind,
                workload=user.asked.name,
                count=user.asked.pods * user.asked.count,
                taken=user.placed * user.asked.count,
            )
            for user in headroom.asked_by
        ),
        taken=headroom.taken,
        left=headroom.left,
        take_turns=headroom.take_turns,
        memory_left_gib=headroom.memory_left_gib,
    )


def _workload(one: StackWorkload, headrooms: dict[str, GroupHeadroom], cost: Cost) -> WorkloadReport:
    workload = one.workload
    placed: dict[str, object] = {}
    if isinstance(one, PlacedWorkload):
        placed = {**_placed(one, headrooms[one.group.name]), "autoscaling": scaling_report(one, cost)}
        placed["run"] = run_report(one, cost)
    return WorkloadReport(
        name=one.name,
        kind=one.kind,
        model=workload.served_model,
        node_group=workload.node_group,
        **{"replicas": workload.pod_count, **placed},
    )


def _placed(one: PlacedWorkload, headroom: GroupHeadroom) -> dict[str, object]:
    """What is known of a workload whose node group can be resolved."""
    workload, fit = one.workload, one.fit
    (pods,) = [each for each in headroom.workloads if (each.asked.kind, each.asked.name) == (one.kind, one.name)]
    share = one.group.share_of(workload.resource_name)
    found: dict[str, object] = {
        "replicas": fit.pods,
        "resource": share.resource,
        "pods_per_node": fit.pods_per_node,
        "limited_by": fit.limited_by,
        "pods_at_desired": fit.pods_at_desired,
        "pods_at_max": fit.pods_at_max,
        "placed": pods.placed,
        "pending": pods.pending,
        "pending_reason": pods.reason,
        "memory_left_gib": pods.memory_left_gib,
        "memory": fit.arithmetic or wanted_memory_words(workload, share, fit.taken_gib),
        "kv_cache_tokens": fit.kv_cache_tokens,
        "kv_cache_sequences": fit.full_sequences,
    }
    if isinstance(fit, Fit):
        found["servers_per_gpu"] = fit.servers_per_gpu
    if model := language_model_of(workload):
        found["longest_context"] = longest_context(model[1], one.group)
    return found


def _cost(cost: Cost) -> CostReport:
    return CostReport(
        usd_per_hour_at_desired=cost.per_hour(),
        usd_per_hour_at_max=cost.per_hour(at_max=True),
        usd_per_month_at_desired=cost.per_month(),
        usd_per_month_at_max=cost.per_month(at_max=True),
        unknown_at_desired=tuple(line.name for line in cost.unknown()),
        unknown_at_max=tuple(line.name for line in cost.unknown(at_max=True)),
        not_counted=NOT_COUNTED,
        lines=tuple(
            CostLineReport(
                name=line.name,
                usd_per_hour=line.usd,
                at_desired=line.at_desired,
                at_max=line.at_max,
                usd_per_hour_at_desired=line.total(),
                usd_per_hour_at_max=line.total(at_max=True),
                note=line.note,
            )
            for line in cost.lines
        ),
    )
