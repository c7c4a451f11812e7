from tests.settings.rules.case import Case

LABELS = {"monitoring.objectLabels": {"release": "prometheus"}}
EXISTING, STACK = ({"monitoring.prometheus": kind} for kind in ("existing", "stack"))

CASES = [
    Case(
        "labels-without-prometheus",
        "none",
        LABELS,
        "monitoring.objectLabels",
        near={**LABELS, **EXISTING},
        severity="warning",
    ),
    Case(
        "labels-without-prometheus",
        "stack",
        {**LABELS, **STACK},
        "monitoring.objectLabels",
        near=STACK,
        severity="warning",
    ),
]
