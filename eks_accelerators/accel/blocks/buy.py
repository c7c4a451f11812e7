"""`accel blocks buy`."""

import time
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal

import typer

from eks_accelerators.accel.aws import Reached, Whom, aws_of
from eks_accelerators.accel.blocks.confirmation import confirmed, price
from eks_accelerators.accel.blocks.search import home_region
from eks_accelerators.accel.blocks.stack import Chosen, chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console
from eks_accelerators.accel.reports.blocks import BuyReport, OfferingReport, already_bought
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks.ledger import Attempt, Ledger, LedgerError, PurchaseOutcome
from eks_accelerators.capacity.blocks.lost_purchases import unclear_line
from eks_accelerators.capacity.blocks.offering import Offering
from eks_accelerators.capacity.blocks.offering_memory import recall
from eks_accelerators.capacity.blocks.purchase import AlreadyBought, Order, prepare
from eks_accelerators.capacity.blocks.search import BlockRequirements
from eks_accelerators.capacity.blocks.spending import spend
from eks_accelerators.capacity.blocks.state_folder import state_folder
from eks_accelerators.capacity.blocks.suitability import suits
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings
from eks_accelerators.settings.stack_file_edit import CannotEditError, try_reservation, write_reservation


@dataclass(frozen=True, slots=True)
class PurchaseOptions:
    """Options of `accel blocks buy`, as the user wrote them."""

    offering: str
    max_price: str
    confirm: str | None = None
    stack: str | None = None
    group: str | None = None
    block: str | None = None
    purpose: str = ""
    dry_run: bool = False
    instance_type: str | None = None
    count: int | None = None
    days: int | None = None
    region: str | None = None


def buy(whom: Whom | None, asked: PurchaseOptions, form: Format) -> ExitStatus:
    """Buy, and print what became of it."""
    ceiling = price(asked.max_price, "--max-price")
    stack = chosen(asked.stack)
    block = _block(asked, stack)
    with aws_of(
        whom, stack.location if stack else None, stack.settings if stack else None, region=asked.region
    ) as reached:
        order = _order(asked, stack, block, ceiling, reached)
        if problems := order.wanted.problems(clock.now()):
            raise CommandRefusedError("\n".join(problems))
        with ledgers.alone(reached.folder or state_folder()) as ledger:
            ready = prepare(reached.aws, ledger, order)
            if isinstance(ready, AlreadyBought):
                return _already(ready, order, stack, ledger, reached, form)
            _refuse_unwritable(stack, block)
            offering = OfferingReport.model_validate(ready.offering)
            if form is Format.TEXT:
                use = f"capacityBlocks.{block} of {stack.path}" if stack and block else "no stack file"
                offering.print_terms(console(), reached.account, use)
            if asked.dry_run:
                emit(BuyReport(account=reached.account, outcome="dry-run", offering=offering), form)
                return ExitStatus.DONE
            confirmed(ready.offering.fee, asked.confirm)
            attempt = spend(reached.clients(), reached.aws, ledger, ready.spending, clock.now(), time.sleep)
            return _finish(attempt, offering, stack, ledger, reached, form)


def _refuse_unwritable(stack: Chosen | None, block: str | None) -> None:
    """Raise `CommandRefusedError` where the ID could not be written once it is paid: the very edit is tried."""
    if stack is None or block is None:
        return
    try:
        try_reservation(stack.location.file, block)
    except CannotEditError as error:
        raise CommandRefusedError(
            f"not bought: the ID could not be written into {stack.path} afterwards: {error}. Make the file writable, and "
            f"capacityBlocks.{block} a block of its own that begins with a line `reservationId:`"
        ) from None


def _block(asked: PurchaseOptions, stack: Chosen | None) -> str | None:
    """The key under `capacityBlocks` that gets the ID."""
    if stack is None:
        if asked.group or asked.block:
            raise CommandRefusedError("--group and --block are of a stack: name the stack with --stack")
        return None
    named = asked.block or (stack.group(asked.group).capacity_block if asked.group else None)
    if named is None and asked.group:
        raise CommandRefusedError(
            f"the node group {asked.group} names no capacityBlock: write one into the stack file, such as "
            f"capacityBlock: {asked.group}, or name the key with --block"
        )
    return named


def _order(
    asked: PurchaseOptions, stack: Chosen | None, block: str | None, ceiling: Decimal, reached: Reached
) -> Order:
    shown = recall(reached.folder, asked.offering)
    home, wanted = _described(asked, shown, None if shown or asked.region else home_region(reached, stack))
    if stack and home != stack.settings.region and block:
        raise CommandRefusedError(
            f"{asked.offering} is in {home}, the stack {stack.location.name} in {stack.settings.region}"
        )
    blocks = stack.settings.capacity_blocks if stack else {}
    group = _user_of(block, asked, stack)
    return Order(
        offering=asked.offering,
        region=home,
        wanted=wanted,
        ceiling=ceiling,
        shown=shown,
        stack=stack.location.name if stack else None,
        block=block,
        purpose=asked.purpose,
        of_stack={key: each.reservation_id for key, each in blocks.items() if each.reservation_id},
        suits=lambda offering, zone_id: (
            suits(stack.settings, group, blocks.get(block or ""), offering, zone_id, clock.now())
            if stack and group
            else []
        ),
    )


def _described(
    asked: PurchaseOptions, shown: Offering | None, usual_region: str | None
) -> tuple[str, BlockRequirements]:
    """Region and kind of the block: as the search has shown it, with which options agree, or else as options say alone."""
    kind, count, home = asked.instance_type, asked.count, asked.region or usual_region
    hours = asked.days * 24 if asked.days is not None else None
    if shown:
        kind, home = kind or shown.instance_type, home or shown.region
        count = shown.instance_count if count is None else count
        hours = shown.asked_hours if hours is None else hours
    if kind is None or count is None or hours is None or home is None:
        raise CommandRefusedError(
            f"`accel blocks search` has not shown {asked.offering} on this machine: search first, or say what it is with "
            "--type, --count, --days and --region"
        )
    said = (kind, count, hours, home)
    if shown and said != (shown.instance_type, shown.instance_count, shown.asked_hours, shown.region):
        raise CommandRefusedError(
            f"{asked.offering} is {shown.instance_count} x {shown.instance_type} for {shown.asked_hours // 24} days in "
            f"{shown.region}, and not what --type, --count, --days or --region say"
        )
    return home, BlockRequirements(kind, count, hours)


def _user_of(block: str | None, asked: PurchaseOptions, stack: Chosen | None) -> AcceleratorNodeGroupSettings | None:
    """The node group that uses the block, where one does."""
    if stack is None:
        return None
    if asked.group:
        return stack.group(asked.group)
    groups = stack.settings.node_groups.values()
    return next((group for group in groups if block in group.blocks), None)


def _already(
    bought: AlreadyBought, order: Order, stack: Chosen | None, ledger: Ledger, reached: Reached, form: Format
) -> ExitStatus:
    """Nothing is bought. An ID that was not written down is, now."""
    missing = order.block and order.current != bought.reservation
    if stack is None or not missing or bought.in_the_way:
        raise CommandRefusedError("\n".join([already_bought(bought.reservation), *bought.in_the_way]))
    problem = _write(stack, str(order.block), bought.reservation)
    if problem is None and bought.attempt:
        ledger.written(bought.attempt)
    report = BuyReport(
        account=reached.account,
        outcome="already-bought",
        reservation=bought.reservation,
        problem=problem,
        written=_written_line(stack, str(order.block), bought.reservation),
    )
    emit(report, form)
    return ExitStatus.FAILED if problem else ExitStatus.DONE


def _finish(
    attempt: Attempt, offering: OfferingReport, stack: Chosen | None, ledger: Ledger, reached: Reached, form: Format
) -> ExitStatus:
    report = BuyReport(account=reached.account, outcome=attempt.outcome, offering=offering)
    if attempt.outcome is not PurchaseOutcome.BOUGHT or attempt.reservation is None:
        return _failed(attempt, report, form)
    update: dict[str, str | None] = {"reservation": attempt.reservation}
    if stack and attempt.block:
        update["problem"] = _write(stack, attempt.block, attempt.reservation)
        update["written"] = _written_line(stack, attempt.block, attempt.reservation)
        if update["problem"] is None:
            with suppress(LedgerError):  # the file has the ID; the note that it has can be spared
                ledger.written(attempt)
    emit(report.model_copy(update=update), form)
    return ExitStatus.FAILED if update.get("problem") else ExitStatus.DONE


def _failed(attempt: Attempt, report: BuyReport, form: Format) -> ExitStatus:
    """Not bought, or nobody knows."""
    refused = attempt.outcome is PurchaseOutcome.REFUSED
    line = f"not bought: {attempt.note}" if refused else f"{attempt.note}\n{unclear_line(attempt)}"
    emit(report.model_copy(update={"problem": line}), form)
    typer.echo(line, err=True)
    return ExitStatus.FAILED if refused else ExitStatus.UNKNOWN


def _write(stack: Chosen, block: str, reservation: str) -> str | None:
    """Write the ID into the stack file; where that fails, what is to be written by hand, and why."""
    try:
        write_reservation(stack.location.file, block, reservation)
    except CannotEditError as error:
        return (
            f"The ID is NOT in the stack file: {error}. It is bought and paid: write it there yourself, under "
            f"eks-accelerators:capacityBlocks, as {block}: {{reservationId: {reservation}}}"
        )
    return None


def _written_line(stack: Chosen, block: str, reservation: str) -> str:
    return f"{stack.path}: capacityBlocks.{block}.reservationId is {reservation}"
