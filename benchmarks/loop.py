"""From more load to servers that keep up, beside the parts of that way which nothing can shorten: in the closed loop, on dev.

python benchmarks/loop.py [--json] [--pace 10]

More is asked than the servers have slots for, and as many as are needed are added at once: on their node, or on another one.

The sum of the parts is generous in two ways: it counts every interval whole, though on average half of one passes, and it holds
`scaleUp.stabilizationSeconds`, which is this package's own setting (30 s) and not what AWS, Kubernetes or a server take. The column
`without` is the ratio to the sum without that setting; the aim holds of the first one.
"""

import argparse
import json
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, LoadOptions, Options
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.simulator.load.parts import STABILIZATION

ROOT = Path(__file__).resolve().parent.parent
AIM = 1.15
"""The most that the way should take, as a multiple of its parts."""

GROUP = {"size": {"min": 1, "desired": 1, "max": 2}, "autoscaler": "clusterAutoscaler"}
CASES: dict[str, dict[str, Any]] = {
    "on a node that is there": {"servers": {"min": 1, "max": 4, "targetConcurrency": 11}, "before": 8, "after": 30},
    "on a node that comes": {"servers": {"min": 4, "max": 8, "targetConcurrency": 9}, "before": 32, "after": 72},
}
"""Requests in flight before and after, and servers that go from one number to another in one step of their policy."""


def measured(case: dict[str, Any], pace: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        file, profile = Path(folder) / "Pulumi.dev.yaml", Path(folder) / "load.yaml"
        file.write_text(yaml.safe_dump(changed(case["servers"])))
        steps = [{"at": 0, "requests": case["before"]}, {"at": "3m", "requests": case["after"]}]
        profile.write_text(yaml.safe_dump({"for": "25m", "steps": steps}))
        asked = LoadOptions(profile=profile, pace=pace)
        options = Options(Action.LOAD, Path(folder) / "state", as_json=True, load=asked)
        with redirect_stdout(StringIO()) as out:
            simulate(StackLocation("dev", file, ROOT), options)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def changed(servers: dict[str, Any]) -> dict[str, Any]:
    """The stack file of dev, whose servers and nodes follow the load."""
    read: dict[str, Any] = yaml.safe_load((ROOT / "stacks" / "Pulumi.dev.yaml").read_text())
    config = read["config"]
    config["eks-accelerators:nodeGroups"]["l4-shared"] |= GROUP
    config["eks-accelerators:workloads"]["vllm"]["llama"]["autoscaling"] = servers
    config["eks-accelerators:monitoring"] = {"prometheus": "stack"}
    return read


def row(name: str, report: dict[str, Any]) -> dict[str, Any]:
    parts = sum(part["seconds"] for part in report["parts"])
    restored = report["steps"][-1]["restored"]
    ratio = restored / parts if restored is not None else None
    needed = sum(part["seconds"] for part in report["parts"] if part["name"] != STABILIZATION)
    without = restored / needed if restored is not None else None
    met = ratio is not None and ratio <= AIM
    return {
        "case": name,
        "seconds": restored,
        "parts": parts,
        "ratio": ratio,
        "without": without,
        "aim": AIM,
        "met": met,
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pace", type=float, default=10.0)
    asked = parser.parse_args()
    found = [row(name, measured(case, asked.pace)) for name, case in CASES.items()]
    if asked.json:
        print(json.dumps(found, indent=2))
    else:
        print(f"{'servers':26}{'seconds':>9}{'parts':>8}{'ratio':>8}{'without':>9}{'aim':>8}  met")
        for each in found:
            ratio = "-" if each["ratio"] is None else f"{each['ratio']:.2f}x"
            without = "-" if each["without"] is None else f"{each['without']:.2f}x"
            seconds = "never" if each["seconds"] is None else each["seconds"]
            met = "yes" if each["met"] else "NO"
            print(f"{each['case']:26}{seconds:>9}{each['parts']:>8}{ratio:>8}{without:>9}{AIM:>7.2f}x  {met}")
    return 0 if all(each["met"] for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
