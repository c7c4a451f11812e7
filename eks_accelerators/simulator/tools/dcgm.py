"""What NVIDIA's diagnostic prints on a simulated node."""

import json
from collections.abc import Sequence
from typing import Any

from eks_accelerators.simulator.tools.machine import Printed, SimulatedMachine


def hostengine(_machine: SimulatedMachine, _arguments: Sequence[str]) -> Printed:
    """It starts, whatever the node has."""
    return "Started host engine version 4.6.0 using port number: 5555 \n", 0


def dcgmi(machine: SimulatedMachine, arguments: Sequence[str]) -> Printed:
    """The diagnostic: the tests of each level, on GPUs that are whole."""
    level = int(arguments[arguments.index("-r") + 1])
    tests = [("Deployment", "software")]
    tests += [("Integration", "pcie"), ("Hardware", "memory")] if level > 1 else []
    failing = _failing(machine)
    categories: list[dict[str, Any]] = []
    for category, test in tests:
        results = []
        for gpu in machine.gpus:
            fails = not gpu.index and test in failing
            warning = {"warning": failing.get(test, ""), "error_id": 0, "error_category": 2, "error_severity": 2}
            results.append(
                {
                    "entity_group": "GPU",
                    "entity_group_id": 1,
                    "entity_id": gpu.index,
                    "status": "Fail" if fails else "Pass",
                    **({"warnings": [warning]} if fails else {}),
                }
            )
        status = "Fail" if any(each["status"] == "Fail" for each in results) else "Pass"
        tested = {"name": test, "results": results, "test_summary": {"status": status}}
        categories.append({"category": category, "tests": [tested]})
    whole = {"DCGM Diagnostic": {"test_categories": categories}, "metadata": {"version": "4.6.0"}}
    return f"{json.dumps(whole, indent=2)}\n", 205 if any(test in failing for _, test in tests) else 0


def _failing(machine: SimulatedMachine) -> dict[str, str]:
    """Tests that the first GPU of the node does not pass."""
    found = {}
    for each in machine.signs:
        if each.remap_failed or each.uncorrected:
            found["software"] = "GPU 0 has memory that cannot be repaired"
        if each.replays:
            found["pcie"] = "GPU 0 reaches less bandwidth than the minimum"
    return found
