"""Instance types that the package lacks: of the stack file, and of the user's own facts."""

import json

import pytest

from eks_accelerators.accelerators import data, instance_types
from eks_accelerators.settings.own_facts import own_facts
from eks_accelerators.settings.project import OWN_FACTS
from tests.settings.example import check
from tests.settings.rules.instance_types import NEURON, P7, described
from tests.settings.stack_files import check_file

ON_P7 = {**described(), "nodeGroups.gpu.instanceType": "p7.48xlarge", "nodeGroups.gpu.size": {"desired": 1, "max": 1}}
SHIPPED = data.load("instance-types")["instance_types"]


def write_facts(folder, *rows):
    path = folder / OWN_FACTS
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"schema": 1, "instance_types": list(rows)}))
    return path


def row(name, like="p5.48xlarge", **changed):
    """A row of the package's table under another name."""
    shipped = next(each for each in SHIPPED if each["instance_type"] == like)
    return {**shipped, "instance_type": name, "family": name.partition(".")[0], "source": "AWS, 2026-11-22", **changed}


def codes(checked):
    return [problem.code for problem in checked.problems]


def test_a_node_group_has_a_type_that_the_stack_file_describes():
    checked = check(ON_P7)

    group = checked.stack.groups["gpu"]
    assert checked.problems == ()
    assert (group.type.name, group.type.source) == ("p7.48xlarge", P7["source"])
    assert group.resources == {"nvidia.com/gpu": 8}
    assert group.ami_type == "AL2023_x86_64_NVIDIA"
    assert group.type.quota.on_demand_code == "L-417A185B"
    assert group.type.offered_regions == ("us-east-2",)


def test_a_described_type_with_neuron_devices():
    patch = {
        "instanceTypes": {"trn4.48xlarge": NEURON},
        "nodeGroups.gpu": {"instanceType": "trn4.48xlarge", "size": {"max": 1}},
        "workloads": {},
    }

    group = check(patch).stack.groups["gpu"]

    assert (group.resources["aws.amazon.com/neuron"], group.ami_type) == (16, "AL2023_x86_64_NEURON")


@pytest.mark.parametrize(
    ("patch", "code", "path"),
    [
        pytest.param(
            {**ON_P7, "nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"1g.10gb": 7}}}},
            "mig-not-capable",
            "nodeGroups.gpu.sharing.strategy",
            id="no-mig",
        ),
        pytest.param(
            {
                **described(accelerator={"name": "R100", "count": 1, "memoryMib": 1024}),
                "nodeGroups.gpu.instanceType": "p7.48xlarge",
            },
            "workload-memory",
            "workloads.vllm.qwen.model",
            id="model-too-large",
        ),
    ],
)
def test_rules_judge_it_like_any_other(patch, code, path):
    found = {(problem.code, problem.path) for problem in check(patch).problems}

    assert (code, path) in found, found


def test_what_is_not_described_stays_unknown():
    patch = {**described(onDemandUsdPerHour={}), "nodeGroups.gpu.instanceType": "p7.48xlarge"}

    checked = check(patch)

    assert "price-unknown" in codes(checked)
    assert checked.stack.groups["gpu"].type.offered_regions == ()


def test_own_facts_are_beside_the_stacks(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: test\n")
    (tmp_path / "stacks").mkdir()
    write_facts(tmp_path, row("p7.48xlarge"))

    checked = check_file(tmp_path / "stacks", {"nodeGroups.gpu.instanceType": "p7.48xlarge"})

    assert checked.problems == ()
    assert checked.stack.groups["gpu"].type.source == "AWS, 2026-11-22"
    assert checked.stack.own_types == own_facts(tmp_path).types


def test_another_stack_does_not_know_them(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    write_facts(tmp_path / "one", row("p7.48xlarge"))
    patch = {"nodeGroups.gpu.instanceType": "p7.48xlarge"}

    found = [codes(check_file(tmp_path / name, patch)) for name in ("one", "two", "one")]

    assert ["unknown-instance-type" in each for each in found] == [False, True, False]


def test_described_twice(tmp_path):
    write_facts(tmp_path, row("p7.48xlarge"))

    checked = check_file(tmp_path, ON_P7)

    (problem,) = checked.problems
    assert (problem.code, problem.path) == ("instance-type-described-twice", 'instanceTypes["p7.48xlarge"]')
    assert "AWS, 2026-11-22" in problem.found


def test_facts_that_the_package_has_by_now_do_not_count(tmp_path):
    write_facts(tmp_path, row("g6.2xlarge", vcpus=1))

    checked = check_file(tmp_path, {})

    assert codes(checked) == ["facts-file-outdated"]
    assert checked.stack.groups["gpu"].type.vcpus == 8


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{", id="no-json"),
        pytest.param("[]", id="no-object"),
        pytest.param('{"instance_types": [1]}', id="no-rows"),
        pytest.param('{"instance_types": [{"instance_type": "p7.48xlarge"}]}', id="half-a-row"),
        pytest.param(json.dumps({"instance_types": [row("p7.48xlarge", vcpus="many")]}), id="text-for-a-number"),
        pytest.param(
            json.dumps({"instance_types": [row("p7.48xlarge", accelerator={**SHIPPED[0]["accelerator"], "memory_mib": "x"})]}),
            id="text-for-a-number-inside",
        ),
        pytest.param(json.dumps({"instance_types": [row("p7.48xlarge", architecture="vax")]}), id="no-architecture"),
        pytest.param("[" * 100_000, id="nested-deeply"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_a_problem(tmp_path, text):
    write_facts(tmp_path).write_text(text)

    checked = check_file(tmp_path, {})

    (problem,) = checked.problems
    assert (problem.code, problem.path) == ("facts-file", "facts/instance-types.json")


def test_a_type_of_the_table_is_never_another():
    shipped = instance_types.get("g6.xlarge")

    instance_types.know([instance_types.parse(row("g6.xlarge"))])

    assert instance_types.get("g6.xlarge") is shipped
    assert len(instance_types.every()) == len(SHIPPED)
