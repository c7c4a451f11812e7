"""What a simulated program leaves unsaid, and what it says as ever."""

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from unittest import mock

import pulumi
import pytest
from pulumi.runtime import mocks

from eks_accelerators.accel.plan.engineless import run_without_engine
from eks_accelerators.simulator.lean_program import untraced

OPTIONS = {"project": "p", "stack_name": "s", "config": {}, "secrets": set()}


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

    with untraced(**debug):
        run_without_engine(program, monitor, engine=engine, **OPTIONS)
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
    run_without_engine(lambda: Small("one"), monitor, engine=engine, **OPTIONS)

    (one,) = [each for each in monitor.registered if each.name == "one"]
    assert len(one.stackTrace.frames) > 5
    assert 0 in said


@pytest.mark.parametrize(("context", "waits"), [(untraced, {1}), (nullcontext, set(range(10, 100)))])
def test_values_that_become_known_one_by_one_are_waited_for_together(context, waits):
    """Of the SDK itself each makes it wait for all others anew."""
    waited = []

    async def known_after(number):
        await asyncio.sleep(0.01 * number)
        return number

    async def wait(tasks, **how):
        waited.append(len(tasks))
        return await real(tasks, **how)

    def program():
        for number in range(20):
            pulumi.Output.from_input(known_after(number)).apply(found.append)

    real, found = asyncio.wait, []
    with mock.patch.object(asyncio, "wait", wait), context():
        run_without_engine(program, Listening(), engine=SimpleNamespace(Log=lambda _: None), **OPTIONS)

    assert sorted(found) == list(range(20))
    assert len([each for each in waited if each > 1]) in waits


def test_a_value_that_fails_ends_the_program():
    async def fails():
        raise ZeroDivisionError

    def program():
        pulumi.Output.from_input(fails()).apply(lambda each: each)

    with untraced(), pytest.raises(ZeroDivisionError):
        run_without_engine(program, Listening(), engine=SimpleNamespace(Log=lambda _: None), **OPTIONS)
