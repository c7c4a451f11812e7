"""What settings and facts alone say of a stack: node groups, fit, cost and problems, as plain data.

The keys are those of the documented JSON (`docs/json.md`). Money is text with two digits more than a
cent, unknown is null.
"""

from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from eks_accelerators.accel.report_headroom import pods_of, shares
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.accelerators.efa import efa_count
from eks_accelerators.accelerators.sharing_effects import effects
from eks_accelerators.settings.cost import NOT_COUNTED, Cost, estimate, group_per_hour
from eks_accelerators.settings.fit import Fit, longest_context
from eks_accelerators.settings.headroom import GroupHeadroom, headroom_of
from eks_accelerators.settings.load import Checked, load_stack_file, unset_secret
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.workloads import VllmWorkload, Workload
from eks_accelerators.settings.problems import Problem, Severity, errors
from eks_accelerators.settings.refusals import refused
from eks_accelerators.settings.resolved import ResolvedNodeGroup
from eks_accelerators.settings.workload_kinds import fit_of

SCHEMA = 1
"""Version of the JSON: it changes only when a key goes or changes its meaning."""


@dataclass(frozen=True, slots=True)
class Report:
    """The checked stack. ``data`` is the documented JSON; ``problems`` are those of ``checked`` and what else came up."""

    stack: str
    checked: Checked
    problems: tuple[Problem, ...]
    data: dict[str, Any]

    @property
    def settings(self) -> Settings | None:
        """The settings; None where their shape is wrong."""
        return self.checked.settings

    @property
    def failed(self) -> bool:
        """Whether a deployment would stop."""
        return bool(errors(self.problems))


def check_stack(location: StackLocation, now: datetime | None = None) -> Report:
    """Check the stack at ``location``. Imports no Pulumi SDK."""
    now = now or clock.now()
    return report(location.name, load_stack_file(location.file, now), now.date())


def report(stack: str, checked: Checked, today: date) -> Report:
    """The report of a checked stack."""
    unset = tuple(unset_secret(name, Severity.WARNING) for name in checked.unset_secrets)
    problems = (*checked.problems, *unset)
    settings = checked.settings
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "stack": stack,
        "region": settings.region if settings else None,
        "problems": [problem.to_dict() for problem in problems],
        "nodeGroups": [],
        "workloads": [],
        "cost": None,
    }
    if resolved := checked.stack:
        cost = estimate(resolved.settings, today)
        rooms = {name: headroom_of(resolved.settings.workloads, group) for name, group in resolved.groups.items()}
        data["nodeGroups"] = [_node_group(room, resolved.settings, cost) for room in rooms.values()]
        data["workloads"] = _workloads(resolved.settings, rooms)
        data["cost"] = _cost(cost)
    return Report(stack, checked, problems, data)


def money(value: Decimal | None) -> str | None:
    """USD as text with four digits; None where unknown."""
    return None if value is None else f"{value:.4f}"


def _node_group(room: GroupHeadroom, settings: Settings, cost: Cost) -> dict[str, Any]:
    group = room.group
    size, chip = group.settings.size, group.type.accelerator
    return {
        "name": group.name,
        "instanceType": group.type.name,
        "accelerator": chip.name,
        "acceleratorsPerNode": chip.count,
        "partitionSize": chip.partition_size,
        "acceleratorMemoryMib": chip.memory_mib,
        "sharing": group.sharing.strategy,
        "replicas": group.sharing.replicas,
        "sharingEffects": effects(group.type, group.sharing),
        "resource": group.resource,
        "resourcesPerNode": group.resources,
        "claimsPerNode": group.claimable,
        "efaInterfaces": efa_count(group.interfaces),
        "zones": list(group.zones) or None,
        "capacityType": group.settings.bought_as.value,
        "capacityBlock": group.settings.capacity_block,
        "nextCapacityBlocks": list(group.settings.next_capacity_blocks),
        "amiType": group.ami_type,
        "size": {"min": size.min, "desired": size.desired, "max": size.max},
        "quotaCode": group.type.quota.on_demand_code,
        "vcpusPerNode": group.type.vcpus,
        "usdPerHourAtDesired": money(group_per_hour(cost, group.name)),
        "usdPerHourAtMax": money(group_per_hour(cost, group.name, at_max=True)),
        "labels": group.labels,
        "taints": [str(taint) for taint in group.taints],
        "shares": shares(room),
        "refused": [asdict(refusal) for refusal in refused(room, settings.workloads)],
    }


def _workloads(settings: Settings, rooms: dict[str, GroupHeadroom]) -> list[dict[str, Any]]:
    found = []
    for kind, name, workload in settings.workloads.each():
        room = rooms.get(workload.node_group)
        group = room.group if room else None
        fit = fit_of(workload, group) if group else None
        server = fit if isinstance(fit, Fit) else None
        found.append(
            {
                "name": name,
                "kind": kind,
                "model": workload.served_model,
                "nodeGroup": workload.node_group,
                "replicas": fit.replicas if fit else workload.pod_count,
                "resource": group.share_of(workload.resource_name).resource if group else None,
                "podsPerNode": fit.pods_per_node if fit else None,
                "limitedBy": fit.limited_by if fit else None,
                "podsAtDesired": fit.pods_at_desired if fit else None,
                "podsAtMax": fit.pods_at_max if fit else None,
                "serversPerGpu": server.servers_per_gpu if server else None,
                "memory": server.arithmetic if server else None,
                **pods_of(room, kind, name),
                **_context(workload, group, server),
            }
        )
    return found


def _context(workload: Workload, group: ResolvedNodeGroup | None, fit: Fit | None) -> dict[str, Any]:
    """What the memory of a server is enough for; other kinds have none that is known."""
    if not isinstance(workload, VllmWorkload) or group is None or fit is None:
        return dict.fromkeys(("kvCacheTokens", "kvCacheSequences", "longestContext"))
    tokens = fit.kv_cache_tokens
    return {
        "kvCacheTokens": tokens,
        "kvCacheSequences": None if tokens is None else tokens // workload.max_model_len,
        "longestContext": longest_context(workload, group),
    }


def _cost(cost: Cost) -> dict[str, Any]:
    return {
        "currency": "USD",
        "usdPerHourAtDesired": money(cost.per_hour()),
        "usdPerHourAtMax": money(cost.per_hour(at_max=True)),
        "usdPerMonthAtDesired": f"{cost.per_month():.2f}",
        "usdPerMonthAtMax": f"{cost.per_month(at_max=True):.2f}",
        "unknownAtDesired": [line.name for line in cost.unknown()],
        "unknownAtMax": [line.name for line in cost.unknown(at_max=True)],
        "notCounted": list(NOT_COUNTED),
        "lines": [
            {
                "name": line.name,
                "usdPerHour": money(line.usd),
                "atDesired": line.at_desired,
                "atMax": line.at_max,
                "usdPerHourAtDesired": money(line.total()),
                "usdPerHourAtMax": money(line.total(at_max=True)),
                "note": line.note,
            }
            for line in cost.lines
        ],
    }
