"""When a scheduled action runs: at its start, then by its recurrence."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import croniter

from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

_CHAPTER = Chapter(
    __doc__,
    source=(
        'Auto Scaling API, PutScheduledUpdateGroupAction (botocore 1.44.5): "performs the action at this time, '
        'and then performs the action based on the specified recurrence"; hashicorp/terraform-provider-aws issues '
        "38983 and 41200: the start of a recurring action is what AWS computes, and computes anew when the action "
        "has run; read 2026-11-21."
    ),
)
DEFAULT_TIME_ZONE = "Etc/UTC"

INVALID_RECURRENCE = ApiRefusal("ValidationError", "Invalid recurrence: {recurrence}", _CHAPTER)
INVALID_TIME_ZONE = ApiRefusal("ValidationError", "Invalid time zone: {name}", _CHAPTER)


def next_run(recurrence: str, time_zone: str, now: datetime) -> datetime:
    """The first moment after ``now`` that the cron expression names, by the clocks of the time zone."""
    found: datetime = croniter(recurrence, now.astimezone(_zone(time_zone))).get_next(datetime)
    return found.astimezone(UTC)


def check_recurrence(recurrence: str, time_zone: str) -> None:
    """Refuse what is no cron expression of five fields, or no time zone."""
    _zone(time_zone)
    if len(recurrence.split()) != 5 or not croniter.is_valid(recurrence):
        raise INVALID_RECURRENCE(recurrence=recurrence)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise INVALID_TIME_ZONE(name=name) from None
