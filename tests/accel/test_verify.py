"""`accel verify` as people and programs call it: what it prints, its exit status, and whom it asks."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.registry import schema_of
from eks_accelerators.accel.reports.verify import VerifyReport
from eks_accelerators.accel.verify.block_watch import groups_of, only
from eks_accelerators.accel.verify.command import counts_of, status_of
from eks_accelerators.accel.verify.connection import VerifyRefusedError
from eks_accelerators.accel.verify.junit import junit
from eks_accelerators.simulator.local_server import LocalServer
from eks_accelerators.verification.device_checks import Level
from eks_accelerators.verification.effort import effort_of, usd_of
from tests.accel.nasty import NASTY, unseen
from tests.accel.plans import ROOT
from tests.replies import reply
from tests.settings.example import RESERVED
from tests.verification.http_cluster import kubeconfig as of_cluster
from tests.verification.test_faults_found import EIGHT, ONE, SHARED
from tests.verification.worlds import PaperCluster, stack_of, verification, verified


def report(findings, **changes):
    made = {
        "stack": "dev",
        "cluster": "https://127.0.0.1:6443",
        "simulated": True,
        "level": Level.QUICK,
        "began": datetime(2026, 11, 22, 12, tzinfo=UTC),
        "seconds": 41,
        "usd": Decimal("0.0111"),
        "ok": not any(each.severity.failed for each in findings),
        "counts": counts_of(findings),
        "findings": findings,
    }
    return VerifyReport(**{**made, **changes})


BROKEN = report(verified(SHARED, "xid=79:gpu", "throttle"))
WELL = report(verified(ONE, number_of_servers=0))
EMPTY = report(verified({"nodeGroups.gpu.size": {"desired": 0, "max": 2}, "workloads": {}}, nodes=0))


@pytest.mark.parametrize("form", [Format.TEXT, Format.MARKDOWN])
def test_what_is_wrong_comes_first_with_its_next_step(form, capsys, snapshot):
    emit(BROKEN, form)

    assert capsys.readouterr().out == snapshot


def test_everything_is_shown_where_that_is_asked(capsys, snapshot):
    emit(WELL, Format.TEXT, Detail.EVERYTHING)

    assert capsys.readouterr().out == snapshot


def test_the_json_is_what_the_schema_allows():
    for each in (BROKEN, WELL, EMPTY):
        jsonschema.validate(each.as_data(), schema_of("verify"))


@pytest.mark.parametrize(
    ("made", "strict", "status"),
    [
        (BROKEN, False, ExitStatus.REFUSED),
        (WELL, False, ExitStatus.DONE),
        (WELL, True, ExitStatus.UNKNOWN),
        (EMPTY, False, ExitStatus.UNKNOWN),
    ],
)
def test_the_exit_status(made, strict, status):
    assert status_of(made, strict=strict) == status


def test_junit_has_a_case_for_each_finding():
    suite = ET.fromstring(junit(BROKEN))[0]

    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == "1"
    assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
    assert suite.get("tests") == str(len(suite)) == str(len(BROKEN.findings))
    (case,) = [each for each in suite if each.find("failure") is not None]
    assert case.get("name") == "gpu-xid"
    assert case.find("failure").get("type") == "reboot"
    assert "gpu-count" in case.find("failure").text
    assert "(EKS node monitoring agent; NVIDIA XID catalogue)" in case.find("failure").text
    assert "(docs/runbooks/replace-a-gpu-node.md)" in case.find("failure").text


def test_text_of_others_does_nothing_in_any_form(capsys):
    (first, *_) = BROKEN.findings
    odd = [first.model_copy(update={"where": text, "found": text, "evidence": (text,)}) for text in NASTY.values()]
    made = BROKEN.model_copy(update={"findings": tuple(odd)})

    emit(made, Format.TEXT, Detail.EVERYTHING)
    emit(made, Format.MARKDOWN)

    assert not unseen(capsys.readouterr().out)
    ET.fromstring(junit(made))


def test_thorough_says_how_long_it_takes_and_what_that_costs():
    stack = stack_of(EIGHT)
    cluster = PaperCluster(stack, nodes=2)
    run = verification(stack, cluster, Level.THOROUGH)

    effort = effort_of(Level.THOROUGH, run.scope())

    assert effort.nodes == 2
    assert effort.usd == pytest.approx(Decimal("55.04") * 2 * effort.seconds / 3600)
    assert usd_of(run.scope().nodes(), "eu-west-9", effort.seconds) is None


REFUSED = {
    "no such level": (["--level", "deep"], 2, "'deep' is none of api, quick, standard, thorough"),
    "a fault of a real cluster": (["--fault", "lost-gpu"], 2, "--fault is for a simulation"),
    "no kubeconfig": (["--kubeconfig", "/nowhere/config"], 3, "/nowhere/config"),
    "a block that is not the stack's": (["--watch-block", "training"], 2, "no Capacity Block called 'training'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_said(case):
    options, status, said = REFUSED[case]

    found = CliRunner().invoke(app, ["verify", "dev", *options])

    assert found.exit_code == status
    assert said in found.output.replace("\n", " ")


def test_of_a_fault_that_there_is_not_those_that_there_are_are_said(tmp_path):
    found = CliRunner().invoke(app, ["--simulation", str(tmp_path), "verify", "dev", "--fault", "xids=79:l4-shared"])
    said = found.output.replace("\n", " ")

    assert found.exit_code == 2
    assert "--fault xids=79:l4-shared: found 'xids'; allowed: xid, " in said
    assert said.rstrip().endswith("write xid=79:GROUP"), "how one is written"


def test_the_help_leads_to_the_page_of_faults():
    said = CliRunner().invoke(app, ["verify", "--help"], env={"COLUMNS": "200"}).output

    assert "docs/faults.md" in said
    assert (ROOT / "docs" / "faults.md").is_file()


def test_in_a_simulation_there_is_no_kubeconfig(tmp_path):
    found = CliRunner().invoke(app, ["--simulation", str(tmp_path), "verify", "dev", "--kubeconfig", "x"])
    assert (found.exit_code, "--kubeconfig and --context are of a real cluster" in found.output) == (2, True)

    found = CliRunner().invoke(app, ["--simulation", str(tmp_path / "none"), "verify", "dev"])
    assert (found.exit_code, "there is no simulation; make one with `accel simulate dev up`" in found.output) == (
        2,
        True,
    )


def test_the_groups_of_a_block():
    stack = stack_of(RESERVED)

    assert list(only(stack, groups_of(stack, "block")).groups) == ["gpu"]
    with pytest.raises(VerifyRefusedError, match="did you mean block"):
        groups_of(stack, "blok")


@pytest.fixture
def api():
    """An API server that knows one token, and has no node."""

    def answer(_method, _path, headers, _body):
        if headers.get("Authorization") == "Bearer made-by-a-command":
            return reply({"items": []})
        return reply({"kind": "Status", "message": "Unauthorized"}, 401)

    with LocalServer(answer, "API server") as server:
        yield f"http://{server.address}"


def kubeconfig(folder, url, token):
    """One whose token a command makes, as `aws eks update-kubeconfig` writes it."""
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "kind": "ExecCredential",
        "status": {"token": token},
    }
    user = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1beta1",
            "command": "echo",
            "args": [json.dumps(credential)],
        }
    }
    return of_cluster(folder, url, user)


@pytest.mark.parametrize(
    ("token", "status", "said"),
    [
        ("made-by-a-command", 2, "l4-shared: no node [nodes-present]"),
        ("another", 3, "the API server does not know who you are (401)"),
    ],
)
def test_a_kubeconfig_whose_token_a_command_makes(tmp_path, api, monkeypatch, token, status, said):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    file = kubeconfig(tmp_path, api, token)

    found = CliRunner().invoke(app, ["verify", "dev", "--level", "api", "--kubeconfig", str(file)])

    assert found.exit_code == status
    assert said in found.output


def test_nobody_answers(tmp_path):
    file = kubeconfig(tmp_path, "http://127.0.0.1:9", "token")

    found = CliRunner().invoke(app, ["verify", "dev", "--level", "api", "--kubeconfig", str(file)])

    assert (found.exit_code, "the API server does not answer" in found.output) == (3, True)
