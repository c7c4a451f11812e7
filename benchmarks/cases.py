"""What the benchmarks run: the bare import of the SDKs, and projects with stacks of any number of node groups."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_SERVICES = """
import json, sys
from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.stacks import locate
plan(locate(sys.argv[1]))
print(json.dumps(sorted(name.removesuffix("._inputs") for name in sys.modules if name.endswith("._inputs"))))
"""
"""The SDKs import a service when something of it is first used, which is when its module `_inputs` is there."""

_KINDS = (
    "g6.2xlarge, size: {min: 0, desired: 1, max: 2}, "
    "sharing: {strategy: timeSlicing, replicas: 4, renameByDefault: true}",
    "p5.48xlarge, size: {min: 0, desired: 0, max: 2}, zones: [us-east-2a], efa: {enabled: true}",
    "trn1.32xlarge, size: {min: 0, desired: 0, max: 2}",
)
_HEAD = "  eks-accelerators:nodeGroups:\n"


def imports(stack: str) -> str:
    """A program that imports what a plan of the shipped ``stack`` imports of the SDKs, and does nothing."""
    told = subprocess.run(
        [sys.executable, "-c", _SERVICES, stack],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=True,
    )
    return "\n".join(["import pulumi", *(f"import {name}; {name}._inputs" for name in json.loads(told.stdout))])


def project(folder: Path, groups: int) -> Path:
    """A project in ``folder`` with the stack `many`: the stack dev, and more groups up to ``groups``."""
    made = folder / str(groups)
    if not made.exists():
        (made / "stacks").mkdir(parents=True)
        for name in ("Pulumi.yaml", "__main__.py"):
            shutil.copy(ROOT / name, made / name)
        more = (f"    more-{i}: {{instanceType: {_KINDS[i % len(_KINDS)]}}}\n" for i in range(1, groups))
        dev = (ROOT / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        text = dev.replace(_HEAD, _HEAD + "".join(more))
        (made / "stacks" / "Pulumi.many.yaml").write_text(text, encoding="utf-8")
    return made
