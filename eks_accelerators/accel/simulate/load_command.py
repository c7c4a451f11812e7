"""`accel simulate STACK load`: the deployed stack under load, and what becomes of it."""

import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from eks_accelerators.accel.report import CheckedStack
from eks_accelerators.accel.reports.load import LoadReport
from eks_accelerators.accel.simulate.load_hours import asleep
from eks_accelerators.accel.simulate.load_picture import picture
from eks_accelerators.accel.simulate.load_question import LoadQuestion, load_question
from eks_accelerators.accel.simulate.load_result import LoadResult, doubts_of
from eks_accelerators.accel.simulate.options import Options
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import NodeRepair
from eks_accelerators.simulator.folder import SimulationError
from eks_accelerators.simulator.load.cluster_view import look
from eks_accelerators.simulator.load.fleet import Fleet
from eks_accelerators.simulator.load.loop import Loop
from eks_accelerators.simulator.load.node_autoscalers import AUTOSCALERS
from eks_accelerators.simulator.load.node_repair import NodeRepairs
from eks_accelerators.simulator.load.participants import participants
from eks_accelerators.simulator.load.parts import NewNode, WayPart, parts_of
from eks_accelerators.simulator.simulation import Simulation


def asked(checked: CheckedStack, options: Options) -> LoadQuestion:
    """What is asked; a mistake is told before anything starts. Raises `ValueError` or `UnknownSpeedError`."""
    assert checked.checked.stack is not None
    question = load_question(checked.checked.stack, options.load)
    if options.load.picture is not None:
        _check_picture(options.load.picture)
    return question


def _check_picture(file: Path) -> None:
    """Raise `SimulationError` where nothing can be drawn."""
    allowed = "allowed: a file in a folder that is there"
    if file.is_dir():
        raise SimulationError(f"--picture {file}: found a folder; {allowed}; write {file / 'load.svg'}")
    if not file.absolute().parent.is_dir():
        raise SimulationError(
            f"--picture {file}: there is no folder {file.absolute().parent}; {allowed}; make it first"
        )


def load(
    simulation: Simulation,
    checked: CheckedStack,
    found: Mapping[str, Path],
    folder: Path,
    question: LoadQuestion,
    options: Options,
    out: Console,
) -> LoadReport:
    """Put the load on the servers; returns what there is to show."""
    assert checked.settings is not None
    server = question.server
    simulation.settle()
    if look(simulation.cluster.api, server.workload.namespace, server.name).wanted == 0:
        now, lasts = simulation.account.state.now, question.profile.lasts
        if why := asleep(checked.stack, server.path, question.scaling, now, lasts):
            raise SimulationError(f"{folder}: {why}")
    assert checked.checked.stack is not None
    fleet = Fleet(options.load.seed, question.drain_seconds)
    seconds = question.profile.lasts / question.pace.factor
    out.print("starting the programs that take part", soft_wrap=True)
    taking_part = participants(simulation, checked.checked.stack, found, question.pace, fleet, question.needs)
    with taking_part as others:
        out.print(f"load on {server.name}: {seconds:.0f} s of the wall clock", soft_wrap=True)
        repairs = NodeRepairs(simulation.account, others.account_clock.advance, _repaired(checked.settings))
        loop = Loop(simulation, server, question.profile, question.pace, fleet, others, repairs, question.faults)
        loop.instance_types = {name: group.instance_types for name, group in checked.settings.node_groups.items()}
        outcomes = loop.run()
        doubts = tuple(doubts_of(others.missed(question.profile.lasts), question.pace, question.faults))
    parts = _parts(question, loop)
    result = LoadResult(
        checked.stack, folder, checked.settings, question, outcomes, fleet, loop.recorder, parts, doubts
    )
    return result.report(simulation)


def _parts(question: LoadQuestion, loop: Loop) -> tuple[WayPart, ...]:
    """What a server that was added had to wait for: a node too, where any was launched."""
    if question.scaling is None:
        return ()
    group = question.server.group
    launched = [sample.instances.get(group.name, 0) for sample in loop.recorder.samples]
    needs_node = bool(launched) and max(launched) > launched[0]
    autoscaler = AUTOSCALERS.get(group.settings.autoscaler)
    node = NewNode(group.type.name, autoscaler) if needs_node and autoscaler else None
    return parts_of(question.scaling, question.server.start, node)


def _repaired(settings: Settings) -> dict[str, NodeRepair]:
    """How EKS repairs the nodes of each managed node group. Those that Karpenter makes it leaves alone; Karpenter's own gate
    NodeRepair is alpha, and off.
    """
    return {
        name: group.node_repair
        for name, group in settings.node_groups.items()
        if group.autoscaler is not NodeAutoscaler.KARPENTER
    }


def draw(report: LoadReport, options: Options) -> None:
    """Write the picture, where one is wanted."""
    file = options.load.picture
    if file is None:
        return
    try:
        file.write_text(picture(report), encoding="utf-8")
    except OSError as error:
        raise SimulationError(f"--picture {file}: {error.strerror}") from None
    sys.stderr.write(f"drawn: {file}\n")
