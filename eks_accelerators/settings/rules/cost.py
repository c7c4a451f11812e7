"""Rules about what the stack costs, and the tags by which costs are told apart."""

import unicodedata
from collections.abc import Iterator

from eks_accelerators.accelerators.prices import on_demand
from eks_accelerators.settings.cost import estimate
from eks_accelerators.settings.model.node_groups import CapacityType
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("tag-reserved")
def tag_reserved(context: Context) -> Iterator[RuleFinding]:
    """Tags have none of AWS's own keys, and none that the settings say elsewhere.

    Source: AWS tagging rules: the prefix `aws:` is reserved; a key has at most 128 characters.
    """
    for key in context.settings.tags:
        path = f'tags["{key}"]'
        if key.lower().startswith("aws:") or not 1 <= len(key) <= 128:
            yield RuleFinding(path, "AWS refuses this tag key", key, "1 to 128 characters, not aws:", "use another key")
        elif key in ("owner", "stack", "Name"):
            yield RuleFinding(
                path, f"{key} is set from elsewhere", key, "another key", "remove it; owner is a setting of its own"
            )


_IN_TAGS = "_.:/=+-@"
"""What AWS takes in a tag beside letters, digits and blanks."""


@rule("tag-characters")
def tag_characters(context: Context) -> Iterator[RuleFinding]:
    r"""Tags, and `owner`, which is one, have letters, digits, blanks and `_ . : / = + - @`: other characters AWS refuses.

    Source: IAM API `Tag`, `[\p{L}\p{Z}\p{N}_.:/=+\-@]*`, read 2026-11-23; roles have the tags that everything has.
    """
    settings = context.settings
    tags = ((f'tags["{key}"]', text) for key, value in settings.tags.items() for text in (key, value))
    for path, text in (("owner", settings.owner), *tags):
        if refused := sorted({each for each in text if not _fits_a_tag(each)}):
            yield RuleFinding(
                path,
                f"AWS refuses {', '.join(map(_named, refused))} in a tag",
                text,
                f"letters, digits, blanks and {' '.join(_IN_TAGS)}",
                "leave these characters out",
            )


def _fits_a_tag(character: str) -> bool:
    return character in _IN_TAGS or unicodedata.category(character)[0] in "LNZ"


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    return f"{character} ({code})" if character.isprintable() else code


@rule("budget-missing", Severity.WARNING)
def budget_missing(context: Context) -> Iterator[RuleFinding]:
    """A stack that can grow has a monthly limit, so that somebody has thought about its largest size."""
    if context.settings.budget is None and context.settings.node_groups:
        cost = estimate(context.settings, context.now.date())
        known, unknown = cost.per_month(at_max=True), cost.unknown(at_max=True)
        costs = f"at its largest size the stack costs about {known:,.0f} USD per month"
        if unknown:
            costs = f"{costs}, and what is unknown" if known else "what the stack costs at its largest size is unknown"
        yield RuleFinding(
            "budget.monthlyUsd",
            f"no monthly limit; {costs}",
            "nothing",
            "a limit in USD",
            "set budget: {monthlyUsd: ...}",
        )


@rule("budget-exceeded", Severity.WARNING)
def budget_exceeded(context: Context) -> Iterator[RuleFinding]:
    """The largest size of every group together stays within the monthly limit."""
    if context.settings.budget is None:
        return
    cost, limit = estimate(context.settings, context.now.date()), context.settings.budget.monthly_usd
    if cost.per_month(at_max=True) > limit:
        yield RuleFinding(
            "budget.monthlyUsd",
            f"at its largest size the stack costs about {cost.per_month(at_max=True):,.0f} USD per month",
            f"{limit:,.0f}",
            "a limit above that, or smaller sizes",
            "lower size.max, or raise the limit",
        )


@rule("price-unknown", Severity.WARNING)
def price_unknown(context: Context) -> Iterator[RuleFinding]:
    """A type without a public price is left out of the estimate, and that is said.

    Source: `eks_accelerators/accelerators/data/instance-types.json`: two price tables, neither of which lists it for the region.
    """
    for path, group, kind in context.groups:
        if group.bought_as is CapacityType.ON_DEMAND and on_demand(kind.name, context.settings.region) is None:
            yield RuleFinding(
                f"{path}.instanceType",
                f"no public price for {kind.name} in {context.settings.region}; the estimate leaves it out",
                kind.name,
                "a type with a public price",
                "ask AWS, or the Pricing API",
            )
