"""The simulation of a stack, opened for a verification."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from eks_accelerators.accel.aws import CannotReachError, Whom
from eks_accelerators.accel.simulate.options import FOLDER
from eks_accelerators.accel.stacks import StackLocation
from eks_accelerators.accel.verify.simulated_cluster import SimulatedCluster, simulated_cluster
from eks_accelerators.accelerators import clock
from eks_accelerators.settings.resolved_stack import ResolvedStack
from eks_accelerators.simulator import engines
from eks_accelerators.simulator.aws.errors import AwsError, NotSimulatedError
from eks_accelerators.simulator.aws.journal import JournalError
from eks_accelerators.simulator.folder import SimulationError, began
from eks_accelerators.simulator.metrics.faults import FaultError, parse
from eks_accelerators.simulator.processes import ServerError
from eks_accelerators.simulator.seal import DamageError
from eks_accelerators.simulator.simulation import Simulation, opened

_TOLD = (
    engines.MissingEnginesError,
    SimulationError,
    DamageError,
    JournalError,
    NotSimulatedError,
    ServerError,
    AwsError,
    FaultError,
)


@contextmanager
def open_simulation(location: StackLocation, whom: Whom, stack: ResolvedStack) -> Iterator[Simulation]:
    """What `accel simulate` has deployed. Raises `CannotReachError` where it has deployed nothing."""
    folder = whom.folder or location.project / FOLDER / location.name
    # Libraries log what they try again, with tracebacks: the report says what became of it.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        if began(folder) is None:
            raise SimulationError(
                f"{folder}: there is no simulation; make one with `accel simulate {location.name} up`"
            )
        found = engines.find(start=location.project)
        with (
            opened(folder, found, region=stack.settings.region, now=clock.now()) as simulation,
            clock.set_to(simulation.account.state.now),
        ):
            yield simulation
    except _TOLD as error:
        raise CannotReachError(str(error)) from None


@contextmanager
def simulation_of(
    location: StackLocation, whom: Whom, stack: ResolvedStack, faults: Sequence[str]
) -> Iterator[SimulatedCluster]:
    """The cluster of the simulation, with ``faults`` as they are written struck for as long as it is looked at."""
    try:
        parsed = [parse(text, set(stack.groups)) for text in faults]
    except FaultError as error:
        raise CannotReachError(str(error)) from None
    with open_simulation(location, whom, stack) as simulation, simulated_cluster(simulation, parsed) as cluster:
        yield cluster
