"""Files of a simulation that are cut, garbled, missing or unreadable: a line that names the file and the remedy."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from eks_accelerators.accel.simulate.command import simulate
from eks_accelerators.accel.simulate.options import Action, Options
from eks_accelerators.accel.stacks import locate
from eks_accelerators.simulator import engines
from eks_accelerators.simulator.folder import FORMAT
from tests.simulator.worlds import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("engines")]

NOW_FORMAT = {"format": FORMAT}
FURTHER = dict.fromkeys(engines.FURTHER, Path("/bin/false"))
STACK = "eks-accelerators/dev"
STACK_FILE = locate(str(PROJECT / "stacks" / "Pulumi.dev.yaml"))
FILES = [
    "simulation.json",
    "aws.jsonl",
    "aws.end",
    "passphrase",
    "seal.json",
    "workspace/Pulumi.dev.yaml",
    "pulumi/.pulumi/meta.yaml",
    f"pulumi/.pulumi/stacks/{STACK}.json",
    "kubernetes/ca.crt",
    "kubernetes/ca.key",
    "kubernetes/token",
    "kubernetes/tokens.csv",
    "kubernetes/encryption.json",
    "kubernetes/service-account.key",
    "kubernetes/etcd/member/snap/db",
]
REBUILT = {
    "kubernetes/apiserver.crt",
    "kubernetes/apiserver.key",
    "kubernetes/front-proxy-client.crt",
    "kubernetes/front-proxy-client.key",
    "kubernetes/kubeconfig",
    "kubernetes/lock",
    "lock",
    "workspace/Pulumi.yaml",
    f"pulumi/journals/{STACK}.jsonl",
}
"""Made anew by every command, or never read."""


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


def cut(part: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * part)])

    return damage


def garbled(part: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        at = min(int(len(content) * part), len(content) - 8)
        content[at : at + 8] = b"\0\xff\0\xff\0\xff\0\xff"
        path.write_bytes(content)

    return damage


DAMAGES = {
    "missing": Path.unlink,
    "unreadable": unreadable,
    "empty": cut(0),
    "cut-to-a-quarter": cut(0.25),
    "cut-in-the-middle": cut(0.5),
    "without-its-end": cut(0.97),
    "garbled-at-the-beginning": garbled(0),
    "garbled-in-the-middle": garbled(0.5),
    "garbled-at-the-end": garbled(1),
}


@pytest.fixture(scope="module")
def deployed(deployments):
    """The development stack, deployed; nobody writes to it."""
    return deployments.state("dev")


@pytest.fixture
def folder(deployed, tmp_path):
    """A copy, to be damaged. What is large is the same file, until it is."""
    copy = tmp_path / "state"
    shutil.copytree(deployed, copy, ignore=shutil.ignore_patterns("*.wal", "home"))
    for log in deployed.rglob("*.wal"):
        (copy / log.relative_to(deployed)).hardlink_to(log)
    yield copy
    shutil.rmtree(copy)


@pytest.fixture
def whole(deployed, tmp_path):
    """A copy in which servers may write."""
    shutil.copytree(deployed, tmp_path / "state")
    yield tmp_path / "state"
    shutil.rmtree(tmp_path / "state")


def refused(folder, action, capsys):
    capsys.readouterr()
    status = simulate(STACK_FILE, Options(Action(action), state=folder))
    said = capsys.readouterr()
    assert (status, said.out) == (2, "")
    return said.err


def test_every_file_of_a_simulation_is_looked_after(deployed):
    found = {str(path.relative_to(deployed)) for path in deployed.rglob("*") if path.is_file()}
    ours = {name for name in found if not name.startswith("home/")}

    assert {name for name in ours if not name.endswith(".wal")} == {*FILES, *REBUILT}


CASES = [(file, damage) for file in FILES for damage in DAMAGES if (file, damage) != ("seal.json", "missing")]
"""Without the seal: as a command that was killed leaves it."""


@pytest.mark.parametrize(("file", "damage"), CASES)
def test_a_damaged_file_is_named_with_a_remedy(folder, file, damage, capsys):
    DAMAGES[damage](folder / file)

    told = refused(folder, "up", capsys)
    assert told.count("\n") == 1, "one line"
    assert str(folder) in told
    assert Path(file).name in told
    assert any(remedy in told for remedy in ("start again with --fresh", "remove it", "choose another --state"))


@pytest.mark.parametrize("action", [each.value for each in Action])
@pytest.mark.parametrize("file", ["simulation.json", "aws.jsonl", f"pulumi/.pulumi/stacks/{STACK}.json"])
def test_every_command_refuses_it(folder, file, action, capsys, monkeypatch):
    """Before one of the further engines is started, so that any file may stand for one that is not there."""
    find = engines.optional
    monkeypatch.setattr(engines, "optional", lambda name, start=None: find(name, start) or FURTHER.get(name))
    cut(0.5)(folder / file)

    assert str(folder / file) in refused(folder, action, capsys)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param({}, "is damaged, or of another version", id="no-keys"),
        pytest.param(
            {"format": 1, "region": "us-east-2"}, "is damaged, or of another version", id="of-another-version"
        ),
        pytest.param(NOW_FORMAT | {"began": "2026-11-23T09:00:00+00:00"}, "is damaged", id="no-region"),
        pytest.param(NOW_FORMAT | {"region": "us-east-2"}, "is damaged", id="no-beginning"),
        pytest.param(NOW_FORMAT | {"region": "us-east-2", "began": "0001-01-01"}, "is damaged", id="no-moment"),
        pytest.param([], "is damaged", id="a-list"),
    ],
)
def test_a_beginning_without_a_key_is_refused_also_after_a_kill(folder, content, words, capsys):
    (folder / "seal.json").unlink()
    (folder / "simulation.json").write_text(json.dumps(content))

    told = refused(folder, "status", capsys)
    assert told.startswith(f"{folder / 'simulation.json'} {words}")
    assert told.endswith("start again with --fresh, which removes what is deployed there\n")


@pytest.mark.parametrize("file", ["kubernetes/ca.key", "kubernetes/etcd/member/snap/db"])
def test_a_control_plane_that_does_not_start_after_a_kill_is_said(whole, file, capsys):
    (whole / "seal.json").unlink()
    cut(0.1)(whole / file)

    told = refused(whole, "status", capsys)
    assert f"{whole / 'kubernetes'}: the control plane does not start; where its files are damaged, start again" in told
    assert "Traceback" not in told


def test_a_state_that_is_whole_is_taken(whole):
    assert simulate(STACK_FILE, Options(Action.STATUS, state=whole)) == 0
