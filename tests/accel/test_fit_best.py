"""The fragment that `accel fit --best` prints: as a stack file of its own it is the row that it was printed for."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.fit.fragment import best
from eks_accelerators.accel.fit.question import asked
from eks_accelerators.accelerators import fit, instance_types, mig, model_memory
from eks_accelerators.accelerators.fit.ways import ISOLATION
from eks_accelerators.settings.fit import vllm_fit
from eks_accelerators.settings.load import PROJECT, load_stack_file, parse
from eks_accelerators.settings.problems import errors
from eks_accelerators.settings.resolved_stack import resolve_stack
from tests.conftest import NOW

REGION = "us-east-2"
REST = {
    "aws:region": REGION,
    f"{PROJECT}:owner": "ml-platform",
    f"{PROJECT}:network": {"create": {"zones": ["us-east-2a", "us-east-2b"]}},
    f"{PROJECT}:budget": {"monthlyUsd": 1_000_000},
}
"""What any stack file has beside node groups and workloads."""


def as_stack_file(folder, printed):
    """The settings of a stack file that is the printed text and `REST`."""
    file = folder / "Pulumi.best.yaml"
    file.write_text(yaml.safe_dump({"config": {**REST, **yaml.safe_load(printed)["config"]}}), encoding="utf-8")
    return load_stack_file(file, now=NOW)


@pytest.mark.parametrize(
    ("question", "sharing", "resources", "said"),
    [
        pytest.param(
            ("meta-llama/Llama-3.1-8B-Instruct", "4096", "g6.2xlarge"),
            ("exclusive", 1),
            {"nvidia.com/gpu": 1},
            ("exclusive", None),
            id="exclusive",
        ),
        pytest.param(
            ("meta-llama/Llama-3.2-1B", "4096", "g6f.2xlarge"),
            ("exclusive", 1),
            {"nvidia.com/gpu": 1},
            ("fractional", None),
            id="fractional",
        ),
        pytest.param(
            ("meta-llama/Llama-3.2-1B", "4096", "g6.12xlarge"),
            ("mps", 5),
            {"nvidia.com/gpu": 20},
            ("mps", None),
            id="mps",
        ),
        pytest.param(
            ("meta-llama/Llama-3.2-3B", "4096", "p4d.24xlarge"),
            ("mig", 1),
            {"nvidia.com/mig-1g.10gb": 32},
            ("mig", "1g.10gb"),
            id="mig-of-an-a100",
        ),
        pytest.param(
            ("Qwen/Qwen3-14B", "4096", "p5.48xlarge"),
            ("mig", 1),
            {"nvidia.com/mig-3g.40gb": 16},
            ("mig", "3g.40gb"),
            id="mig-of-an-h100",
        ),
    ],
)
def test_what_is_printed_is_what_is_promised(tmp_path, question, sharing, resources, said):
    model, context, instance_type = question
    arguments = ["fit", "--model", model, "--context", context, "--instances", instance_type]
    printed = CliRunner().invoke(app, [*arguments, "--best"])
    row = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)["best"]["row"]

    found = as_stack_file(tmp_path, printed.stdout)
    (group,) = resolve_stack(found.settings).groups.values()
    (workload,) = found.settings.workloads.vllm.values()

    assert not errors(found.problems)
    assert (row["sharing"], row["migProfile"]) == said
    assert (group.type.name, group.sharing.strategy, group.sharing.replicas) == (instance_type, *sharing)
    assert group.resources == resources
    own = vllm_fit(workload, group)
    assert (own.pods_per_node, own.replicas) == (row["serversPerNode"], row["serversPerNode"])
    assert round(own.share.gib, 2) == row["gibEach"]
    assert own.shape == model_memory.shape_of(model)


DIVISIBLE = [kind.name for kind in instance_types.every() if mig.gpu_of(kind)]
FRACTIONAL = [kind.name for kind in instance_types.every() if kind.accelerator.partition_size < 1]
OTHERS = [kind.name for kind in instance_types.every() if kind.has_nvidia_gpu and kind.name not in FRACTIONAL]
TYPES = {"mig": DIVISIBLE, "fractional": FRACTIONAL}


@pytest.mark.parametrize("kind", ISOLATION)
@limits(max_examples=25, deadline=None)
@given(data=st.data())
def test_the_best_of_every_kind_resolves_to_its_row(kind, data):
    """For any model and any instance type: the shares that the fragment gives a node are those that the row counts."""
    model = data.draw(st.sampled_from(model_memory.known_models()))
    name = data.draw(st.sampled_from(TYPES.get(kind, OTHERS)))
    question = asked(model, data.draw(st.integers(256, 4096)), data.draw(st.integers(1, 16)), name, REGION, None)
    (instance_type,) = question.types
    ways = [one for one in fit.candidates(question.server, instance_type, REGION) if one.way.kind == kind]
    chosen = best(question, fit.in_order(ways))
    if chosen.candidate is None:
        assert bool(chosen.passed_over) == bool(ways)
        return
    one, way = chosen.candidate, chosen.candidate.way

    values = {key.partition(":")[2]: value for key, value in yaml.safe_load(chosen.text)["config"].items()}
    rest = {key.partition(":")[2]: value for key, value in REST.items() if key.startswith(PROJECT)}
    found = parse({**rest, **values}, REGION, now=NOW)
    (group,) = resolve_stack(found.settings).groups.values()
    (workload,) = found.settings.workloads.vllm.values()
    (share,) = group.shares

    assert not errors(found.problems)
    assert share.count == instance_type.accelerator.count * way.shares
    assert (share.profile, share.sharers, share.memory_mib) == (way.profile, way.servers_on_memory, way.memory_mib)
    assert vllm_fit(workload, group).pods_per_node == one.servers
    assert workload.tensor_parallel_size == way.gpus_per_server
