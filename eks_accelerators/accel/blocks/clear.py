"""`accel blocks clear`."""

from eks_accelerators.accel.aws import Whom, aws_of
from eks_accelerators.accel.blocks.stack import chosen
from eks_accelerators.accel.blocks.status import CommandRefusedError
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.blocks import ClearReport
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.blocks import ledger as ledgers
from eks_accelerators.capacity.blocks import lost_purchases
from eks_accelerators.capacity.blocks.state_folder import state_folder
from eks_accelerators.settings.printable import one_line


def clear(whom: Whom | None, offering: str, stack: str | None, form: Format) -> ExitStatus:
    """Clear the attempts to buy ``offering`` that have no known outcome."""
    named = chosen(stack)
    with (
        aws_of(whom, named.location if named else None, named.settings if named else None) as reached,
        ledgers.alone(reached.folder or state_folder()) as ledger,
    ):
        attempts = [each for each in ledger.attempts() if each.offering == offering and each.outcome.is_open]
        if not attempts:
            raise CommandRefusedError(f"there is no purchase of {one_line(offering)} without a known outcome")
        for attempt in attempts:
            if reached.account != attempt.account:
                raise CommandRefusedError(
                    f"it was made in the account {attempt.account}, and you are in {reached.account}"
                )
            lost_purchases.clear(reached.aws, ledger, attempt, clock.now())
        cleared = tuple(attempt.offering for attempt in attempts)
        emit(ClearReport(cleared=cleared, what=attempts[0].what), form)
    return ExitStatus.DONE
