"""`accel monitoring dashboards`: files for a Grafana that is there."""

import json

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.exit_status import ExitStatus
from tests.accel.plans import write_stack


@pytest.fixture
def ask(tmp_path):
    """Ask for the dashboards of a stack; they go into the folder `out`."""

    def run(*options, patch=None):
        write_stack(tmp_path, patch or {})
        file = tmp_path / "Pulumi.test.yaml"
        words = ["monitoring", "dashboards", str(file), "--output", str(tmp_path / "out"), *options]
        return CliRunner().invoke(app, words), tmp_path / "out"

    return run


def test_each_dashboard_is_a_file_that_grafana_imports(ask):
    done, folder = ask("--json")

    assert done.exit_code == ExitStatus.DONE, done.output
    said = json.loads(done.stdout)
    assert [made["name"] for made in said["dashboards"]] == [
        f"accelerators-{name}" for name in ("fleet", "gpu", "servers", "training", "cost")
    ]
    assert said["leftOut"] == []
    for made in said["dashboards"]:
        assert json.loads((folder / f"{made['name']}.json").read_text())["uid"] == made["name"]


def test_what_is_not_scraped_is_not_shown_and_named(ask):
    done, folder = ask("--without", "keda", "--without", "dcgm-exporter")

    assert done.exit_code == ExitStatus.DONE
    assert "not shown: servers: What the autoscaler sees: nobody scrapes keda" in done.stdout
    assert not (folder / "accelerators-gpu.json").exists()


def test_pages_are_linked_where_they_are(ask):
    _, folder = ask("--runbooks", "https://example.com/pages")

    assert "(https://example.com/pages/replace-a-gpu-node.md)" in (folder / "accelerators-fleet.json").read_text()


def test_an_unknown_exporter_is_refused_with_those_that_there_are(ask):
    done, folder = ask("--without", "node-exporter")

    assert done.exit_code == ExitStatus.REFUSED
    assert "found node-exporter; allowed: dcgm-exporter, vllm, triton, neuron-monitor" in done.stderr
    assert not folder.exists()


def test_a_stack_that_is_wrong_is_refused_and_nothing_written(ask):
    done, folder = ask(patch={"nodeGroups.gpu.instanceType": "g6.2xlarg"})

    assert done.exit_code == ExitStatus.REFUSED
    assert "nodeGroups.gpu.instanceType" in done.stderr
    assert not folder.exists()


def test_a_folder_that_is_a_file_is_refused(ask, tmp_path):
    (tmp_path / "out").write_text("")

    done, _ = ask()

    assert done.exit_code == ExitStatus.REFUSED
    assert "cannot be written" in done.stderr


def test_a_stack_without_accelerators_has_none(ask):
    done, folder = ask(patch={"nodeGroups": {}, "workloads": {}})

    assert done.exit_code == ExitStatus.DONE
    assert "No dashboard concerns the stack test" in done.stdout
    assert not folder.exists()
