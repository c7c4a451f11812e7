"""Loads on shipped stacks with changes, through the whole command; and what is asked of their reports."""

import json
from itertools import pairwise

import jsonschema

from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, LoadOptions, Options
from eks_accelerators.accel.stacks import StackLocation
from tests.simulator.worlds import PROJECT, stack_file

OF_SERVERS = ("prometheus", "keda-operator", "keda-metrics-server")
"""Engines of a loop in which servers follow the load."""


def load_on(stack, folder, capsys, change=None, *, account=None, at=None, **asked):
    """Puts a load on ``stack`` with a change, and returns the report; the next call goes on from there."""
    file = stack_file(folder / "stacks", stack, change)
    options = Options(Action.LOAD, folder / "state", as_json=True, account=account, at=at, load=LoadOptions(**asked))
    status = simulate(StackLocation(stack, file, PROJECT), options)
    out, error = capsys.readouterr()
    assert status in (ExitStatus.DONE, ExitStatus.FAILED), error
    (folder / "report.json").write_text(out)  # for whoever looks why a test has failed
    found = json.loads(out)
    jsonschema.validate(found, schema_of("simulate load"))
    assert found["held"] is (status is ExitStatus.DONE)
    assert "Traceback" not in error
    return found


def when(report, text, after=0):
    """When it first happened."""
    return next(event["at"] for event in report["events"] if text in event["what"] and event["at"] >= after)


def changes(samples, key, after):
    """How often a figure changed."""
    values = [sample[key] for sample in samples if sample["at"] >= after]
    return sum(before != now for before, now in pairwise(values))


def way(report):
    """Seconds of all parts between load and a server that it adds."""
    return sum(part["seconds"] for part in report["parts"])


def nodes(report, group):
    """Every number of nodes that a group had."""
    return {sample["nodes"].get(group, 0) for sample in report["samples"]}
