from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.scripts import loaded

SCRIPT = Path(__file__).parents[2] / ".github/scripts/preview_gate.py"

CLUSTER = "aws:eks/cluster:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
CAPACITY_BLOCK = "aws:ec2/capacityBlockReservation:CapacityBlockReservation"


@pytest.fixture(scope="module")
def gate() -> ModuleType:
    return loaded(SCRIPT)


def urn(kind: str, name: str = "main") -> str:
    return f"urn:pulumi:dev::eks-accelerators::eks-accelerators:index:Fleet${kind}::{name}"


@pytest.fixture
def judge(gate: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.delenv("ALLOW_REPLACEMENT", raising=False)

    def run(preview: object, *, allow: str | None = None) -> tuple[int, str]:
        path = tmp_path / "preview.json"
        path.write_text(preview if isinstance(preview, str) else json.dumps(preview), encoding="utf-8")
        if allow is not None:
            monkeypatch.setenv("ALLOW_REPLACEMENT", allow)
        return gate.main(str(path)), (tmp_path / "summary.md").read_text(encoding="utf-8")

    return run


def step(op: str, kind: str, name: str = "main") -> dict[str, str]:
    return {"op": op, "urn": urn(kind, name)}


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        *[(op, kind) for kind in (CLUSTER, NODE_GROUP) for op in ("delete", "replace", "create-replacement")],
        *[("delete-replaced", kind) for kind in (CLUSTER, NODE_GROUP, CAPACITY_BLOCK)],
        *[(op, CAPACITY_BLOCK) for op in ("create", "replace", "create-replacement", "import-replacement")],
    ],
)
def test_refused_without_the_label(judge, op: str, kind: str) -> None:
    preview = {"steps": [step("same", "aws:ec2/vpc:Vpc"), step(op, kind)], "changeSummary": {"same": 1}}
    status, summary = judge(preview)
    assert status == 1
    assert f"`{kind}` `main` | {op} |" in summary
    assert "allow-replacement" in summary

    status, summary = judge(preview, allow="true")
    assert status == 0
    assert "Allowed by the label." in summary


@pytest.mark.parametrize(
    ("op", "kind"),
    [
        *[(op, kind) for kind in (CLUSTER, NODE_GROUP) for op in ("create", "update", "same", "read", "import")],
        *[(op, CAPACITY_BLOCK) for op in ("update", "same", "import", "delete")],
        *[(op, "aws:ec2/vpc:Vpc") for op in ("create", "replace", "delete")],
        ("replace", "eks-accelerators:index:Cluster"),
    ],
)
def test_everything_else_passes(judge, op: str, kind: str) -> None:
    assert judge({"steps": [step(op, kind)]})[0] == 0


def test_label_set_to_anything_else_is_no_label(judge) -> None:
    assert judge({"steps": [step("replace", CLUSTER)]}, allow="false")[0] == 1


def test_the_three_steps_of_one_replacement_are_one_row(judge) -> None:
    ops = ["create-replacement", "replace", "delete-replaced"]
    _, summary = judge({"steps": [step(op, NODE_GROUP) for op in ops]})
    assert "| create-replacement, replace, delete-replaced |" in summary


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (urn(CLUSTER), CLUSTER),
        (f"urn:pulumi:dev::p::{CLUSTER}::main", CLUSTER),
        (f"urn:pulumi:dev::p::a:b:C$d:e:F${CLUSTER}::main", CLUSTER),
        # A name may hold the separator, and a type: neither makes another resource a cluster, nor hides one.
        (f"urn:pulumi:dev::p::aws:ec2/vpc:Vpc::x::${CLUSTER}::y", "aws:ec2/vpc:Vpc"),
        (f"urn:pulumi:dev::p::{CLUSTER}::x::$aws:ec2/vpc:Vpc::y", CLUSTER),
        ("nonsense", ""),
    ],
)
def test_type_of(gate: ModuleType, text: str, kind: str) -> None:
    assert gate.type_of(text) == kind


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"diagnostics": [{"severity": "warning"}]}'])
def test_no_preview_is_no_permission(judge, text: str) -> None:
    status, summary = judge(text, allow="true")
    assert status == 2
    assert "No preview to judge" in summary


def test_a_missing_file_is_no_permission(gate: ModuleType, tmp_path: Path) -> None:
    assert gate.main(str(tmp_path / "absent.json")) == 2


def test_errors_of_the_program_are_shown(judge) -> None:
    diagnostics = [{"severity": "info", "message": "hello"}, {"severity": "error", "message": "no such zone\n"}]
    status, summary = judge({"diagnostics": diagnostics})
    assert status == 2
    assert "no such zone" in summary
    assert "hello" not in summary


def test_no_changes(judge) -> None:
    assert judge({"changeSummary": {"same": 40}}) == (0, "Changes: none\n")
