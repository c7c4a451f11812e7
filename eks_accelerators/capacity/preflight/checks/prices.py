"""Today's list prices, against the table that costs are estimated from, and against the budget."""

from collections.abc import Iterator
from decimal import Decimal

from eks_accelerators.accelerators import prices
from eks_accelerators.capacity.aws_calls import Answer
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, not_known, ok, unknown, warning
from eks_accelerators.capacity.price_list import instance_call, on_demand_usd
from eks_accelerators.settings.cost import estimate
from eks_accelerators.settings.model.node_groups import CapacityType


@check("price-current", "nodeGroups")
def price_current(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The price of each on-demand type is the one that estimates use. Source: AWS Price List GetProducts."""
    paths = _paths(inquiry)
    for kind, answer in _asked(inquiry).items():
        path, listed = paths[kind], prices.on_demand(kind, inquiry.region)
        if answer.failure:
            yield unknown(path, answer)
            continue
        now = on_demand_usd(answer.value)
        if now is None:
            yield not_known(path, f"AWS lists no on-demand price of {kind} in {inquiry.region}", "ask AWS", answer)
        elif listed is None:
            found = f"{kind} costs {now.normalize():f} USD per hour; the estimate leaves it out, as no table has it"
            yield warning(path, found, "add it to the cost of the stack by hand", answer)
        elif now != listed:
            found = f"{kind} costs {now.normalize():f} USD per hour; the estimate has {listed.normalize():f}, from an older table"
            yield warning(path, found, "correct the estimate by hand, or update the package", answer)
        else:
            yield ok(path, f"{kind} costs {now.normalize():f} USD per hour, as estimated", answer)


@check("budget-at-current-prices", "budget.monthlyUsd")
def budget_at_current_prices(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """With today's prices the largest size of every group stays within the monthly limit."""
    if inquiry.settings.budget is None:
        return
    answers = _asked(inquiry)
    cost, limit = estimate(inquiry.settings, inquiry.now.date()), inquiry.settings.budget.monthly_usd
    current = {kind: on_demand_usd(answer.value) for kind, answer in answers.items() if not answer.failure}
    total, left_out = Decimal(0), []
    for line in cost.lines:
        kind = line.name.rpartition(": ")[2]
        usd = current.get(kind) if kind in current and (line.usd or not line.note.startswith("paid")) else line.usd
        if usd is not None:
            total += usd * line.at_max * prices.HOURS_PER_MONTH
        elif line.at_max:
            left_out.append(line.name)
    beside = f", without {', '.join(left_out)}" if left_out else ""
    text = f"at its largest size the stack costs about {total:,.0f} USD per month of {limit:,.0f}{beside}"
    failed = [answer for answer in answers.values() if answer.failure]
    if total > limit:
        yield warning("budget.monthlyUsd", text, "lower size.max, or raise the limit", *answers.values())
    elif failed:
        yield not_known("budget.monthlyUsd", f"{text}; prices of today are not known", "see price-current", *failed)
    else:
        yield ok("budget.monthlyUsd", text, *answers.values())


def _paths(inquiry: Inquiry) -> dict[str, str]:
    """Where each type that is bought on demand is named."""
    paths = {inquiry.settings.system_node_group.instance_types[0]: "systemNodeGroup.instanceTypes[0]"}
    for kind, groups in inquiry.groups_by_type(CapacityType.ON_DEMAND).items():
        paths.setdefault(kind, f"nodeGroups.{groups[0].name}.instanceType")
    return paths


def _asked(inquiry: Inquiry) -> dict[str, Answer[list[str]]]:
    kinds = list(_paths(inquiry))
    answers = inquiry.aws.ask_all(instance_call(kind, regionCode=inquiry.region) for kind in kinds)
    return dict(zip(kinds, answers, strict=True))
