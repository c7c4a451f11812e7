"""`make engines MORE=1` lays the published definitions, with a `curl` and a `go` of the test's own: nothing is downloaded."""

import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from eks_accelerators.components.charts import catalogue
from tests.simulator import published_definitions
from tests.simulator.script_worlds import ScriptWorld

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "definitions.sh"
NAMES = re.search(r"^ALL=\((.*)\)", SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)[1].split()
BESIDE_ENGINES = {"keda-operator", "karpenter"}
JOBSET = catalogue()["jobset"]["version"]
DEFINITION = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
FOLDER = Path("config") / "components" / "crd" / "bases"


class World(ScriptWorld):
    """The folder that is filled, and what `curl` and `go` give."""

    def __init__(self, folder):
        super().__init__(folder, SCRIPT)
        self.program("go", f'echo "$4" >> {folder}/asked; echo \'{{\n"Error": "no such version"\n}}\'; exit 1\n')
        self.program("curl", 'echo "curl: (6) Could not resolve host" >&2; exit 6\n')

    def source(self, text=DEFINITION):
        """JobSet's source, as its module and its archive have it: a definition, and a list of files beside it."""
        source = self.folder / "jobset-source"
        (source / FOLDER).mkdir(parents=True)
        (source / FOLDER / "jobset.yaml").write_text(text, encoding="utf-8")
        (source / FOLDER / "kustomization.yaml").write_text("resources: [jobset.yaml]\n", encoding="utf-8")
        return source

    def module(self, source):
        self.program("go", f'echo "$4" >> {self.folder}/asked; printf \'{{\\n\\t"Dir": "{source}",\\n}}\\n\'\n')

    def archive(self, source):
        with tarfile.open(self.folder / "archive.tar.gz", "w:gz") as made:
            made.add(source, "jobset-source")
        copied = (
            f'while [ $# -gt 2 ]; do shift; [ "$1" = -o ] && out=$2; done\ncp {self.folder}/archive.tar.gz "$out"\n'
        )
        self.program("curl", f'for url; do :; done; echo "$url" >> {self.folder}/asked\n{copied}')


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def laid(world):
    return {file.name for file in (world.tools / "jobset-crds").iterdir()}


def test_definitions_come_out_of_the_module_of_the_pinned_version_once(world):
    world.module(world.source())

    first, second = world.run("jobset"), world.run("jobset")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert world.asked == [f"sigs.k8s.io/jobset@v{JOBSET}"]
    assert laid(world) == {"VERSION", "jobset.yaml"}
    assert (world.tools / "jobset-crds" / "VERSION").read_text(encoding="utf-8") == f"{JOBSET}\n"
    assert second.stderr == f"jobset {JOBSET}: its definitions are there\n"
    assert [file.name for file in world.tools.iterdir()] == ["jobset-crds"]


def test_where_there_is_no_module_they_come_out_of_the_source(world):
    world.archive(world.source())

    done = world.run("jobset")

    assert done.returncode == 0, done.stderr
    assert world.asked[-1] == f"https://github.com/kubernetes-sigs/jobset/archive/refs/tags/v{JOBSET}.tar.gz"
    assert laid(world) == {"VERSION", "jobset.yaml"}


def test_those_of_another_version_are_replaced(world):
    world.module(world.source())
    (world.tools / "jobset-crds").mkdir(parents=True)
    for name, text in {"VERSION": "0.0.1\n", "gone.yaml": DEFINITION}.items():
        (world.tools / "jobset-crds" / name).write_text(text, encoding="utf-8")

    assert world.run("jobset").returncode == 0
    assert laid(world) == {"VERSION", "jobset.yaml"}


def test_what_holds_no_definition_is_not_kept(world):
    world.module(world.source("kind: ConfigMap\n"))

    done = world.run("jobset")

    assert done.returncode == 2
    assert list(world.tools.iterdir()) == []


def test_all_that_cannot_be_had_are_named_with_the_reason(world):
    done = world.run()

    assert done.returncode == 2
    assert "no such version" in done.stderr
    assert "Could not resolve host" in done.stderr
    assert done.stderr.splitlines()[-1] == f"Definitions not to be had, for the reasons above: {' '.join(NAMES)}"


def test_every_version_is_the_one_of_the_catalogue(world):
    """Each project is asked for its version there, and none is typed in the script."""
    pinned = {entry.get("operator", entry.get("version", "")).removeprefix("v") for entry in catalogue().values()}
    said = {line.split()[1].rstrip(":") for line in world.run().stderr.splitlines() if "no module" in line}

    assert said
    assert said <= pinned
    assert not re.search(
        r"\b\d+\.\d+\.\d+\b", SCRIPT.read_text(encoding="utf-8").partition("source_of()")[2].partition("}")[0]
    )


def test_those_that_tests_ask_for_are_got():
    assert set(published_definitions.GROUPS) == {*NAMES, *BESIDE_ENGINES}


def test_they_are_got_where_more_is_asked_for():
    done = subprocess.run(
        ["make", "-n", "engines", "MORE=1"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert "tools/definitions.sh" in [line.strip() for line in done]


def test_an_unknown_name_is_refused(world):
    done = world.run("job-set")

    assert done.returncode == 2
    assert "job-set: nothing has this name" in done.stderr
