"""The script that divides GPUs at boot, run by a real shell against stand-ins for `nvidia-smi` and `systemctl`."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from eks_accelerators.accelerators import instance_types, mig
from eks_accelerators.accelerators.sharing import Partitioning
from eks_accelerators.components.mig_user_data import layout_text

SCRIPT = Path(__file__).parents[3] / "components" / "apply-mig-layout.sh"
MACHINE = Path(__file__).with_name("mig_machine.sh")
HALVES = "3g.40gb:0,3g.40gb:4"
PERSISTENCE, CLOCKS = "nvidia-persistenced.service", "set-nvidia-clocks.service"
EIGHT = [HALVES] * 6 + ["1g.10gb:0,1g.10gb:1", "whole"]
"""What is wanted of the eight GPUs of a p4d.24xlarge."""


class Machine:
    """A node with GPUs that are not there: a folder for each, with its mode and its instances in files."""

    def __init__(self, folder: Path, *gpus: dict) -> None:
        self._folder = folder
        folder.mkdir(exist_ok=True)
        whole = {"current": "Disabled", "pending": "Disabled", "switches": "at once", "refuses": "", "instances": ""}
        for index, gpu in enumerate(gpus):
            self._write(index, **{**whole, **gpu})
        for name in ("running", "state"):
            (folder / name).mkdir()
        for name in (PERSISTENCE, CLOCKS):
            (folder / "running" / name).touch()

    def _write(self, index: int, **facts: str) -> None:
        here = self._folder / "gpus" / str(index)
        here.mkdir(parents=True, exist_ok=True)
        for name, value in facts.items():
            (here / name).write_text(f"{value}\n", encoding="utf-8")

    def boot(self, *wanted: str) -> subprocess.CompletedProcess[str]:
        """Run the script for GPUs in order."""
        layout = self._folder / "layout"
        layout.write_text("".join(f"{index} {one}\n" for index, one in enumerate(wanted)), encoding="utf-8")
        (self._folder / "log").unlink(missing_ok=True)
        environment = {
            "PATH": os.environ["PATH"],
            "BASH_ENV": str(MACHINE),  # its functions stand before the programs of their names
            "MACHINE": str(self._folder),
            "STATE_DIRECTORY": str(self._folder / "state"),
        }
        command = ["bash", str(SCRIPT), str(layout)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def reboots(self, **changes: str) -> None:
        """What a reboot does: instances go, and a mode that was waiting for a reset is there."""
        for index, mode in enumerate(self.facts("pending")):
            self._write(index, **{"instances": "", "current": mode, **changes})

    def facts(self, name: str) -> list[str]:
        """A fact of every GPU."""
        folders = sorted((self._folder / "gpus").iterdir(), key=lambda folder: int(folder.name))
        return [(folder / name).read_text(encoding="utf-8").strip() for folder in folders]

    @property
    def instances(self) -> list[list[str]]:
        return [text.split() for text in self.facts("instances")]

    @property
    def running(self) -> set[str]:
        return {unit.name for unit in (self._folder / "running").iterdir()}

    @property
    def log(self) -> str:
        return (self._folder / "log").read_text(encoding="utf-8")


def test_every_gpu_is_divided_as_wanted(tmp_path):
    machine = Machine(tmp_path, {}, {}, {})

    found = machine.boot(HALVES, "3g.40gb:0,1g.10gb:4,1g.10gb:5", "whole")

    assert found.returncode == 0, found.stderr
    assert machine.instances == [["3g.40gb"] * 2, ["3g.40gb", "1g.10gb", "1g.10gb"], []]
    assert machine.facts("current") == ["Enabled", "Enabled", "Disabled"]


def test_again_changes_nothing(tmp_path):
    machine = Machine(tmp_path, {}, {})
    machine.boot(HALVES, "whole")

    assert machine.boot(HALVES, "whole").returncode == 0
    assert "-cgi" not in machine.log
    assert "-dgi" not in machine.log
    assert "-mig" not in machine.log


def test_after_a_reboot_the_instances_are_made_again(tmp_path):
    machine = Machine(tmp_path, {})
    machine.boot(HALVES)
    machine.reboots()

    assert machine.boot(HALVES).returncode == 0
    assert machine.instances == [["3g.40gb"] * 2]


def test_another_division_makes_way(tmp_path):
    on = {"current": "Enabled", "pending": "Enabled"}
    machine = Machine(tmp_path, {**on, "instances": "1g.10gb " * 7}, on, {**on, "instances": "7g.80gb"})

    assert machine.boot(HALVES, "whole", "whole").returncode == 0
    assert machine.instances == [["3g.40gb"] * 2, [], []]
    assert machine.facts("current") == ["Enabled", "Disabled", "Disabled"]


def test_a_gpu_that_switches_at_a_reset(tmp_path):
    """A100: nothing may hold the GPU open meanwhile."""
    machine = Machine(tmp_path, {"switches": "at a reset"})

    assert machine.boot(HALVES).returncode == 0
    assert machine.instances == [["3g.40gb"] * 2]
    assert machine.log.index("systemctl stop") < machine.log.index("--gpu-reset") < machine.log.index("systemctl start")


def test_every_service_that_the_reset_stops_runs_again(tmp_path):
    """What requires the persistence daemon stops with it, and systemd does not start it again."""
    machine = Machine(tmp_path, {"switches": "at a reset"}, {"switches": "at a reboot"})

    assert machine.boot(HALVES, HALVES).returncode == 1
    assert machine.running == {PERSISTENCE, CLOCKS}
    assert machine.log.index("systemctl start") < machine.log.index("systemctl reboot")


def test_the_services_run_again_where_the_reset_hangs(tmp_path):
    """systemd ends a unit that takes longer than `TimeoutStartSec`."""
    machine = Machine(tmp_path, {"switches": "at a reset, after which the script is ended"})

    assert machine.boot(HALVES).returncode != 0
    assert "-cgi" not in machine.log
    assert machine.running == {PERSISTENCE, CLOCKS}


def refuse_the_reset(folder: Path, refusing: Iterable[int]) -> None:
    """One boot in which the reset of the GPUs ``refusing`` fails, and where there are any one more after a reboot."""
    refusing = set(refusing)
    gpus = [{"switches": "at a reboot" if index in refusing else "at a reset"} for index in range(8)]
    gpus[7] |= {"current": "Enabled", "pending": "Enabled", "instances": "7g.80gb"}
    machine = Machine(folder, *gpus)

    first = machine.boot(*EIGHT)
    assert ("systemctl reboot" in machine.log, first.returncode) == (bool(refusing), int(bool(refusing)))
    assert machine.facts("pending") == ["Enabled"] * 7 + ["Disabled"]
    if first.returncode:
        assert machine.instances == [[]] * 8
        machine.reboots()
        second = machine.boot(*EIGHT)
        assert (second.returncode, "systemctl reboot" in machine.log) == (0, False), second.stderr
    assert machine.instances == [["3g.40gb"] * 2] * 6 + [["1g.10gb"] * 2, []]
    assert machine.running == {PERSISTENCE, CLOCKS}
    shutil.rmtree(folder)


SUBSETS = [tuple(index for index in range(8) if number >> index & 1) for number in range(256)]
FEW = dict.fromkeys([(), *((index,) for index in range(8)), tuple(range(8)), *random.Random(8).sample(SUBSETS, 6)])


@pytest.mark.parametrize("refusing", FEW, ids=str)
def test_eight_gpus_of_which_some_refuse_the_reset(refusing, tmp_path):
    """All are asked before the first reset and reset before the one reboot: after it none is left to switch."""
    refuse_the_reset(tmp_path / "machine", refusing)


@pytest.mark.thorough
def test_eight_gpus_whichever_of_them_refuse_the_reset(tmp_path):
    for refusing in SUBSETS:
        refuse_the_reset(tmp_path / "machine", refusing)


def test_where_a_reset_fails_one_reboot_and_no_second(tmp_path):
    machine = Machine(tmp_path, {"switches": "at a reboot"})

    first = machine.boot(HALVES)
    assert (first.returncode, "systemctl reboot" in machine.log) == (1, True)
    machine.reboots(current="Disabled", pending="Disabled")
    second = machine.boot(HALVES)
    assert (second.returncode, "systemctl reboot" in machine.log) == (1, False)
    assert "after a reset and a reboot" in second.stderr


def test_a_reboot_that_helped_may_be_used_again(tmp_path):
    machine = Machine(tmp_path, {"switches": "at a reboot"})
    machine.boot(HALVES)
    machine.reboots()

    assert machine.boot(HALVES).returncode == 0
    assert not (tmp_path / "state" / "rebooted").exists()


@pytest.mark.parametrize(
    ("gpus", "wanted"),
    [
        pytest.param([{"refuses": "instances"}], [HALVES], id="driver-refuses-instances"),
        pytest.param([{"refuses": "mode"}], [HALVES], id="driver-refuses-the-mode"),
        pytest.param([{}, {}], [HALVES], id="more-gpus-than-lines"),
        pytest.param([{}], [HALVES, HALVES], id="fewer-gpus-than-lines"),
    ],
)
def test_whatever_goes_wrong_is_a_failure(gpus, wanted, tmp_path):
    assert Machine(tmp_path, *gpus).boot(*wanted).returncode != 0


def test_a_line_for_each_gpu_and_a_place_for_each_instance():
    """With the 3g at slice 0 the second 2g would have no place: it may begin at 0, 2 and 4 only."""
    layouts = [{"3g.40gb": 1, "2g.20gb": 2}] * 7 + [{}]
    text = layout_text(instance_types.get("p5.48xlarge"), Partitioning.of("mixed", layouts))

    assert text.splitlines() == [*(f"{index} 2g.20gb:0,2g.20gb:2,3g.40gb:4" for index in range(7)), "7 whole"]


@pytest.mark.parametrize("gpu", mig.gpus(), ids=lambda gpu: gpu.name)
def test_every_layout_of_every_gpu_is_written_with_places(gpu):
    kind = next(kind for kind in instance_types.every() if mig.gpu_of(kind) == gpu)
    for layout in mig.layouts(gpu):
        line = layout_text(kind, Partitioning.of("mixed", [layout])).splitlines()[0]
        profiles = [one.split(":")[0] for one in line.split()[1].split(",")]
        assert {profile: profiles.count(profile) for profile in profiles} == layout
