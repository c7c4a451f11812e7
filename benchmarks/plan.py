"""What `accel` costs in CPU time, as ratios to floors that are measured in the same run.

Every figure is user and system time of whole processes, taken in turns (A B A B), medians compared: what
else the machine does hits both sides. A figure that misses its aim is shown and changes no exit status.

    python benchmarks/plan.py [--json] [--quick]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import cases

ROOT = Path(__file__).resolve().parent.parent
REGISTERS = ROOT / "benchmarks" / "registers.py"
PYTHON = sys.executable
SHIPPED = ("dev", "prod")
"""Shipped stacks that are planned: the smallest and the largest."""
COUNTS = (10, 100, 1000)
"""Node groups of the stacks that are planned."""


@dataclass(frozen=True)
class Command:
    """A process to measure, and the folder that it runs in."""

    arguments: tuple[str, ...]
    folder: Path = ROOT

    def cpu_seconds(self) -> float:
        """User and system time of one run; what it writes is dropped, and a failure ends the benchmark."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            [PYTHON, *self.arguments],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr
        complaint = process.stderr.read().decode()
        process.stderr.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(self.arguments)} in {self.folder} failed:\n{complaint}")
        return used.ru_utime + used.ru_stime


@dataclass(frozen=True)
class Figure:
    """One line of the table; ``aim`` is the most that it should be."""

    what: str
    value: float
    aim: float
    unit: str
    parts: str

    @property
    def met(self) -> bool:
        """Whether the aim is met."""
        return self.value <= self.aim


def medians(rounds: int, *commands: Command, warm: bool = True) -> list[float]:
    """The median CPU time of each command, all of them run in turns, after a first time that is not counted."""
    for command in commands if warm else ():
        command.cpu_seconds()  # compiles bytecode and warms the disk cache
    taken = [[command.cpu_seconds() for command in commands] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*taken, strict=True)]


def start(rounds: int, _folder: Path) -> list[Figure]:
    """Plans of shipped stacks beside the bare import of what each uses of the SDKs: what no Python program can avoid."""
    figures = []
    for name in SHIPPED:
        plan, floor = medians(
            rounds, Command(("-m", "eks_accelerators.accel", "plan", name)), Command(("-c", cases.imports(name)))
        )
        parts = f"{plan:.2f} s / {floor:.2f} s"
        figures.append(Figure(f"plan {name} / import of the SDKs", plan / floor, 1.4, "x", parts))
    return figures


def groups(rounds: int, folder: Path) -> list[Figure]:
    """The plan of many node groups beside a plain program that registers the very same resources.

    See `registers.py` for what that program does and leaves out.
    """
    figures, plans, floors = [], [], []
    for count in COUNTS:
        project = cases.project(folder, count)
        recorded = project / "recorded.json"
        Command((str(REGISTERS), "record", "many", str(recorded)), project).cpu_seconds()
        plan, floor = medians(
            max(1, min(rounds, 100 // count)),  # a process of half a minute is its own median
            Command(("-m", "eks_accelerators.accel", "plan", "many"), project),
            Command((str(REGISTERS), "register", str(recorded)), project),
            warm=count != COUNTS[-1],
        )
        parts = f"{plan:.2f} s / {floor:.2f} s"
        figures.append(Figure(f"plan of {count:,} groups / plain program", plan / floor, 1.3, "x", parts))
        plans.append(plan)
        floors.append(floor)
    grown, unavoidable = growth(plans), growth(floors)
    parts = f"of the plain program: {unavoidable:.2f} x"
    return [*figures, Figure("a group's cost, 100 to 1,000 / 10 to 100", grown, 1.2, "x", parts)]


def growth(seconds: Sequence[float]) -> float:
    """How much more a group costs among many than among few; 1 where the cost is constant."""
    few, some, many = COUNTS
    at_few, at_some, at_many = seconds
    return (at_many - at_some) / (many - some) / ((at_some - at_few) / (some - few))


def check(rounds: int, folder: Path) -> list[Figure]:
    """`accel check` beside a Python that does nothing."""
    small, large = (
        Command(("-m", "eks_accelerators.accel", "check", "many"), cases.project(folder, count)) for count in (3, 1000)
    )
    nothing, few, many = medians(rounds, Command(("-c", "pass")), small, large)
    each = (many - few) / 997
    return [
        Figure("check of 3 groups - python -c pass", few - nothing, 0.35, "s", f"{few:.3f} s - {nothing:.3f} s"),
        Figure("check, each group more", 1e3 * each, 1.0, "ms", f"({many:.2f} s - {few:.2f} s) / 997"),
    ]


PARTS: tuple[Callable[[int, Path], list[Figure]], ...] = (start, check, groups)


def show(figures: Sequence[Figure]) -> None:
    print(f"{'figure':44}{'value':>9}  {'aim':>9}  {'met':4}  of")
    for figure in figures:
        value, aim = (f"{number:.2f} {figure.unit}" for number in (figure.value, figure.aim))
        print(f"{figure.what:44}{value:>9}  {aim:>9}  {'yes' if figure.met else 'NO':4}  {figure.parts}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quick", action="store_true", help="leave out the plans of many node groups: minutes less")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each side; medians are compared")
    options = parser.parse_args()
    figures = []
    with tempfile.TemporaryDirectory(prefix="accel-benchmark-") as folder:
        for part in PARTS[:2] if options.quick else PARTS:
            figures += part(options.rounds, Path(folder))
    if options.json:
        print(json.dumps([{**asdict(figure), "met": figure.met} for figure in figures], indent=2))
    else:
        show(figures)


if __name__ == "__main__":
    main()
