"""Whom the commands about facts ask: AWS, or answers that were recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eks_accelerators.accel.aws import CannotReachError, Whom, aws_of
from eks_accelerators.accelerators import clock
from eks_accelerators.capacity.aws_calls import Aws
from eks_accelerators.capacity.aws_calls.aws import AT_ONCE
from eks_accelerators.capacity.aws_calls.identity import boto_clients
from eks_accelerators.capacity.aws_calls.recordings import RecordedClients, RecordingClients
from eks_accelerators.capacity.facts.asker import Asker
from eks_accelerators.settings.aws_provider import AwsProvider


@contextmanager
def asker_of(whom: Whom | None, region: str, *, recorded: Path | None, record: Path | None) -> Iterator[Asker]:
    """Who asks in ``region``: AWS with the caller's credentials, or the answers in the folder ``recorded``.

    What AWS answers is written into the folder ``record``. Raises `CannotReachError` and `CannotIdentifyError`.
    """
    today = clock.now().date()
    if recorded:
        if not recorded.is_dir():
            raise CannotReachError(f"{recorded} is no folder of recorded answers; write one with --record")
        with Aws(RecordedClients(recorded)) as aws:
            yield Asker(aws, region, today)
        return
    with aws_of(whom, region=region) as reached:
        if record is None:
            yield Asker(reached.aws, region, today)
            return
        # Whose account it is, is asked before, and not recorded.
        clients = RecordingClients(boto_clients(AwsProvider(), region, connections=AT_ONCE), record)
        with Aws(clients) as aws:
            yield Asker(aws, region, today)
