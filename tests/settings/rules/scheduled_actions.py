"""Scheduled actions of the group of the base."""

from tests.settings.example import RESERVED
from tests.settings.rules.case import Case
from tests.settings.rules.node_groups import GROUP

SCHEDULE = f"{GROUP}.scheduledScaling"
NIGHT = {"name": "night", "recurrence": "0 20 * * *", "desired": 0}
LAST = {"name": "last", "startTime": "2026-12-03T10:50:00Z", "desired": 0}
ENDING = {**RESERVED, "capacityBlocks.block.expect.end": "2026-12-03T11:30:00Z"}

CASES = [
    Case(
        "scheduled-scaling-sizes",
        "more-than-max",
        {"nodeGroups.gpu.scheduledScaling": [{"name": "day", "recurrence": "0 6 * * 1-5", "desired": 9}]},
        "nodeGroups.gpu.scheduledScaling[0]",
        near={
            "nodeGroups.gpu.scheduledScaling": [{"name": "day", "recurrence": "0 6 * * 1-5", "desired": 9, "max": 9}]
        },
    ),
    Case(
        "scheduled-scaling-sizes",
        "words-for-cron",
        {"nodeGroups.gpu.scheduledScaling": [{"name": "night", "recurrence": "every night", "desired": 0}]},
        "nodeGroups.gpu.scheduledScaling[0].recurrence",
        near={"nodeGroups.gpu.scheduledScaling": [{"name": "night", "recurrence": "0 20 * * *", "desired": 0}]},
    ),
    Case(
        "scheduled-scaling-sizes",
        "never",
        {"nodeGroups.gpu.scheduledScaling": [{"name": "night", "recurrence": "0 20 31 4,6 *", "desired": 0}]},
        "nodeGroups.gpu.scheduledScaling[0].recurrence",
        near={"nodeGroups.gpu.scheduledScaling": [{"name": "night", "recurrence": "0 20 31 4,5 *", "desired": 0}]},
    ),
    Case(
        "scheduled-scaling-times",
        "no-time",
        {SCHEDULE: [{"name": "night", "desired": 0}]},
        f"{SCHEDULE}[0]",
        near={SCHEDULE: [NIGHT]},
    ),
    Case(
        "scheduled-scaling-times",
        "two-times",
        {SCHEDULE: [{**NIGHT, "startTime": "2026-12-01T20:00:00Z"}]},
        f"{SCHEDULE}[0]",
        near={SCHEDULE: [{"name": "night", "startTime": "2026-12-01T20:00:00Z", "desired": 0}]},
    ),
    Case(
        "scheduled-scaling-times",
        "no-such-time",
        {SCHEDULE: [{"name": "night", "startTime": "2026-02-30T20:00:00Z", "desired": 0}]},
        f"{SCHEDULE}[0].startTime",
        near={SCHEDULE: [{"name": "night", "startTime": "2026-02-28T20:00:00Z", "desired": 0}]},
    ),
    Case(
        "scheduled-scaling-times",
        "no-size",
        {SCHEDULE: [{"name": "night", "recurrence": "0 20 * * *"}]},
        f"{SCHEDULE}[0]",
        near={SCHEDULE: [{"name": "night", "recurrence": "0 20 * * *", "min": 0}]},
    ),
    Case(
        "reserved-scheduled-action",
        "name-of-eks",
        {SCHEDULE: [{**NIGHT, "name": "Amazon EKS Node Group Capacity Scaledown Before Reservation End"}]},
        f"{SCHEDULE}[0].name",
        near={SCHEDULE: [NIGHT]},
    ),
    Case(
        "reserved-scheduled-action",
        "name-twice",
        {SCHEDULE: [NIGHT, NIGHT]},
        f"{SCHEDULE}[1].name",
        near={SCHEDULE: [NIGHT, {**NIGHT, "name": "later"}]},
    ),
    Case(
        "reserved-scheduled-action",
        "last-minutes",
        {**ENDING, SCHEDULE: [{**LAST, "startTime": "2026-12-03T10:50:01Z"}]},
        f"{SCHEDULE}[0].startTime",
        near={**ENDING, SCHEDULE: [LAST]},
    ),
]
