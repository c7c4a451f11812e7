from tests.settings.example import REMOVED
from tests.settings.rules.case import Case

QWEN, GROUP = "workloads.vllm.qwen", "nodeGroups.gpu"
SCALING, BY_CLOCK = f"{QWEN}.autoscaling", f"{GROUP}.scheduledScaling"
NIGHT = {"name": "night", "recurrence": "0 20 * * 1-5", "min": 0, "desired": 0}
MORNING = {"name": "morning", "recurrence": "0 6 * * 1-5", "desired": 1}
HOURS = {"start": "15 6 * * 1-5", "end": "30 19 * * 1-5", "timezone": "Etc/UTC", "replicas": 1}
ONCE = {"name": "over", "startTime": "2026-12-24T18:00:00Z", "desired": 0}


def by_hours(**hours: object) -> dict[str, object]:
    """No servers but those of the hours, on nodes that are away at night and over the weekend."""
    scaling = {"min": 0, "max": 1, "schedule": [{**HOURS, **hours}]}
    return {"monitoring.prometheus": "stack", BY_CLOCK: [NIGHT, MORNING], SCALING: scaling}


def waits(name: str, patch: dict[str, object], at: str, near: dict[str, object]) -> Case:
    return Case("scheduled-scaling-waits", name, patch, at, near=near, severity="warning")


CASES = [
    waits("replicas", {BY_CLOCK: [NIGHT, MORNING], f"{QWEN}.replicas": 1}, f"{QWEN}.replicas", near=by_hours()),
    waits(
        "replicas-by-default",
        {BY_CLOCK: [NIGHT, MORNING], f"{QWEN}.replicas": REMOVED},
        f"{QWEN}.replicas",
        near={BY_CLOCK: [{**NIGHT, "desired": 1}, MORNING]},
    ),
    waits(
        "always-one-by-load",
        {**by_hours(), SCALING: {"max": 1}},
        f"{SCALING}.min",
        near=by_hours(),
    ),
    waits(
        "before-the-nodes", by_hours(start="30 5 * * 1-5"), f"{SCALING}.schedule[0]", near=by_hours(start="0 6 * * 1-5")
    ),
    waits(
        "after-the-nodes", by_hours(end="30 20 * * 1-5"), f"{SCALING}.schedule[0]", near=by_hours(end="0 20 * * 1-5")
    ),
    waits(
        "on-saturday-too",
        by_hours(start="15 6 * * 1-6", end="30 19 * * 1-6"),
        f"{SCALING}.schedule[0]",
        near=by_hours(),
    ),
    waits(
        "before-the-nodes-in-summer",
        by_hours(start="30 7 * * 1-5", timezone="Europe/Berlin"),
        f"{SCALING}.schedule[0]",
        near=by_hours(start="0 8 * * 1-5", timezone="Europe/Berlin"),
    ),
    waits(
        "over-night",
        by_hours(start="0 19 * * 1-4", end="0 7 * * 2-5"),
        f"{SCALING}.schedule[0]",
        near={
            **by_hours(start="0 19 * * 1-4", end="0 7 * * 2-5"),
            BY_CLOCK: [{**NIGHT, "recurrence": "0 20 * * 5"}, MORNING],
        },
    ),
    waits(
        "once-and-for-good",
        {BY_CLOCK: [ONCE], f"{QWEN}.replicas": 1},
        f"{QWEN}.replicas",
        near={BY_CLOCK: [{**ONCE, "startTime": "2020-12-24T18:00:00Z"}], f"{QWEN}.replicas": 1},
    ),
    waits(
        "by-its-largest-size",
        {BY_CLOCK: [{"name": "night", "recurrence": "0 20 * * 1-5", "min": 0, "max": 0}], f"{QWEN}.replicas": 1},
        f"{QWEN}.replicas",
        near={BY_CLOCK: [{"name": "night", "recurrence": "0 20 * * 1-5", "min": 0, "max": 1}], f"{QWEN}.replicas": 1},
    ),
]
