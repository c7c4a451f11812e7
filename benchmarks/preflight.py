"""What a preflight costs in time and calls, where every call takes 100 ms: wall time over its longest chain of calls.

The floor is the longest chain of calls that depend on each other, made one after the other in the same run. A figure that
misses its aim is shown and changes no exit status.

    python benchmarks/preflight.py [--json]
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from eks_accelerators.capacity.aws_calls import Aws  # noqa: E402
from eks_accelerators.capacity.preflight.run import run  # noqa: E402
from eks_accelerators.capacity.service_quotas import default_call, quota_call  # noqa: E402
from tests.capacity.fakes import FakeAws  # noqa: E402
from tests.capacity.preflight import world  # noqa: E402

LATENCY_SECONDS = 0.1
AIM = 1.5
ROUNDS = 5
COUNTS = (1, 10, 100)
KINDS = ("g6.2xlarge", "p5.48xlarge", "trn1.32xlarge")
ENOUGH = 10**7


class SlowAws(FakeAws):
    """The account of the tests, far away."""

    def get(self, service: str, region: str) -> Any:
        return _Slow(super().get(service, region))


class _Slow:
    def __init__(self, client: Any) -> None:
        self._client = client

    def can_paginate(self, operation: str) -> bool:
        return bool(self._client.can_paginate(operation))

    def __getattr__(self, operation: str) -> Any:
        def call(**parameters: Any) -> Any:
            time.sleep(LATENCY_SECONDS)
            return getattr(self._client, operation)(**parameters)

        return call


def settings(count: int) -> Any:
    """That many node groups, of three types in turn."""
    groups = {f"g{n}": {"instanceType": KINDS[n % len(KINDS)], "size": {"max": 1}} for n in range(count)}
    return world.patched({"workloads": {}, "nodeGroups": groups})


def account() -> SlowAws:
    """An account in which all is well."""
    return SlowAws({**world.GOOD, "service-quotas.get_service_quota": world.quota(ENOUGH)})


def seconds_of_preflight(checked: Any) -> tuple[float, int]:
    """Wall time of all checks, and the number of their calls."""
    fake = account()
    begun = time.perf_counter()
    with Aws(fake) as aws:
        run(world.inquiry(aws, checked))
        return time.perf_counter() - begun, len(fake.made)


def seconds_of_chain() -> float:
    """Two calls of which one needs the answer of the other: a quota, and how much of it is used."""
    with Aws(SlowAws({**world.GOOD, "service-quotas.get_aws_default_service_quota": {"Quota": {"Value": 0.0}}})) as aws:
        begun = time.perf_counter()
        aws.ask(quota_call(world.REGION, "L-DB2E81BA"))
        aws.ask(default_call(world.REGION, "L-DB2E81BA"))
        return time.perf_counter() - begun


def measured() -> list[dict[str, Any]]:
    """One row for each number of node groups: the best of some rounds, as the machine is shared."""
    seconds_of_preflight(settings(1))  # models of services are read once, whoever asks
    rows = []
    for count in COUNTS:
        checked = settings(count)
        tried = [(*seconds_of_preflight(checked), seconds_of_chain()) for _ in range(ROUNDS)]
        wall, calls, chain = min(tried, key=lambda each: each[0] / each[2])
        rows.append({"nodeGroups": count, "calls": calls, "ratio": round(wall / chain, 2), "aim": AIM})
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    rows = measured()
    if parser.parse_args().json:
        print(json.dumps(rows, indent=2))
        return
    print(f"preflight with {LATENCY_SECONDS * 1000:.0f} ms per call, over its longest chain of calls")
    for row in rows:
        missed = "" if row["ratio"] <= row["aim"] else "  missed"
        print(
            f"{row['nodeGroups']:4} node groups: {row['ratio']:5.2f} (aim {row['aim']}), {row['calls']} calls{missed}"
        )


if __name__ == "__main__":
    main()
