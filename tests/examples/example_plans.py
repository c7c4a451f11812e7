"""Planning an example, before AWS answers its look-ups or with the answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from google.protobuf import json_format, struct_pb2
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import SETTINGS

from eks_accelerators.accel.plan import recorder
from eks_accelerators.accel.plan.recorder import Recording, record_file
from tests.examples.aws_answers import CLUSTER, REGION, RESERVATION, answer

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples"

ON_EKS = {"aws:region": REGION, "clusterName": CLUSTER, "kubernetesVersion": "1.35"}
REQUIRED: dict[str, dict[str, str]] = {
    "l4-on-existing-cluster": {**ON_EKS, "zones": "us-east-2a,us-east-2c"},
    "p5-capacity-block": {**ON_EKS, "zone": "us-east-2a", "reservationId": RESERVATION, "nodes": "4"},
    "trn-neuron": {**ON_EKS, "zone": "us-east-2c"},
    "device-plugin-alone": {"kubeContext": "kind-gpu"},
}
"""Every key that an example cannot do without; keys without a namespace are its own."""

_UNANSWERED = recorder._Monitor.Invoke


def _answered(self: Any, request: Any) -> Any:
    if request.tok == "pulumi:pulumi:getResource":
        return _UNANSWERED(self, request)
    found = struct_pb2.Struct()
    found.update(answer(request.tok, json_format.MessageToDict(request.args)))
    return resource_pb2.ResourceInvokeResponse(**{"return": found})


def plan(example: str, changes: Mapping[str, str | None] | None = None, *, answered: bool = True) -> Recording:
    """The plan of an example with its required configuration and ``changes`` to it; None removes a key."""
    values = {**REQUIRED[example], **(changes or {})}
    config = {key if ":" in key else f"{example}:{key}": value for key, value in values.items() if value is not None}
    program = FOLDER / example / "__main__.py"
    with mock.patch.object(recorder._Monitor, "Invoke", _answered if answered else _UNANSWERED):
        return record_file(program, project=example, stack_name="dev", config=config, secrets=set())


def failure(example: str, changes: Mapping[str, str]) -> str:
    """What a plan fails with; empty if it does not. For a process of its own.

    A program that fails leaves tasks behind: the next plan would wait for them without end, and Python warns
    of them at any later time. The SDK's own `pulumi.runtime.test` forgets them in this way.
    """
    SETTINGS.rpc_manager.clear()
    SETTINGS.outputs.clear()
    try:
        plan(example, changes)
    except Exception as error:
        return str(error)
    return ""
