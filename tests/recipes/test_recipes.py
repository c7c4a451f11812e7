"""Each recipe of `docs/contributing.md`, followed to the letter with a made-up kind in a copy of the repository."""

import json

import pytest

from tests.docs.pages import ROOT
from tests.recipes.page import matches, recipes
from tests.recipes.repository import GENERATORS, Repository

RECIPES = recipes()
DATA, COMPONENTS = "eks_accelerators/accelerators/data", "components/__init__.py"
DURATIONS, EXAMPLES = f"{DATA}/resource-types.json", "tests/components/examples.py"
CHARTS = "eks_accelerators/simulator/kubernetes/charts"


@pytest.fixture
def copy(tmp_path):
    return Repository.at(tmp_path / "repository")


def follows(copy, title):
    """Assert that exactly the files of the recipe were written, in its order, and that nothing else is generated."""
    recipe = RECIPES[title]
    written = copy.written
    assert len(written) == len(recipe.files) == recipe.said
    assert [name for pattern, name in zip(recipe.files, written, strict=True) if not matches(pattern, name)] == []
    assert copy.generate() == recipe.generated - set(written)


def data(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_there_are_these_recipes():
    assert list(RECIPES) == [
        "An instance type",
        "A rule",
        "A workload",
        "A chart",
        "A command",
        "A simulated resource",
    ]


@pytest.mark.parametrize("title", RECIPES)
def test_the_files_of_a_recipe_are_there(title):
    """Those whose names are the reader's are like others that are there."""
    for pattern in [*RECIPES[title].files, *RECIPES[title].generated]:
        folder = ROOT / pattern.rpartition("/")[0]
        assert any(matches(pattern, path.relative_to(ROOT).as_posix()) for path in folder.iterdir()), pattern


def test_the_generators_are_those_of_make():
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ngenerated:")[2].partition("\n\n")[0]

    assert {f"eks_accelerators.{module}" for module in GENERATORS} == {
        line.rpartition(" ")[2] for line in target.splitlines()[1:] if not line.endswith(".picture")
    }


@pytest.mark.slow
def test_an_instance_type(copy):
    path = f"{DATA}/instance-types.json"
    rows = (copy.folder / path).read_text(encoding="utf-8").splitlines()
    row = next(line for line in rows if '"instance_type": "g6.2xlarge"' in line)
    copy.change(path, (row, f"{row.rstrip(',')},\n{row.replace('g6.2xlarge', 'g6.made')}"))
    follows(copy, "An instance type")

    stack = copy.folder / "stacks" / "Pulumi.dev.yaml"
    stack.write_text(stack.read_text().replace("g6.2xlarge", "g6.made"))
    checked = data(copy.accel("check", "dev", "--json"))
    assert [group["instanceType"] for group in checked["nodeGroups"]] == ["g6.made"]
    fits = data(copy.accel("fit", "--model", "meta-llama/Llama-3.2-1B", "--instances", "g6.made", "--json"))
    assert {row["instanceType"] for row in fits["rows"]} == {"g6.made"}


RULE = '''

@rule("made-up", Severity.WARNING)
def made_up(context: Context) -> Iterator[RuleFinding]:
    """A root volume does not have 151 GiB, which is a made-up demand. Source: none."""
    for path, group, _ in context.groups:
        if group.disk.size_gib == 151:
            yield RuleFinding(f"{path}.disk.sizeGib", "made up", "151", "any other", "write another")
'''
CASE = """
CASES.append(
    Case("made-up", "151", {f"{DISK}.sizeGib": 151}, f"{DISK}.sizeGib", near={f"{DISK}.sizeGib": 152}, severity="warning")
)
"""


@pytest.mark.slow
def test_a_rule(copy):
    rules = "eks_accelerators/settings/rules/disks.py"
    imported = "from eks_accelerators.settings.rules.registry import"
    copy.change(rules, (imported, f"from eks_accelerators.settings.problems import Severity\n{imported}"))
    copy.append(rules, RULE)
    copy.append("tests/settings/rules/disks.py", CASE)
    follows(copy, "A rule")

    assert "\n### made-up\n" in (copy.folder / "docs" / "rules.md").read_text(encoding="utf-8")
    cases = ("tests/settings/rules/test_rules.py", "-k", "made-up or every_rule")
    copy.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--snapshot-update", *cases)
    copy.tests(*cases)
    stack = copy.folder / "stacks" / "Pulumi.dev.yaml"
    stack.write_text(stack.read_text().replace("sizeGib: 150", "sizeGib: 151"))
    assert "made-up" in {each["code"] for each in data(copy.accel("check", "dev", "--json"))["problems"]}


def component_is_listed(copy, name, module):
    """Add a component to the package and to the words of the timeline."""
    copy.change(
        COMPONENTS,
        (
            "    NvidiaDevicePluginArgs,\n    SystemNodeGroupArgs,",
            f"    {name}Args,\n    NvidiaDevicePluginArgs,\n    SystemNodeGroupArgs,",
        ),
        ("\nALL = (", f"from eks_accelerators.components.{module} import {name}\n\nALL = ("),
        ("    DcgmProfTester,\n)", f"    DcgmProfTester,\n    {name},\n)"),
    )
    copy.change(
        DURATIONS,
        (
            '"eks-accelerators:index:VllmServer": "{name}",',
            f'"eks-accelerators:index:VllmServer": "{{name}}",\n  "eks-accelerators:index:{name}": "Made up",',
        ),
    )


SECTION = """
## MadeUp

Made up.

**Providers**: Kubernetes. **Alone**: Nothing.

| Argument | Type | Required | Meaning |
| --- | --- | --- | --- |

| Output | Type | Meaning |
| --- | --- | --- |
"""


def component_is_documented(copy):
    """Its tables are filled when they are generated."""
    copy.append("docs/components.md", SECTION)


def tables_are_filled(copy):
    section = (copy.folder / "docs" / "components.md").read_text(encoding="utf-8").partition("## MadeUp")[2]
    assert "| `tolerations` |" in section


MODEL = '''class MadeUp(Workload):
    """Made up."""

    namespace: Namespace = GPU_TESTS
    """Namespace, created; workloads may share one."""
    resources: Resources = Resources(cpu="100m", memory_gib=1, memory_limit_gib=2)
    """CPU and memory of the pod."""


class Workloads(Model):'''


@pytest.mark.slow
def test_a_workload(copy):
    copy.change(
        "eks_accelerators/settings/model/workloads.py",
        ("class Workloads(Model):", MODEL),
        (
            "    @classmethod\n    def of(",
            '    made_up: dict[Name, MadeUp] = {}\n    """Made up."""\n\n    @classmethod\n    def of(',
        ),
    )
    copy.change(
        "eks_accelerators/settings/workload_kinds.py",
        ("DcgmProfTester, VllmWorkload,", "DcgmProfTester, MadeUp, VllmWorkload,"),
        (
            "        WorkloadKind(DcgmProfTester,",
            '        WorkloadKind(MadeUp, pod_fit, "MadeUp", "runs_on", "GpuTestWiring", "made-up.md"),\n        WorkloadKind(DcgmProfTester,',
        ),
    )
    vector_add = (copy.folder / "components" / "cuda_vector_add.py").read_text(encoding="utf-8")
    copy.write("components/made_up.py", vector_add.replace("CudaVectorAdd", "MadeUp"))
    copy.change(
        "components/workload_kinds.py",
        (
            "from eks_accelerators.components.vllm_server import",
            "from eks_accelerators.components.made_up import MadeUp\nfrom eks_accelerators.components.vllm_server import",
        ),
        (
            "import VllmWorkload, Workload\n",
            "import MadeUp as MadeUpSettings\nfrom eks_accelerators.settings.model.workloads import VllmWorkload, Workload\n",
        ),
        (
            "    DcgmProfTesterSettings: _gpu_test",
            "    MadeUpSettings: _gpu_test(MadeUp),\n    DcgmProfTesterSettings: _gpu_test",
        ),
    )
    component_is_listed(copy, "MadeUp", "made_up")
    copy.change(
        EXAMPLES,
        (
            '    components.CudaVectorAdd: {"runs_on"',
            '    components.MadeUp: {"runs_on": SERVED},\n    components.CudaVectorAdd: {"runs_on"',
        ),
        ('    "CudaVectorAdd": "Job",', '    "MadeUp": "Job",\n    "CudaVectorAdd": "Job",'),
    )
    component_is_documented(copy)
    copy.write("docs/made-up.md", "# Made up\n\n`workloads.madeUp`\n")
    follows(copy, "A workload")
    tables_are_filled(copy)

    copy.tests("tests/test_workload_kinds.py", "-k", "lacks_nothing or left_over")
    copy.tests("tests/components/test_every_component.py", "-k", "MadeUp and (registers or output or collide)")
    stack = copy.folder / "stacks" / "Pulumi.dev.yaml"
    mine = "  eks-accelerators:workloads:\n    madeUp:\n      it: {nodeGroup: l4-shared}\n"
    written = stack.read_text().replace("  eks-accelerators:workloads:\n", mine)
    stack.write_text(written.replace("        maxModelLen:", "        replicas: 3\n        maxModelLen:"))
    planned = data(copy.accel("plan", "dev", "--json"))
    assert {("eks-accelerators:index:MadeUp", "it"), ("kubernetes:batch/v1:Job", "it")} <= named(planned)
    assert "it" in {workload["name"] for workload in planned["workloads"]}


def named(planned):
    return {(resource["type"], resource["name"]) for resource in planned["resources"]}


INPUTS = '''

class MadeUpInputs(Model):
    """Made up."""

    tolerations: Tolerations = (_NVIDIA,)
    """Tolerations of what it runs."""
'''
RELEASE = """RELEASES = (
    Release(
        name="made-up",
        chart="made-up",
        component="MadeUp",
        takes=MadeUpInputs,
        inputs=made_up,
        serves_gpus=False,
        page="sharing.md",
    ),
"""
NEEDED = '''def made_up(stack: ResolvedStack) -> MadeUpInputs | None:
    """What it takes, or None where there are no nodes with accelerators."""
    return MadeUpInputs(tolerations=for_groups(stack.groups.values())) if stack.groups else None


RELEASES = ('''


@pytest.mark.slow
def test_a_chart(copy):
    copy.append(
        "charts-values/charts.yaml",
        "made-up:\n  repository: https://charts.example.com\n  chart: made-up\n  version: 1.2.3\n",
    )
    copy.write("charts-values/made-up.yaml", "resources: {requests: {cpu: 50m}}\n")
    copy.append("eks_accelerators/settings/release_inputs.py", INPUTS)
    copy.change(
        "eks_accelerators/settings/releases.py",
        ("    GpuOperatorInputs,\n", "    GpuOperatorInputs,\n    MadeUpInputs,\n"),
        ("RELEASES = (\n", RELEASE),
    )
    copy.change("eks_accelerators/settings/releases.py", ("RELEASES = (", NEEDED))
    efa = (copy.folder / "components" / "efa_device_plugin.py").read_text(encoding="utf-8")
    start, end = efa.index("            # By our own label"), efa.index("        plugin = release(")
    efa = f"{efa[:start]}        }}\n{efa[end:]}".replace("EfaDevicePlugin", "MadeUp").replace(
        "efa-device-plugin", "made-up"
    )
    copy.write("components/made_up.py", efa.replace("from eks_accelerators.accelerators import scheduling\n", ""))
    component_is_listed(copy, "MadeUp", "made_up")
    stand_in = (copy.folder / CHARTS / "efa_device_plugin.py").read_text(encoding="utf-8")
    stand_in = stand_in.replace('CHART = "aws-efa-k8s-device-plugin"', 'CHART = "made-up"')
    copy.write(f"{CHARTS}/made_up.py", stand_in.replace('data.load("charts-instance-types")[CHART]["types"]', "[]"))
    copy.change(
        f"{CHARTS}/__init__.py",
        (
            "    gpu_operator,\n    neuron,\n    nvidia_device_plugin,\n)\nfrom",
            "    gpu_operator,\n    made_up,\n    neuron,\n    nvidia_device_plugin,\n)\nfrom",
        ),
        ('    dcgm_exporter,\n)\n"""', '    dcgm_exporter,\n    made_up,\n)\n"""'),
    )
    copy.change(
        EXAMPLES,
        ("    components.EfaDevicePlugin: {},\n", "    components.EfaDevicePlugin: {},\n    components.MadeUp: {},\n"),
    )
    component_is_documented(copy)
    follows(copy, "A chart")
    tables_are_filled(copy)

    copy.tests("tests/test_chart_releases.py", "-k", "lacks_nothing or left_over or given_once")
    copy.tests("tests/components/test_every_component.py", "-k", "MadeUp and (registers or output or collide)")
    planned = data(copy.accel("plan", "dev", "--json"))
    (made,) = [each for each in planned["resources"] if each["name"] == "made-up" and each["custom"]]
    assert (made["type"], made["inputs"]["version"]) == ("kubernetes:helm.sh/v3:Release", "1.2.3")
    assert made["inputs"]["values"]["resources"] == {"requests": {"cpu": "50m"}}


COMMAND = '''"""`accel made-up`: which instance types a family has."""

from typing import Any

from eks_accelerators.accelerators import instance_types


def answer(family: str) -> dict[str, Any]:
    """The documented JSON."""
    found = [kind.name for kind in instance_types.every() if kind.family == family]
    return {"schema": 1, "family": family, "instanceTypes": found}


def text(found: dict[str, Any]) -> str:
    """For people."""
    return "\\n".join(found["instanceTypes"])
'''
REGISTERED = '''@app.command("made-up")
def made_up(family: str, as_json: AsJson = False) -> None:
    """The instance types of a family."""
    from eks_accelerators.accel.made_up import answer, text

    found = answer(family)
    typer.echo(json.dumps(found, indent=2) if as_json else text(found))
    raise typer.Exit(0 if found["instanceTypes"] else PROBLEMS)


sharing_app = typer.Typer('''
OF_THE_COMMAND = """from typer.testing import CliRunner

from eks_accelerators.accel.cli import app


def test_it_lists_a_family():
    assert CliRunner().invoke(app, ["made-up", "g6"]).stdout.startswith("g6.xlarge\\n")
"""


@pytest.mark.slow
def test_a_command(copy):
    copy.write("eks_accelerators/accel/made_up.py", COMMAND)
    copy.change("eks_accelerators/accel/cli.py", ("sharing_app = typer.Typer(", REGISTERED))
    copy.append("docs/json.md", "\n## `accel made-up`\n\n`schema`, `family`, `instanceTypes`\n")
    copy.write("tests/accel/test_made_up.py", OF_THE_COMMAND)
    follows(copy, "A command")

    found = data(copy.accel("made-up", "g6e", "--json"))
    assert (found["schema"], found["family"], "g6e.xlarge" in found["instanceTypes"]) == (1, "g6e", True)
    assert "made-up" in copy.accel("--help").stdout
    assert copy.accel("made-up", "nothing").returncode == 2
    copy.tests("tests/accel/test_made_up.py")


KIND = '''"""Egress-only internet gateways. Source: EC2 API (botocore), as moto answers it."""

from typing import Any

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.providers.kind import Created, Kind


class EgressOnlyInternetGateway(Kind):
    """`aws.ec2.EgressOnlyInternetGateway`: IPv6 out of a VPC, and not in."""

    token = "aws:ec2/egressOnlyInternetGateway:EgressOnlyInternetGateway"
    properties = frozenset({"vpcId"})
    changeable = frozenset()

    def create(self, aws: Account, inputs: dict[str, Any]) -> Created:
        made = aws.call("ec2", "create_egress_only_internet_gateway", VpcId=inputs["vpcId"])
        return Created(made["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"])

    def read(self, aws: Account, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_egress_only_internet_gateways")["EgressOnlyInternetGateways"]
        return next(
            ({"vpcId": each["Attachments"][0]["VpcId"]} for each in found if each["EgressOnlyInternetGatewayId"] == identifier),
            None,
        )

    def delete(self, aws: Account, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_egress_only_internet_gateway", EgressOnlyInternetGatewayId=identifier)


KINDS: tuple[Kind, ...] = (EgressOnlyInternetGateway(),)
'''


@pytest.mark.slow
def test_a_simulated_resource(copy):
    package, token = "eks_accelerators/simulator/providers/aws", "EgressOnlyInternetGateway"
    copy.write(f"{package}/made_up.py", KIND)
    copy.change(
        f"{package}/__init__.py",
        ("    launch_template,\n    network,\n", "    launch_template,\n    made_up,\n    network,\n"),
        ("    capacity_block,\n)\n\nKINDS", "    capacity_block,\n    made_up,\n)\n\nKINDS"),
    )
    copy.change(
        "tests/simulator/providers/kinds.py",
        (
            "EXAMPLES: dict[str, Example] = {\n",
            f'EXAMPLES: dict[str, Example] = {{\n    "aws:ec2/egressOnlyInternetGateway:{token}": Example(lambda here: {{"vpcId": here["vpc"]}}),\n',
        ),
    )
    follows(copy, "A simulated resource")

    assert token in (copy.folder / "docs" / "simulated-aws.md").read_text(encoding="utf-8")
    copy.tests("tests/simulator/providers/test_kinds.py", "-k", f"{token} or every_change_has")
