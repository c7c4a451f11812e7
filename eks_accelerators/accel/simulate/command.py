"""One command of `accel simulate`, from its options to its exit status."""

import logging
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.render_text import console, print_problems
from eks_accelerators.accel.report import CheckedStack, check_stack
from eks_accelerators.accel.reports.simulate import SimulateReport
from eks_accelerators.accel.simulate.deploy_time import timeline_of
from eks_accelerators.accel.simulate.moments import parse_clock
from eks_accelerators.accel.simulate.options import FOLDER, Action, Options
from eks_accelerators.accel.simulate.progress import SimulationProgress
from eks_accelerators.accel.simulate.result import SimulationResult
from eks_accelerators.accel.simulate.watch import watch
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accelerators import clock
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.simulator import engines, interruption
from eks_accelerators.simulator.account_file import read_account
from eks_accelerators.simulator.aws.bounds import EARLIEST
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.throttling import Throttle
from eks_accelerators.simulator.aws.world import World
from eks_accelerators.simulator.folder import BEGINNING, SimulationError, began
from eks_accelerators.simulator.outcome import Outcome
from eks_accelerators.simulator.pace import LIFE, Pace
from eks_accelerators.simulator.processes import ServerError
from eks_accelerators.simulator.providers import faults
from eks_accelerators.simulator.simulation import Simulation, forget, opened
from eks_accelerators.simulator.stack import SimulatedStack, simulated_stack

if TYPE_CHECKING:  # what a load needs is imported for a load alone
    from eks_accelerators.accel.simulate.load_question import LoadQuestion

_TOLD = (
    engines.MissingEnginesError,
    SimulationError,
    NotSimulatedError,
    AwsError,
    ServerError,
    ValueError,
)
"""What is one line on standard error."""

_ENGINE_ACTIONS = {Action.UP, Action.PREVIEW, Action.REFRESH, Action.DESTROY}


def simulate(location: StackLocation, options: Options) -> ExitStatus:
    """Run one command. What cannot be done is one clear line on standard error, and exit status 2."""
    # Libraries log what they try again, with tracebacks: the report says what became of it.
    logging.getLogger().addHandler(logging.NullHandler())
    # The report goes to standard output; with --json and --markdown nothing else does.
    out = console(sys.stderr) if options.as_json or options.as_markdown else console()
    checked = check_stack(location)
    if checked.failed or checked.settings is None:
        print_problems(checked.report.problems, console(sys.stderr))
        return ExitStatus.REFUSED
    try:
        with interruption.raised():
            return _simulate(location, options, checked, out)
    except KeyboardInterrupt as error:
        number = error.number if isinstance(error, interruption.Interrupted) else signal.SIGINT
        sys.stderr.write(f"interrupted; {_what_is_left(location, options)}\n")
        return ExitStatus.of_signal(number)
    except _TOLD as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.REFUSED


def _simulate(location: StackLocation, options: Options, checked: CheckedStack, out: Console) -> ExitStatus:
    question = _question(checked, options)
    prepared = _prepare(location, options, checked, question.needs.engines if question else ())
    if question is not None:
        return _load(prepared, question, out)
    with prepared.opened() as simulation:
        report = _acted(prepared, simulation, out)
        emit(report, Format.of(options.as_json, options.as_markdown))
        if options.keep:
            _keep(simulation)
    return ExitStatus.DONE if report.ok else ExitStatus.FAILED


def _question(checked: CheckedStack, options: Options) -> "LoadQuestion | None":
    """What is to be found out of a load; None where none is put on."""
    if options.action is not Action.LOAD:
        return None
    from eks_accelerators.accel.simulate import load_command

    return load_command.asked(checked, options)


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Everything that a command needs before its simulation is opened."""

    options: Options
    checked: CheckedStack
    stack: SimulatedStack
    folder: Path
    begins: datetime
    found: Mapping[str, Path]
    helm: Path | None
    struck: list[faults.Fault]
    with_cluster: bool

    @contextmanager
    def opened(self, pace: Pace = LIFE, *, pods_take_time: bool = False) -> Iterator[Simulation]:
        """The simulation, open."""
        with opened(
            self.folder,
            self.found,
            region=self.stack.region,
            now=self.begins,
            world=self.stack.world,
            kubernetes=self.with_cluster,
            pace=pace,
            pods_take_time=pods_take_time,
        ) as simulation:
            simulation.helm = self.helm
            yield simulation


def _prepare(location: StackLocation, options: Options, checked: CheckedStack, more: tuple[str, ...] = ()) -> _Prepared:
    """Find and check everything, ``more`` engines too; a mistake is told before anything is started, or removed."""
    assert checked.settings is not None
    with_cluster = _needs_cluster(location, options)
    found = engines.find((*(engines.ENGINES if with_cluster else engines.WITHOUT_CLUSTER), *more), location.project)
    helm = engines.optional("helm", location.project) if options.helm else None
    if options.helm and helm is None:
        raise engines.MissingEnginesError("missing helm. Run `make engines HELM=1`, or put it on PATH")
    struck = [faults.parse(text) for text in options.fail]
    account = read_account(options.account, checked.settings.region) if options.account else World()
    begins = account.now or clock.now()
    folder = _folder(location, options)
    if options.at:
        parse_clock(options.at, begins if options.fresh or not folder.exists() else EARLIEST)
    world = account.model_dump(mode="json", by_alias=True, exclude_unset=True)
    stack = simulated_stack(location.name, location.file, location.program, checked.settings, begins, world)
    if options.fresh:
        forget(folder)
    if options.account and began(folder):
        sys.stderr.write(f"--account {options.account}: not used, {folder} has its account; --fresh starts over\n")
    return _Prepared(options, checked, stack, folder, begins, found, helm, struck, with_cluster)


def _acted(prepared: _Prepared, simulation: Simulation, out: Console) -> SimulateReport:
    """Do what was asked; returns what there is to show."""
    options, stack = prepared.options, prepared.stack
    result = SimulationResult(prepared.checked, stack, prepared.folder, options.action)
    if options.throttle:
        result.throttle = simulation.account.before_call = Throttle(options.throttle)
    if options.action is Action.WATCH:
        watch(simulation, _moment(options, simulation), out)
    elif options.at:
        simulation.set_clock(parse_clock(options.at, simulation.account.state.now))
    if options.action in _ENGINE_ACTIONS:
        _run(simulation, stack, options, prepared.struck, result, out)
    return result.report(simulation)


def _load(prepared: _Prepared, question: "LoadQuestion", out: Console) -> ExitStatus:
    """Put load on what is deployed; where nothing is yet, it is deployed first."""
    from eks_accelerators.accel.simulate import load_command

    options = prepared.options
    if began(prepared.folder) is None:
        first = replace(prepared, options=replace(options, action=Action.UP, at=None))  # the load begins then
        with first.opened() as simulation:
            deployed = _acted(first, simulation, out)
        if not deployed.ok:
            emit(deployed, Format.of(options.as_json, options.as_markdown))
            return ExitStatus.FAILED
    with prepared.opened(question.pace, pods_take_time=True) as simulation:
        if options.at:
            simulation.set_clock(parse_clock(options.at, simulation.account.state.now))
        report = load_command.load(
            simulation, prepared.checked, prepared.found, prepared.folder, question, options, out
        )
        emit(report, Format.of(options.as_json, options.as_markdown))
    load_command.draw(report, options)
    return ExitStatus.DONE if report.held else ExitStatus.FAILED


def _needs_cluster(location: StackLocation, options: Options) -> bool:
    """Whether a Kubernetes control plane is to be started: not for a preview before anything was deployed to one."""
    if options.action is not Action.PREVIEW or options.keep or options.account:
        return True
    return not options.fresh and ((options.state or location.project / FOLDER / location.name) / "kubernetes").exists()


def _folder(location: StackLocation, options: Options) -> Path:
    folder = options.state or location.project / FOLDER / location.name
    if options.action is Action.STATUS and not folder.exists():
        raise SimulationError(f"{folder}: there is no simulation; make one with `accel simulate {location.name} up`")
    return folder


def _run(
    simulation: Simulation,
    stack: SimulatedStack,
    options: Options,
    struck: list[faults.Fault],
    result: SimulationResult,
    out: Console,
) -> None:
    before = simulation.engine.state(PROJECT, stack.program.stack)
    with SimulationProgress(out, preview=options.action is Action.PREVIEW) as progress:
        result.outcome = simulation.run(options.action.value, stack.program, faults=struck, listen=progress)  # type: ignore[arg-type]
    for text, fault in zip(options.fail, struck, strict=True):
        if not fault.struck:
            sys.stderr.write(f"--fail {text}: there was no {fault.action} of it, so nothing failed\n")
    if options.action is Action.PREVIEW:
        _stop_where_interrupted(result.outcome)
        return
    after = simulation.engine.state(PROJECT, stack.program.stack)
    waits = result.outcome.waits
    steps = [*result.outcome.steps, *(step for step in result.outcome.failed if step.urn in waits)]
    result.timeline = timeline_of(steps, before, after, waits=waits)
    # On real AWS it would be later by now, and what was due in the meantime has happened.
    simulation.set_clock(simulation.account.state.now + timedelta(seconds=round(result.timeline.makespan)))
    _stop_where_interrupted(result.outcome)


def _stop_where_interrupted(outcome: Outcome) -> None:
    if outcome.interrupted is not None:
        raise interruption.Interrupted(outcome.interrupted)


def _what_is_left(location: StackLocation, options: Options) -> str:
    folder = options.state or location.project / FOLDER / location.name
    if not (folder / BEGINNING).exists():
        return "nothing was simulated"
    return f"the state is kept in {folder}: run it again, and it goes on from there"


def _moment(options: Options, simulation: Simulation) -> Any:
    now = simulation.account.state.now
    return parse_clock(options.at, now) if options.at else now + timedelta(weeks=1)


def _keep(simulation: Simulation) -> None:
    kubeconfig = simulation.cluster.kubeconfig
    try:  # around the line as well: who reads it may be quicker than we
        sys.stderr.write(f"\nThe API server is up until Ctrl-C:\n  export KUBECONFIG={kubeconfig}\n")
        sys.stderr.flush()
        simulation.wait()
    except KeyboardInterrupt:
        sys.stderr.write("\n")
