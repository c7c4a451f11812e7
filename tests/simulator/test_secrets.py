"""A secret is where it belongs, and nowhere else: not in state, journal, logs, events, messages or other objects."""

import base64
from pathlib import Path
from typing import Any

import pulumi
import pytest

from eks_accelerators.monitoring.receivers import SLACK_SECRET
from eks_accelerators.simulator.engine import Program
from eks_accelerators.simulator.providers.faults import Fault
from eks_accelerators.simulator.pulumi_command import PulumiCommand
from eks_accelerators.simulator.simulation import opened
from tests.simulator.worlds import NOW, load, simulation

pytestmark = pytest.mark.slow

CANARY = "hf_canary_0123456789abcdef"
KEY = "eks-accelerators:huggingFaceToken"
FORMS = [CANARY.encode(), base64.b64encode(CANARY.encode()).rstrip(b"=")[:-1]]
"""In clear, and as Kubernetes writes it; the last digits of base64 depend on what follows."""


def leaks(folder: Path) -> list[str]:
    """Files below ``folder`` that hold the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path.relative_to(folder)) for path in files if any(form in path.read_bytes() for form in FORMS)]


def objects(sim: Any) -> list[dict[str, Any]]:
    """Everything in the cluster of the kinds that could carry one."""
    kinds = [("v1", kind) for kind in ("ConfigMap", "Event", "Pod", "Secret", "Service", "ServiceAccount")]
    found = []
    for version, kind in [*kinds, ("apps/v1", "Deployment"), ("apps/v1", "ReplicaSet")]:
        found += [{"kind": kind, **obj} for obj in sim.cluster.api.list(version, kind)]
    return found


@pytest.fixture
def stack(tmp_path):
    made = load(tmp_path, "dev")
    made.program.secrets[KEY] = CANARY  # type: ignore[index]
    return made


@pytest.mark.parametrize(
    ("name", "key", "holder"),
    [
        pytest.param("dev", KEY, "llama-hugging-face", id="token"),
        pytest.param(
            "staging", "eks-accelerators:slackWebhook", SLACK_SECRET, id="webhook", marks=pytest.mark.thorough
        ),
    ],
)
def test_a_secret_is_in_its_secret_and_nowhere_else(engines, tmp_path, name, key, holder):
    stack = load(tmp_path, name)
    assert key in stack.program.secrets
    stack.program.secrets[key] = CANARY  # type: ignore[index]
    heard: list[str] = []
    with simulation(tmp_path, engines, stack) as sim:
        outcome = sim.run("up", stack.program, listen=lambda event: heard.append(str(vars(event))))
        assert outcome.ok, outcome.errors
        holders = [obj for obj in objects(sim) if any(form.decode() in str(obj) for form in FORMS)]
        told = [*heard, *(text for _, text in outcome.messages), str(outcome.outputs)]

        assert [(obj["kind"], obj["metadata"]["name"]) for obj in holders] == [("Secret", holder)]
        assert [text for text in told if any(form.decode() in text for form in FORMS)] == []
        assert leaks(tmp_path) == []
    assert leaks(tmp_path) == []


@pytest.mark.thorough
@pytest.mark.parametrize("type_name", ["Secret", "Deployment"])
def test_a_failure_does_not_tell_it(engines, tmp_path, stack, type_name):
    heard: list[str] = []
    with simulation(tmp_path, engines, stack) as sim:
        faults = [Fault(type_name)]
        outcome = sim.run("up", stack.program, faults=faults, listen=lambda event: heard.append(str(vars(event))))

    assert not outcome.ok
    assert [text for text in [*heard, *outcome.errors] if any(form.decode() in text for form in FORMS)] == []
    assert leaks(tmp_path) == []


def test_outputs_hide_it_at_any_depth_and_cost_no_start_of_the_cli(engines, tmp_path, monkeypatch):
    started, run = [], PulumiCommand.run

    def counted(self, args, *more):
        started.append(" ".join(args[:2]) if args[0] == "stack" else args[0])
        return run(self, args, *more)

    def exports():
        secret = pulumi.Output.secret(CANARY)
        pulumi.export("shown", {"sizes": [1, 2.5], "zone": "us-east-2a"})
        pulumi.export("hidden", secret)
        pulumi.export("deep", {"list": ["open", secret]})

    monkeypatch.setattr(PulumiCommand, "run", counted)
    with opened(tmp_path, engines, region="us-east-2", now=NOW, kubernetes=False) as sim:
        outcome = sim.run("up", Program(exports, "project", "dev", {}))

    assert outcome.errors == []
    assert outcome.outputs == {
        "shown": {"sizes": [1, 2.5], "zone": "us-east-2a"},
        "hidden": "[secret]",
        "deep": {"list": ["open", "[secret]"]},
    }
    assert started == ["stack select", "stack init", "up"]
