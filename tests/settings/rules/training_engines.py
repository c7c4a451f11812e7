"""Rules about what makes the pods of a training job."""

from tests.settings.example import RESERVED, Patch
from tests.settings.rules.case import Case
from tests.settings.rules.training import GROUP, JOB, ONE_L4, TRAINIUM, TWO_P5, job, on

RAY: Patch = {f"{JOB}.controller": "rayJob"}
OWN: Patch = {**RAY, f"{JOB}.rayDriver": True, f"{JOB}.program": "/app/train.py"}

CASES = [
    Case(
        "training-engine-neuron",
        "ray",
        {**TRAINIUM, **job(2, 16, efaInterfaces=8), **RAY},
        f"{JOB}.controller",
        near={**TRAINIUM, **job(2, 16, efaInterfaces=8), f"{JOB}.controller": "trainJob"},
    ),
    Case(
        "training-engine-room",
        "memory",
        {**ONE_L4, **job(resources={"cpu": "4", "memoryGib": 24, "memoryLimitGib": 28}), **RAY},
        f"{JOB}.resources",
        near={**ONE_L4, **job(resources={"cpu": "4", "memoryGib": 16, "memoryLimitGib": 28}), **RAY},
    ),
    Case(
        "training-engine-room",
        "processors",
        {**ONE_L4, **job(resources={"cpu": "6", "memoryGib": 8, "memoryLimitGib": 16}), **RAY},
        f"{JOB}.resources",
        near={**on("g6.2xlarge", 2), **job(resources={"cpu": "6", "memoryGib": 8, "memoryLimitGib": 16}), **RAY},
    ),
    Case(
        "training-engine-driver",
        "without-ray",
        {**ONE_L4, **job(rayDriver=True, program="/app/train.py")},
        f"{JOB}.rayDriver",
        near={**ONE_L4, **job(), **OWN},
    ),
    Case(
        "training-engine-driver",
        "without-a-program",
        {**ONE_L4, **job(rayDriver=True), **RAY},
        f"{JOB}.program",
        near={**ONE_L4, **job(), **RAY},
    ),
    Case(
        "training-engine-loss",
        "spot",
        {**TWO_P5, f"{GROUP}.capacityType": "spot", **job(2, 8, efaInterfaces=32), **RAY},
        f"{JOB}.controller",
        near={**TWO_P5, **job(2, 8, efaInterfaces=32), **RAY},
        severity="warning",
    ),
    Case(
        "training-engine-block-end",
        "a-program-of-rays-own",
        {**RESERVED, **job(2, 8), **OWN},
        f"{JOB}.rayDriver",
        near={**RESERVED, **job(2, 8), **RAY},
        severity="warning",
    ),
]
