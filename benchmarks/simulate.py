"""What a simulation costs in CPU time, beside as many resources that are nothing, under the same engine in the same run.

python benchmarks/simulate.py [--json] [--counts 3,30,100,300]
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEPLOYMENTS = ROOT / "benchmarks" / "deployments.py"
COUNTS = "3,30,100,300"
AIMS = {"up": 3.0, "up again": 2.5, "destroy": 3.0}
"""The most that a simulated deployment should cost, as a multiple of one that does nothing."""
GROWTH = (30, 100, 300)
"""Node groups between which the cost of one more is compared: from the second to the third, and from the first to the second."""
GROWING = ("up", "destroy")


def measured(kind: str, count: int) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(DEPLOYMENTS), kind, str(count)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{kind} {count} failed:\n{done.stderr}")
    taken: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return taken


def rows(counts: list[int]) -> list[dict[str, Any]]:
    found = []
    for count in counts:
        floor, ours = measured("empty", count), measured("node-groups", count)
        found += [
            {
                "groups": count,
                "operation": name,
                "ratio": ours[name] / floor[name],
                "aim": AIMS[name],
                "met": ours[name] <= AIMS[name] * floor[name],
                "seconds": ours[name],
                "floorSeconds": floor[name],
            }
            for name in AIMS
        ]
    return found


def growths(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How much more one more group costs among many than among few, ours and the floor's; none where a count is missing."""
    by_case = {(row["groups"], row["operation"]): row for row in found}
    few, some, many = GROWTH
    grown = []
    for name in GROWING:
        cases = [by_case.get((count, name)) for count in GROWTH]
        if None in cases:
            continue

        def growth(seconds: str, cases: list[Any] = cases) -> float:
            at_few, at_some, at_many = (case[seconds] for case in cases)
            added: float = (at_some - at_few) / (some - few)
            return (at_many - at_some) / (many - some) / added if added else float("nan")

        grown.append({"operation": name, "growth": growth("seconds"), "floorGrowth": growth("floorSeconds")})
    return grown


def show(found: list[dict[str, Any]]) -> None:
    print(f"{'node groups':>11}  {'operation':10}{'value':>8}{'aim':>8}  {'met':4} of (CPU seconds)")
    for row in found:
        met = "yes" if row["met"] else "NO"
        parts = f"{row['seconds']:.1f} / {row['floorSeconds']:.1f}"
        print(f"{row['groups']:>11}  {row['operation']:10}{row['ratio']:>7.2f}x{row['aim']:>7.2f}x  {met:4} {parts}")
    few, some, many = GROWTH
    for row in growths(found):
        print(
            f"a group's cost, {some} to {many} / {few} to {some}: {row['operation']} {row['growth']:.2f}x, "
            f"of what does nothing {row['floorGrowth']:.2f}x"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--counts", default=COUNTS, help="numbers of node groups")
    options = parser.parse_args()
    found = rows([int(count) for count in options.counts.split(",")])
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        show(found)


if __name__ == "__main__":
    main()
