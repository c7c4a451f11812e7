"""`make engines`, with a `curl` and a `go` of the test's own: nothing is downloaded or built."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from eks_accelerators.simulator import engines
from tests.simulator.script_worlds import ScriptWorld

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "engines.sh"
KWOK = re.search(r"sigs\.k8s\.io/kwok (v\S+)", (ROOT / "tools" / "kwok" / "go.mod").read_text())[1]
HELM = re.search(r"helm\.sh/helm/v3 (v\S+)", (ROOT / "tools" / "helm" / "go.mod").read_text())[1]
PROMETHEUS = re.search(r"prometheus/prometheus v0\.3(\S+)", (ROOT / "tools" / "prometheus" / "go.mod").read_text())[1]
KEDA = re.search(r"kedacore/keda/v2 (v\S+)", (ROOT / "tools" / "keda" / "go.mod").read_text())[1]
AUTOSCALER = re.search(
    r"k8s\.io/autoscaler/cluster-autoscaler v\S+", (ROOT / "tools" / "cluster-autoscaler" / "go.mod").read_text()
)[0]
"""Module and version."""
KUBERNETES = re.search(r"k8s\.io/kubernetes (v\S+)", (ROOT / "tools" / "kubernetes" / "go.mod").read_text())[1]
SYSTEM = "darwin" if sys.platform == "darwin" else "linux"
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
SCHEDULER = "kube-scheduler"


def says(version):
    """A program that knows its version."""
    return f"#!/bin/sh\necho version {version}\n"


class World(ScriptWorld):
    """The folder that is filled, and what `curl` and `go` give."""

    def __init__(self, folder):
        super().__init__(folder, SCRIPT)
        self.published = folder / "published"
        self.published.mkdir()
        # The last argument is the address, the one before it the file.
        self.program(
            "curl",
            'while [ $# -gt 2 ]; do shift; [ "$1" = -o ] && out=$2; done\n'
            f'file={self.published}/$(basename "$2"); echo "$2" >> {folder}/asked\n'
            '[ -f "$file" ] || { echo "curl: (6) Could not resolve host" >&2; exit 6; }\n'
            'cp "$file" "$out"\n',
        )

    def publish(self, name, text, sums=None):
        (self.published / name).write_text(text)
        if sums is not None:
            (self.published / f"{name}.sha256").write_text(sums)

    def go(self, version):
        """A `go` that builds programs of this version."""
        build = 'while [ "$1" != -o ]; do shift; done\n'
        self.program("go", f'{build}printf \'#!/bin/sh\\necho version {version}\\n\' > "$2"; chmod +x "$2"\n')

    def go_with(self, text, definitions):
        """A `go` that builds programs with this in them, of a module with these definitions.

        As the real one, it names no folder of a module that was not downloaded.
        """
        module, downloaded = self.bin / "module", self.bin / "downloaded"
        (module / "config" / "crd" / "bases").mkdir(parents=True)
        for name in definitions:
            (module / "config" / "crd" / "bases" / name).write_text("kind: CustomResourceDefinition\n")
        build = f'while [ "$1" != -o ]; do shift; done\nprintf \'{text}\' > "$2"; chmod +x "$2"\n'
        self.program(
            "go",
            f'case "$1" in\n'
            f"  mod) touch {downloaded}; exit ;;\n"
            f"  list) if [ -f {downloaded} ]; then echo {module}; fi; exit ;;\n"
            f"esac\n{build}",
        )


@pytest.fixture
def world(tmp_path):
    found = World(tmp_path)
    found.program("go", "echo go: no modules >&2; exit 1\n")
    return found


def test_what_is_published_is_downloaded_once(world):
    world.publish(f"kwok-{SYSTEM}-{MACHINE}", says(KWOK))

    first, second = world.run("kwok"), world.run("kwok")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert os.access(world.tools / "kwok", os.X_OK)
    assert [file.name for file in world.tools.iterdir()] == ["kwok"]
    assert len(world.asked) == 1
    assert second.stderr == f"kwok {KWOK}: is there\n"


ENGINES = re.search(r"^ALL=\((.*)\)", SCRIPT.read_text(), re.MULTILINE)[1].split()


def test_what_is_to_be_got_and_how_long_it_takes_is_said_before_anything_is_asked(world):
    """In seconds and minutes of a build; what is there is not counted."""
    world.tools.mkdir()
    (world.tools / "kwok").write_text(says(KWOK))
    (world.tools / "kwok").chmod(0o755)

    lines = world.run("etcd", "kwok", SCHEDULER, "pulumi").stderr.splitlines()

    assert lines[:5] == [
        "Engines to get, each downloaded, or else built with Go, which takes about 3 min on two cores, once:",
        "  etcd 17 s",
        f"  {SCHEDULER} 5 s",
        "  pulumi 3 min",
        "Meanwhile, in another terminal, `make plan` shows what a stack would create and cost: it needs none of them.",
    ]
    assert lines[5].endswith(": downloading ...")
    assert any("building it with Go: about 17 s the first time" in line for line in lines)


def test_every_engine_has_a_measured_time(world):
    asked = [*ENGINES, "helm", *engines.FURTHER]

    lines = world.run(*asked).stderr.partition("Meanwhile")[0].splitlines()[1:]

    assert [line.split()[0] for line in lines] == asked
    assert all(int(line.split()[1]) > 0 for line in lines)


def test_where_none_is_named_pulumi_comes_first_and_all_of_the_simulation_follow(world):
    lines = world.run().stderr.partition("Meanwhile")[0].splitlines()[1:]

    assert [line.split()[0] for line in lines] == ENGINES == list(engines.ENGINES)


def test_an_engine_on_path_at_its_version_is_left_there(world):
    world.program("kwok", f"echo version {KWOK}\n")

    done = world.run("kwok")

    assert (done.returncode, world.asked) == (0, [])
    assert done.stderr == f"kwok {KWOK}: is there, as {world.bin}/kwok\n"


def test_one_of_another_version_on_path_is_not_enough(world):
    world.program("kwok", "echo version v0.0.1\n")
    world.publish(f"kwok-{SYSTEM}-{MACHINE}", says(KWOK))

    assert world.run("kwok").returncode == 0
    assert (world.tools / "kwok").read_text() == says(KWOK)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "tools/engines.sh"),
        (["ARGS=preview"], "tools/engines.sh pulumi"),
        (["ARGS=up --fresh"], "tools/engines.sh"),
        (["STACK=prod", "ARGS=preview --json"], "tools/engines.sh pulumi"),
    ],
)
def test_a_simulation_gets_what_it_needs(arguments, expected):
    """What `make` would run, told without running it."""
    done = subprocess.run(["make", "-n", "simulate", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)

    assert [line.strip() for line in done.stdout.splitlines() if line.startswith("tools/")] == [expected]


def test_an_engine_of_another_version_is_replaced(world):
    world.tools.mkdir()
    (world.tools / "kwok").write_text(says(f"{KWOK}0"))
    (world.tools / "kwok").chmod(0o755)
    world.publish(f"kwok-{SYSTEM}-{MACHINE}", says(KWOK))

    assert world.run("kwok").returncode == 0
    assert (world.tools / "kwok").read_text() == says(KWOK)


def test_a_checksum_is_held_and_then_go_builds(world):
    wrong = hashlib.sha256(b"another").hexdigest()
    world.publish(SCHEDULER, says(KUBERNETES), sums=wrong)
    world.go(KUBERNETES)

    done = world.run(SCHEDULER)

    assert done.returncode == 0, done.stderr
    assert f"the checksum of {SCHEDULER} is not the published one" in done.stderr
    assert "building it with Go" in done.stderr
    assert "version" in (world.tools / SCHEDULER).read_text()


def test_the_right_checksum_is_accepted(world):
    world.publish(SCHEDULER, says(KUBERNETES), sums=hashlib.sha256(says(KUBERNETES).encode()).hexdigest())

    done = world.run(SCHEDULER)

    assert done.returncode == 0, done.stderr
    assert "building" not in done.stderr
    assert world.asked[0] == f"https://dl.k8s.io/{KUBERNETES}/bin/{SYSTEM}/{MACHINE}/{SCHEDULER}"


@pytest.mark.parametrize("page", ["<html>sign in to the network</html>", says("v0.0.1")])
def test_what_is_no_such_engine_is_not_kept(world, page):
    world.publish(f"kwok-{SYSTEM}-{MACHINE}", page)

    done = world.run("kwok")

    assert done.returncode == 2
    assert list(world.tools.iterdir()) == []


def test_all_that_cannot_be_had_are_named_with_the_reason(world):
    world.publish(f"kwok-{SYSTEM}-{MACHINE}", says(KWOK))

    done = world.run("etcd", "kwok", SCHEDULER)

    assert done.returncode == 2
    assert "Could not resolve host" in done.stderr
    assert "go: no modules" in done.stderr
    assert done.stderr.splitlines()[-1] == f"Not to be had, for the reasons above: etcd {SCHEDULER}"
    assert [file.name for file in world.tools.iterdir()] == ["kwok"]


def test_helm_is_got_where_it_is_asked_for(world):
    world.go(HELM)

    done = world.run("helm")

    assert done.returncode == 0, done.stderr
    assert world.asked == [f"https://get.helm.sh/helm-{HELM}-{SYSTEM}-{MACHINE}.tar.gz"]
    assert not re.search(r"^ALL=.*helm", SCRIPT.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", ["promtool", "prometheus"])
def test_both_programs_of_prometheus_have_the_version_of_its_releases(world, name):
    """That of the module is another: v0.315.0 is 3.15.0."""
    version = f"3.{PROMETHEUS}"
    world.go(version)

    done = world.run(name)

    assert done.returncode == 0, done.stderr
    assert world.asked[0].endswith(
        f"/prometheus/releases/download/v{version}/prometheus-{version}.{SYSTEM}-{MACHINE}.tar.gz"
    )


def test_the_definitions_of_an_operator_come_with_it(world):
    """Its program does not say its version, and has it in it."""
    world.go_with(f"mod\\tgithub.com/kedacore/keda/v2\\t{KEDA}\\th1:sum", ["keda.sh_scaledobjects.yaml"])

    first, second = world.run("keda-operator"), world.run("keda-operator")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert second.stderr == f"keda-operator {KEDA}: is there\n"
    beside = world.tools / "keda-operator-crds"
    assert (beside / "VERSION").read_text() == f"{KEDA}\n"
    assert (beside / "keda.sh_scaledobjects.yaml").exists()
    assert sorted(file.name for file in world.tools.iterdir()) == ["keda-operator", "keda-operator-crds"]


@pytest.mark.parametrize("damage", ["no definitions", "definitions of another version", "another version"])
def test_an_operator_without_its_definitions_is_built_again(world, damage):
    world.go_with(f"mod\\tgithub.com/kedacore/keda/v2\\t{KEDA}\\th1:sum", ["keda.sh_scaledobjects.yaml"])
    world.run("keda-operator")
    beside = world.tools / "keda-operator-crds"
    if damage == "no definitions":
        shutil.rmtree(beside)
    elif damage == "definitions of another version":
        (beside / "VERSION").write_text("v2.0.0\n")
    else:
        (world.tools / "keda-operator").write_text(f"mod\tgithub.com/kedacore/keda/v2\t{KEDA}0\th1:sum")

    done = world.run("keda-operator")

    assert "building it with Go" in done.stderr
    assert done.stderr.endswith(": done\n")
    assert (beside / "VERSION").read_text() == f"{KEDA}\n"


def test_a_program_of_another_version_is_not_kept(world):
    world.go_with("mod\\tgithub.com/kedacore/keda/v2\\tv2.0.0\\th1:sum", ["keda.sh_scaledobjects.yaml"])

    assert world.run("keda-operator", "keda-metrics-server").returncode == 2
    assert list(world.tools.iterdir()) == []


def test_cluster_autoscaler_is_built_without_the_constant_that_no_flag_changes(world):
    """Its AWS provider reads its scaling groups every minute; a file of ours makes that a variable."""
    source = world.bin / "module" / "cloudprovider" / "aws" / "aws_manager.go"
    source.parent.mkdir(parents=True)
    constants = "package aws\n\nconst (\n\tother = 1\n\trefreshInterval         = 1 * time.Minute\n)\n"
    source.write_text(constants)
    copied = world.tools / ".new" / "cluster-autoscaler-module" / "cloudprovider" / "aws"
    world.program(
        "go",
        f'[ "$1" = list ] && {{ echo {world.bin / "module"}; exit; }}\n[ "$1" = mod ] && exit\n'
        'case "$*" in *"-modfile "*cluster-autoscaler.mod*) ;; *) exit 1 ;; esac\n'
        'while [ "$1" != -o ]; do shift; done\n'
        f'{{ printf "mod\\t%s\\t%s\\n" {AUTOSCALER}; cat {copied}/*.go; }} > "$2"; chmod +x "$2"\n',
    )

    first, second = world.run("cluster-autoscaler"), world.run("cluster-autoscaler")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert second.stderr.endswith(": is there\n")
    built = (world.tools / "cluster-autoscaler").read_text()
    assert "refreshInterval         =" not in built
    assert "other = 1" in built
    assert "var refreshInterval = func()" in built
    assert source.read_text() == constants
    assert [file.name for file in world.tools.iterdir()] == ["cluster-autoscaler"]


def test_further_engines_are_got_where_more_is_asked_for():
    done = subprocess.run(
        ["make", "-n", "engines", "MORE=1"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    asked = next(line for line in done if "promtool" in line).split()
    assert sorted(asked[asked.index("tools/engines.sh") + 1 :]) == sorted(engines.FURTHER)


def test_an_unknown_name_is_refused(world):
    done = world.run("kwock")

    assert done.returncode == 2
    assert "kwock: no engine has this name" in done.stderr
