"""What a simulated program leaves unsaid, and what it says as ever."""

from types import SimpleNamespace

import pulumi
import pytest
from pulumi.runtime import mocks

from eks_accelerators.accel.plan.engineless import run_without_engine
from eks_accelerators.simulator.lean_program import untraced


class Answers(mocks.Mocks):
    def new_resource(self, args):
        return args.name, args.inputs

    def call(self, args):
        return {}


class Listening(mocks.MockMonitor):
    def __init__(self):
        super().__init__(Answers())
        self.registered = []

    def RegisterResource(self, request):  # noqa: N802  (gRPC's name)
        self.registered.append(request)
        return super().RegisterResource(request)


class Small(pulumi.CustomResource):
    def __init__(self, name):
        super().__init__("small:index:Small", name, {"size": 1})


def run(**debug):
    monitor, said = Listening(), []
    engine = SimpleNamespace(Log=lambda request: said.append((request.severity, request.message)))

    def program():
        Small("one")
        pulumi.log.warn("mind the gap")

    options = {"project": "p", "stack_name": "s", "config": {}, "secrets": set()}
    with untraced(**debug):
        run_without_engine(program, monitor, engine=engine, **options)
    (one,) = [each for each in monitor.registered if each.name == "one"]
    return one, said


def test_a_resource_comes_without_the_lines_of_python_below_it():
    one, _ = run()

    assert dict(one.object) == {"size": 1}
    assert len(one.stackTrace.frames) == 0


@pytest.mark.parametrize(("debug", "severities"), [(False, {2}), (True, {0, 2})])
def test_messages_for_debugging_are_sent_to_who_wants_them(debug, severities):
    _, said = run(debug=debug)

    assert {severity for severity, _ in said} == severities
    assert (2, "mind the gap") in said


def test_the_sdk_would_say_both():
    """Of which the simulation thinks that nobody hears them: where that changes it is to be looked at again."""
    monitor, said = Listening(), []
    engine = SimpleNamespace(Log=lambda request: said.append(request.severity))
    options = {"project": "p", "stack_name": "s", "config": {}, "secrets": set()}
    run_without_engine(lambda: Small("one"), monitor, engine=engine, **options)

    (one,) = [each for each in monitor.registered if each.name == "one"]
    assert len(one.stackTrace.frames) > 5
    assert 0 in said
