"""A secret is where it belongs, and nowhere else: not in state, journal, logs, events, messages or other objects."""

import base64
from pathlib import Path
from typing import Any

import pytest

from eks_accelerators.simulator.providers.faults import Fault
from tests.simulator.worlds import load, simulation

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


def test_a_secret_is_in_its_secret_and_nowhere_else(engines, tmp_path, stack):
    heard: list[str] = []
    with simulation(tmp_path, engines, stack) as sim:
        outcome = sim.run("up", stack.program, listen=lambda event: heard.append(str(vars(event))))
        assert outcome.ok, outcome.errors
        holders = [obj for obj in objects(sim) if any(form.decode() in str(obj) for form in FORMS)]
        told = [*heard, *(text for _, text in outcome.messages), str(outcome.outputs)]

        assert [(obj["kind"], obj["metadata"]["name"]) for obj in holders] == [("Secret", "llama-hugging-face")]
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
