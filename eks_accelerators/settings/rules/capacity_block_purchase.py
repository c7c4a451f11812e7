"""Rules about purchases of Capacity Blocks: how long and how large blocks are, when they start, and the confirmation."""

from collections.abc import Iterator

from eks_accelerators.accelerators import capacity_blocks as terms
from eks_accelerators.accelerators.number_of import number_of
from eks_accelerators.settings.model.capacity_blocks import confirmation_sentence
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("capacity-block-duration")
def capacity_block_duration(context: Context) -> Iterator[RuleFinding]:
    """Blocks last 1 to 14 days, or whole weeks from 3 to 26.

    Source: EC2 User Guide `capacity-blocks-purchase`.
    """
    for path, hours in _durations(context):
        if not terms.duration_allowed(hours):
            yield RuleFinding(
                path,
                f"no Capacity Block lasts {hours} hours",
                str(hours),
                terms.DURATION_RULE,
                "use 24 x days (1 to 14) or 168 x weeks (3 to 26)",
            )


@rule("capacity-block-start")
def capacity_block_start(context: Context) -> Iterator[RuleFinding]:
    """A purchase starts between now and eight weeks from now.

    Source: EC2 User Guide `capacity-blocks-purchase`.
    """
    for name, block in context.settings.capacity_blocks.items():
        if (
            block.purchase
            and block.purchase.start.tzinfo
            and not terms.start_allowed(block.purchase.start, context.now)
        ):
            latest = context.now + terms.LATEST_LEAD
            yield RuleFinding(
                f"capacityBlocks.{name}.purchase.start",
                "Capacity Blocks start at most 8 weeks ahead, and not in the past",
                block.purchase.start.isoformat(),
                f"{context.now.date()} to {latest.date()}",
                "choose a current offering; a block that was bought is named by reservationId",
            )


@rule("capacity-block-size")
def capacity_block_size(context: Context) -> Iterator[RuleFinding]:
    """A Capacity Block holds 1 to 64 instances.

    Source: EC2 User Guide `capacity-blocks-how`.
    """
    for path, count in _sizes(context):
        if not 1 <= count <= terms.MAXIMUM_INSTANCES:
            yield RuleFinding(
                path,
                f"a Capacity Block holds at most {terms.MAXIMUM_INSTANCES} instances",
                str(count),
                f"1 to {terms.MAXIMUM_INSTANCES}",
                "split it over several blocks and node groups",
            )


@rule("capacity-block-unusual-size", Severity.WARNING)
def capacity_block_unusual_size(context: Context) -> Iterator[RuleFinding]:
    """Sizes other than 1, 2, 4, 8, 16, 32 and 64 were not sold in the past.

    Source: an older edition of the EC2 User Guide; the current one names only the maximum.
    """
    for path, count in _sizes(context):
        if 1 <= count <= terms.MAXIMUM_INSTANCES and count not in terms.USUAL_INSTANCE_COUNTS:
            yield RuleFinding(
                path,
                f"blocks of {number_of(count, 'instance')} may not be offered",
                str(count),
                ", ".join(map(str, terms.USUAL_INSTANCE_COUNTS)),
                "check the offering",
            )


@rule("capacity-block-confirmation")
def capacity_block_confirmation(context: Context) -> Iterator[RuleFinding]:
    """A purchase is confirmed by a sentence that names the offering and the price ceiling, word for word."""
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase and block.purchase.confirmation != confirmation_sentence(block.purchase):
            sentence = confirmation_sentence(block.purchase)
            yield RuleFinding(
                f"capacityBlocks.{name}.purchase.confirmation",
                "the purchase is not confirmed",
                block.purchase.confirmation or "nothing",
                sentence,
                f"if you mean it, write confirmation: {sentence!r}",
            )


def _durations(context: Context) -> Iterator[tuple[str, int]]:
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase:
            yield f"capacityBlocks.{name}.purchase.durationHours", block.purchase.duration_hours


def _sizes(context: Context) -> Iterator[tuple[str, int]]:
    for name, block in context.settings.capacity_blocks.items():
        if block.purchase:
            yield f"capacityBlocks.{name}.purchase.instanceCount", block.purchase.instance_count
        if block.expect.instance_count:
            yield f"capacityBlocks.{name}.expect.instanceCount", block.expect.instance_count
