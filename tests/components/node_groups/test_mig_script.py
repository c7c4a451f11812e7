"""The script that divides GPUs at boot, run by a real shell against a stand-in for `nvidia-smi` and `systemctl`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from accelerators import instance_types, mig
from accelerators.sharing import Partitioning
from components.mig_user_data import layout_text

SCRIPT = Path(__file__).parents[3] / "components" / "apply-mig-layout.sh"
SMI = f"""\
#!{sys.executable}
# The GPUs are in $GPUS: of each its mode, the mode after a reset, whether a reset works, and its instances by profile.
import json, os, sys
path, words = os.environ["GPUS"], sys.argv[1:]
gpus = json.load(open(path))
with open(path + ".log", "a") as log:
    print(*words, file=log)
at = int(words[words.index("-i") + 1]) if "-i" in words else None
def done(code=0):
    json.dump(gpus, open(path, "w"))
    sys.exit(code)
if words == ["-L"]:
    for index, gpu in enumerate(gpus):
        print(f"GPU {{index}}: NVIDIA H100 80GB HBM3 (UUID: GPU-{{index}})")
        for number, profile in enumerate(gpu["instances"]):
            print(f"  MIG {{profile}}     Device  {{number}}: (UUID: MIG-{{index}}-{{number}})")
elif "--query-gpu=index" in words:
    print(*range(len(gpus)), sep="\\n")
elif "--query-gpu=mig.mode.current" in words:
    print(gpus[at]["mode"])
elif "-mig" in words:
    gpus[at]["pending"] = "Enabled" if words[-1] == "1" else "Disabled"
    if gpus[at]["switches"] == "at once":
        gpus[at]["mode"] = gpus[at]["pending"]
elif "--gpu-reset" in words:
    if gpus[at]["switches"] != "at a reset":
        done(1)
    gpus[at]["mode"] = gpus[at]["pending"]
elif "-cgi" in words:
    if gpus[at]["mode"] != "Enabled" or gpus[at]["instances"] or gpus[at]["refuses"]:
        done(1)
    gpus[at]["instances"] = [one.split(":")[0] for one in words[words.index("-cgi") + 1].split(",")]
elif "-dgi" in words:
    if not gpus[at]["instances"]:
        done(6)
    gpus[at]["instances"] = []
elif "-dci" not in words:
    done(9)
done()
"""
SYSTEMCTL = """\
#!/bin/sh
echo "systemctl $*" >>"$GPUS.log"
"""
HALVES = "3g.40gb:0,3g.40gb:4"


class Machine:
    """A node with GPUs that are not there."""

    def __init__(self, folder: Path, *gpus: dict) -> None:
        self._folder, self._state = folder, folder / "gpus.json"
        whole = {"mode": "Disabled", "pending": "Disabled", "switches": "at once", "refuses": False, "instances": []}
        self._state.write_text(json.dumps([{**whole, **gpu} for gpu in gpus]), encoding="utf-8")
        for name, text in (("nvidia-smi", SMI), ("systemctl", SYSTEMCTL)):
            program = folder / name
            program.write_text(text, encoding="utf-8")
            program.chmod(0o755)

    def boot(self, *wanted: str) -> subprocess.CompletedProcess[str]:
        """Run the script for GPUs in order."""
        layout = self._folder / "layout"
        layout.write_text("".join(f"{index} {one}\n" for index, one in enumerate(wanted)), encoding="utf-8")
        self._state.with_name("gpus.json.log").unlink(missing_ok=True)
        environment = {
            "PATH": f"{self._folder}:{os.environ['PATH']}",
            "GPUS": str(self._state),
            "STATE_DIRECTORY": str(self._folder),
        }
        command = ["bash", str(SCRIPT), str(layout)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    def reboots(self, **changes) -> None:
        """What a reboot does: instances go, and a mode that was waiting for a reset is there."""
        gpus = [{**gpu, "instances": [], "mode": gpu["pending"], **changes} for gpu in self.gpus]
        self._state.write_text(json.dumps(gpus), encoding="utf-8")

    @property
    def gpus(self) -> list[dict]:
        return json.loads(self._state.read_text(encoding="utf-8"))

    @property
    def instances(self) -> list[list[str]]:
        return [gpu["instances"] for gpu in self.gpus]

    @property
    def log(self) -> str:
        return self._state.with_name("gpus.json.log").read_text(encoding="utf-8")


def test_every_gpu_is_divided_as_wanted(tmp_path):
    machine = Machine(tmp_path, {}, {}, {})

    found = machine.boot(HALVES, "3g.40gb:0,1g.10gb:4,1g.10gb:5", "whole")

    assert found.returncode == 0, found.stderr
    assert machine.instances == [["3g.40gb"] * 2, ["3g.40gb", "1g.10gb", "1g.10gb"], []]
    assert [gpu["mode"] for gpu in machine.gpus] == ["Enabled", "Enabled", "Disabled"]


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
    machine = Machine(tmp_path, {"mode": "Enabled", "instances": ["1g.10gb"] * 7}, {"mode": "Enabled"})

    assert machine.boot(HALVES, "whole").returncode == 0
    assert machine.instances == [["3g.40gb"] * 2, []]
    assert machine.gpus[1]["mode"] == "Disabled"


def test_a_gpu_that_switches_at_a_reset(tmp_path):
    """A100: nothing may hold the GPU open meanwhile."""
    machine = Machine(tmp_path, {"switches": "at a reset"})

    assert machine.boot(HALVES).returncode == 0
    assert machine.instances == [["3g.40gb"] * 2]
    assert machine.log.index("systemctl stop") < machine.log.index("--gpu-reset") < machine.log.index("systemctl start")


def test_where_a_reset_fails_one_reboot_and_no_second(tmp_path):
    machine = Machine(tmp_path, {"switches": "at a reboot"})

    first = machine.boot(HALVES)
    assert (first.returncode, "systemctl reboot" in machine.log) == (1, True)
    machine.reboots(mode="Disabled")
    second = machine.boot(HALVES)
    assert (second.returncode, "systemctl reboot" in machine.log) == (1, False)
    assert "after a reset and a reboot" in second.stderr


def test_a_reboot_that_helped_may_be_used_again(tmp_path):
    machine = Machine(tmp_path, {"switches": "at a reboot"})
    machine.boot(HALVES)
    machine.reboots()

    assert machine.boot(HALVES).returncode == 0
    assert not (tmp_path / "rebooted").exists()


@pytest.mark.parametrize(
    ("gpus", "wanted"),
    [
        pytest.param([{"refuses": True}], [HALVES], id="driver-refuses"),
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
