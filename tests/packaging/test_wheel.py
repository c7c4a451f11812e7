"""The wheel, installed elsewhere, serves a project that lies elsewhere: code and data, without the working tree."""

import json
import shutil
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, text
from tests.packaging.outside import Outside, shown, write

pytestmark = pytest.mark.slow  # it is built and installed

NAME = "eks_accelerators"
_UNDER_MOCKS = """
import json, runpy
import pulumi

registered = []

class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        registered.append([args.typ, args.name, args.inputs])
        return f"{args.name}-id", args.inputs

    def call(self, args):
        return {}

pulumi.runtime.set_all_config({"gpu-sharing:kubeContext": "my-context"})
pulumi.runtime.set_mocks(Mocks(), project="gpu-sharing", stack="dev", preview=False)

@pulumi.runtime.test
def run():
    runpy.run_path("__main__.py", run_name="__main__")

run()
print(json.dumps(registered))
"""
_ASKED = """
import json, sys
from eks_accelerators import accelerators, capacity, components, settings, simulator
from eks_accelerators.accelerators import data
from eks_accelerators.components import charts, mig_user_data
from eks_accelerators.settings.releases import RELEASES
from eks_accelerators.simulator.kubernetes import servers

print(json.dumps({
    "packages": [each.__file__ for each in (accelerators, capacity, components, settings, simulator)],
    "path": sys.path,
    "facts": len(data.load("instance-types")["instance_types"]),
    "charts": {each.chart: len(charts.values_of(each.chart, {})) for each in RELEASES},
    "script": mig_user_data._SOURCE.read_text(encoding="utf-8"),
    "stages": sorted(path.name for path in servers.STAGES.iterdir()),
    "typed": (__import__("pathlib").Path(components.__file__).parents[1] / "py.typed").is_file(),
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by the installed hatchling from the working tree; nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def outside(wheel, tmp_path_factory):
    """The wheel in a fresh folder, and a project with a stack and the program of this repository."""
    folder = tmp_path_factory.mktemp("elsewhere")
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--no-compile", "--target"]
    subprocess.run([*install, str(folder / "installed"), str(wheel)], check=True, capture_output=True)
    stack = text(ROOT / "stacks" / "Pulumi.dev.yaml")
    project = "name: eks-accelerators\nruntime: python\nstackConfigDir: stacks\n"
    files = {"Pulumi.yaml": project, "__main__.py": text(ROOT / "__main__.py"), "stacks/Pulumi.dev.yaml": stack}
    write(folder / "project", files)
    return Outside(folder / "installed", folder / "project")


def said(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_one_name_is_all_that_the_wheel_adds(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = message_from_string(archive.read(f"{NAME}-0.1.0.dist-info/METADATA").decode())

    assert {name.partition("/")[0] for name in names} == {NAME, f"{NAME}-0.1.0.dist-info"}
    assert f"{NAME}/py.typed" in names
    assert [name for name in names if name.startswith(f"{NAME}/tests") or name.endswith(".pyc")] == []
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE"]


def test_every_tracked_file_of_the_package_is_in_the_wheel(wheel):
    """A file of data that the wheel lacks is missed by its users only."""
    listed = ["git", "ls-files", NAME, "components", "charts-values"]
    tracked = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    wanted = {name if name.startswith(f"{NAME}/") else f"{NAME}/{name}" for name in tracked} - {f"{NAME}/components"}

    with zipfile.ZipFile(wheel) as archive:
        assert wanted - set(archive.namelist()) == set()


def test_code_and_data_are_those_of_the_wheel(outside):
    asked = said(outside.python("-c", _ASKED))

    assert [file for file in asked["packages"] if not Path(file).is_relative_to(outside.installed)] == []
    assert str(ROOT) not in asked["path"]
    assert asked["facts"] > 50
    assert min(asked["charts"].values()) > 0
    assert asked["script"].startswith("#!")
    assert asked["stages"]
    assert asked["typed"]


def test_the_program_on_the_page_runs_under_the_mocks_of_the_sdk(outside, tmp_path):
    files = shown("outside project")
    assert set(files) == {"Pulumi.yaml", "__main__.py"}
    write(tmp_path, {**files, "run.py": _UNDER_MOCKS})

    registered = said(Outside(outside.installed, tmp_path).python("run.py"))

    releases = {name: inputs["chart"] for kind, name, inputs in registered if kind.endswith(":Release")}
    assert releases == {"plugin": "nvidia-device-plugin", "metrics": "dcgm-exporter"}
    kinds = {kind for kind, _, _ in registered}
    assert {"eks-accelerators:index:NvidiaDevicePlugin", "eks-accelerators:index:DcgmExporter"} <= kinds
    (configurations,) = [inputs["data"] for kind, _, inputs in registered if kind.endswith(":ConfigMap")]
    assert set(configurations) == {"exclusive", "time-slicing-4"}


@pytest.mark.parametrize("command", ["check", "plan"])
def test_a_stack_file_is_answered_as_in_the_repository(outside, command):
    there = said(outside.accel(command, "dev", "--json"))
    here = subprocess.run(
        [sys.executable, "-m", "eks_accelerators.accel", command, "dev", "--json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert {key for key, value in there.items() if value != json.loads(here.stdout)[key]} <= {"file"}
    assert there["nodeGroups"]


def test_a_mistake_is_answered_there_too(outside):
    broken = outside.project / "stacks" / "Pulumi.broken.yaml"
    shutil.copy(outside.project / "stacks" / "Pulumi.dev.yaml", broken)
    broken.write_text(broken.read_text().replace("replicas: 4", "replicas: 10"))

    answered = outside.accel("check", "broken")

    assert (answered.returncode, "[workload-memory]" in answered.stdout) == (2, True), answered.stderr
