"""Each recipe of `docs/contributing.md`, followed to the letter with a made-up kind in a copy of the repository."""

import json

import pytest

from tests.docs.pages import ROOT
from tests.recipes.page import matches, recipes
from tests.recipes.repository import GENERATORS, Repository

RECIPES = recipes()
DATA, EXAMPLES = "eks_accelerators/accelerators/data", "tests/components/examples.py"
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
        "A model server",
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


@pytest.mark.thorough
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


def has_a_section(copy):
    """Its tables, in the page that is generated."""
    section = (copy.folder / "docs" / "components.md").read_text(encoding="utf-8").partition("## MadeUp")[2]
    assert "**Providers**: Kubernetes." in section
    assert "| `tolerations` |" in section


MODEL = '''"""Made up."""

from eks_accelerators.settings.model.gpu_tests import GPU_TESTS
from eks_accelerators.settings.model.workload import Namespace, Resources, Workload


class MadeUpSettings(Workload):
    """Made up."""

    namespace: Namespace = GPU_TESTS
    """Namespace, created; workloads may share one."""
    resources: Resources = Resources(cpu="100m", memory_gib=1, memory_limit_gib=2)
    """CPU and memory of the pod."""
'''
MODEL_IMPORT = "from eks_accelerators.settings.model.made_up import MadeUpSettings\n"
KIND_OF_WORKLOAD = 'WorkloadKind(MadeUpSettings, pod_fit, "MadeUp", "runs_on", "GpuTestWiring", "made-up.md"),'


@pytest.mark.slow
def test_a_workload(copy):
    copy.write("eks_accelerators/settings/model/made_up.py", MODEL)
    copy.change(
        "eks_accelerators/settings/model/workloads.py",
        ("from eks_accelerators.settings.model.vllm", f"{MODEL_IMPORT}from eks_accelerators.settings.model.vllm"),
        (
            "    @classmethod\n    def of(",
            '    made_up: dict[Name, MadeUpSettings] = {}\n    """Made up."""\n\n    @classmethod\n    def of(',
        ),
    )
    copy.change(
        "eks_accelerators/settings/workload_kinds.py",
        ("from eks_accelerators.settings.model.vllm", f"{MODEL_IMPORT}from eks_accelerators.settings.model.vllm"),
        (
            "        WorkloadKind(DcgmProfTesterSettings,",
            f"        {KIND_OF_WORKLOAD}\n        WorkloadKind(DcgmProfTesterSettings,",
        ),
    )
    vector_add = (copy.folder / "components" / "cuda_vector_add.py").read_text(encoding="utf-8")
    made_up = vector_add.replace("CudaVectorAdd", "MadeUp").replace("model.gpu_tests", "model.made_up")
    copy.write("components/made_up.py", made_up)
    copy.change(
        EXAMPLES,
        (
            '    components.CudaVectorAdd: {"runs_on"',
            '    components.MadeUp: {"runs_on": SERVED},\n    components.CudaVectorAdd: {"runs_on"',
        ),
        ('    "CudaVectorAdd": "Job",', '    "MadeUp": "Job",\n    "CudaVectorAdd": "Job",'),
    )
    copy.write("docs/made-up.md", "# Made up\n\n`workloads.madeUp`\n")
    follows(copy, "A workload")
    has_a_section(copy)

    copy.tests("tests/test_workload_kinds.py", "-k", "lacks_nothing or left_over")
    copy.tests("tests/components/test_every_component.py", "-k", "MadeUp and (registers or output or collide)")
    stack = copy.folder / "stacks" / "Pulumi.dev.yaml"
    mine = "  eks-accelerators:workloads:\n    madeUp:\n      it: {nodeGroup: l4-shared}\n"
    written = stack.read_text().replace("  eks-accelerators:workloads:\n", mine)
    stack.write_text(written.replace("        maxModelLen:", "        replicas: 3\n        maxModelLen:"))
    planned = data(copy.accel("plan", "dev", "--json"))
    assert {("eks-accelerators:index:MadeUp", "it"), ("kubernetes:batch/v1:Job", "it")} <= named(planned)
    assert "it" in {workload["name"] for workload in planned["workloads"]}


KIND_OF_SERVER = """        WorkloadKind(
            MadeUpWorkload,
            tf_serving_fit,
            "MadeUp",
            "serves_on",
            "ServerWiring",
            "made-up.md",
            ServerKind(unknown_start, of_tf_serving, NoMetrics("it shows none")),
        ),
"""
SERVER_IMPORT = "from eks_accelerators.settings.model.made_up import MadeUpWorkload\n"


def renamed(copy, name, *kept):
    """What there is for TensorFlow Serving, as that of the made-up server; texts of ``kept`` stay."""
    content = (copy.folder / name).read_text(encoding="utf-8")
    for number, each in enumerate(kept):
        assert each in content, each
        content = content.replace(each, f"@{number}@")
    for old, new in (
        ("TfServing", "MadeUp"),
        ("tf_serving", "made_up"),
        ("tf-serving", "made-up"),
    ):
        content = content.replace(old, new)
    for number, each in enumerate(kept):
        content = content.replace(f"@{number}@", each)
    return content


def of_made_up(path, first):
    """The part of a table of the copy that is of TensorFlow Serving, twice: the second is of the made-up one."""
    content = path.read_text(encoding="utf-8")
    start = content.index(first)
    end = content.index("\n    },\n", start) + len("\n    },\n")
    mine = content[start:end]
    return mine, mine + mine.replace("TfServing", "MadeUp")


@pytest.mark.thorough
def test_a_model_server(copy):
    """A second one like that of TensorFlow Serving, in whose words it is asked."""
    before_vllm = (
        "from eks_accelerators.settings.model.vllm",
        f"{SERVER_IMPORT}from eks_accelerators.settings.model.vllm",
    )
    settings = "eks_accelerators/settings"
    copy.write(f"{settings}/model/made_up.py", renamed(copy, f"{settings}/model/tf_serving.py"))
    copy.change(
        f"{settings}/model/workloads.py",
        before_vllm,
        (
            "    @classmethod\n    def of(",
            '    made_up: dict[Name, MadeUpWorkload] = {}\n    """Made up."""\n\n    @classmethod\n    def of(',
        ),
    )
    copy.change(
        f"{settings}/workload_kinds.py",
        before_vllm,
        ("OF_VLLM, ServerKind\n", "OF_VLLM, NoMetrics, ServerKind\n"),
        ("        WorkloadKind(CudaVectorAddSettings,", f"{KIND_OF_SERVER}        WorkloadKind(CudaVectorAddSettings,"),
    )
    copy.change(
        "eks_accelerators/simulator/load/kinds.py",
        before_vllm,
        ("        TfServingWorkload: ", '        MadeUpWorkload: "it is made up",\n        TfServingWorkload: '),
    )
    kept = ("from eks_accelerators.settings.tf_serving import TfServingFit, tf_serving_fit", "fit: TfServingFit")
    component = renamed(copy, "components/tf_serving.py", *kept, "tf_serving_fit(workload, group)")
    copy.write("components/made_up.py", component)
    copy.change(
        EXAMPLES,
        of_made_up(copy.folder / EXAMPLES, "    components.TfServing: {"),
        ('    "TfServing": "Deployment",', '    "MadeUp": "Deployment",\n    "TfServing": "Deployment",'),
    )
    mine = '    "madeUp": (GPUS, {"modelName": "resnet", "modelPath": "/models/resnet", **MODELS}),\n'
    copy.change("tests/model_servers.py", ('    "tfServing": (', f'{mine}    "tfServing": ('))
    copy.write("docs/made-up.md", "# Made up\n\n`workloads.madeUp`\n")
    follows(copy, "A model server")
    has_a_section(copy)

    asked_of_every_kind = (
        "tests/test_every_server.py",
        "tests/simulator/load/test_kinds.py",
        "tests/verification/test_servers.py",
    )
    copy.tests("tests/test_workload_kinds.py", *asked_of_every_kind)
    copy.tests("tests/components/test_every_component.py", "-k", "MadeUp and (registers or output or collide)")


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


@pytest.mark.thorough
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
    stand_in = (copy.folder / CHARTS / "efa_device_plugin.py").read_text(encoding="utf-8")
    stand_in = stand_in.replace('CHART = "aws-efa-k8s-device-plugin"', 'CHART = "made-up"')
    copy.write(f"{CHARTS}/made_up.py", stand_in.replace('data.load("charts-instance-types")[CHART]["types"]', "[]"))
    copy.change(
        EXAMPLES,
        ("    components.EfaDevicePlugin: {},\n", "    components.EfaDevicePlugin: {},\n    components.MadeUp: {},\n"),
    )
    follows(copy, "A chart")
    has_a_section(copy)

    copy.tests("tests/test_chart_releases.py", "-k", "lacks_nothing or left_over or given_once")
    copy.tests("tests/components/test_every_component.py", "-k", "MadeUp and (registers or output or collide)")
    planned = data(copy.accel("plan", "dev", "--json"))
    (made,) = [each for each in planned["resources"] if each["name"] == "made-up" and each["custom"]]
    assert (made["type"], made["inputs"]["version"]) == ("kubernetes:helm.sh/v3:Release", "1.2.3")
    assert made["inputs"]["values"]["resources"] == {"requests": {"cpu": "50m"}}


REPORT = '''"""What `accel made-up` finds out."""

from typing import TYPE_CHECKING

from pydantic import Field

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import VersionedReport

if TYPE_CHECKING:
    from rich.console import Console


class MadeUpReport(VersionedReport):
    """`accel made-up FAMILY --json`: the instance types of a family. The exit status is 2 where there is none."""

    family: str = Field(description="Family of instance types")
    instance_types: tuple[str, ...] = Field(description="Those of it that are known")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One type a line."""
        out.print("\\n".join(self.instance_types) or f"{self.family}: no instance type", soft_wrap=True)
'''
COMMAND = '''"""`accel made-up`: which instance types a family has."""

from eks_accelerators.accel.emit import Format, emit
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.reports.made_up import MadeUpReport
from eks_accelerators.accelerators import instance_types


def made_up(family: str, *, as_json: bool = False) -> ExitStatus:
    """Say which types the family has. The exit status."""
    found = tuple(kind.name for kind in instance_types.every() if kind.family == family)
    emit(MadeUpReport(family=family, instance_types=found), Format.of(as_json))
    return ExitStatus.DONE if found else ExitStatus.REFUSED
'''
REGISTERED = '''@app.command("made-up")
def made_up_command(family: str, as_json: AsJson = False) -> None:
    """The instance types of a family."""
    from eks_accelerators.accel.made_up import made_up

    raise typer.Exit(made_up(family, as_json=as_json))


sharing_app = typer.Typer('''
OF_THE_COMMAND = """from typer.testing import CliRunner

from eks_accelerators.accel.cli import app


def test_it_lists_a_family():
    assert CliRunner().invoke(app, ["made-up", "g6"]).stdout.startswith("g6.xlarge\\n")
"""


@pytest.mark.thorough
def test_a_command(copy):
    accel = "eks_accelerators/accel"
    copy.write(f"{accel}/reports/made_up.py", REPORT)
    copy.change(
        f"{accel}/reports/registry.py",
        ("import MigReport\n", "import MigReport\nfrom eks_accelerators.accel.reports.made_up import MadeUpReport\n"),
        ('    "mig check": MigReport,\n', '    "mig check": MigReport,\n    "made-up": MadeUpReport,\n'),
    )
    copy.write(f"{accel}/made_up.py", COMMAND)
    copy.change(f"{accel}/cli.py", ("sharing_app = typer.Typer(", REGISTERED))
    copy.change(
        f"{accel}/examples.py", ('    "facts list": (', '    "made-up": ("accel made-up g6",),\n    "facts list": (')
    )
    copy.change(
        "tests/accel/test_reports.py",
        ('    "facts list": [', '    "made-up": ["made-up", "g6"],\n    "facts list": ['),
    )
    copy.change(
        "tests/accel/test_nasty_text.py",
        ('    "facts list": [', '    "made-up": ["made-up", "TEXT"],\n    "facts list": ['),
    )
    copy.write("tests/accel/test_made_up.py", OF_THE_COMMAND)
    follows(copy, "A command")

    assert "## `accel made-up`" in (copy.folder / "docs" / "json.md").read_text(encoding="utf-8")
    found = data(copy.accel("made-up", "g6e", "--json"))
    assert (found["schema"], found["family"], "g6e.xlarge" in found["instanceTypes"]) == (1, "g6e", True)
    assert "made-up" in copy.accel("--help").stdout
    assert copy.accel("made-up", "nothing").returncode == 2
    copy.tests("tests/accel/test_made_up.py")
    asked = "made-up or every_command"
    copy.tests("tests/accel/test_reports.py", "tests/accel/test_nasty_text.py", "-k", asked)


KIND = '''"""Ways out of a VPC for IPv6, and not in."""

from typing import Any

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.calls import Calls
from eks_accelerators.simulator.providers.kind import Created, Kind
from eks_accelerators.simulator.providers.resource_facts import UsualTime, ResourceFacts

CHAPTER = Chapter(__doc__, source="EC2 API (botocore), as moto answers it.")


class EgressOnlyInternetGatewayKind(Kind):
    """`aws.ec2.EgressOnlyInternetGateway`."""

    token = "aws:ec2/egressOnlyInternetGateway:EgressOnlyInternetGateway"
    properties = frozenset({"vpcId"})
    calls = frozenset(
        {
            "ec2.create_egress_only_internet_gateway",
            "ec2.delete_egress_only_internet_gateway",
            "ec2.describe_egress_only_internet_gateways",
        }
    )
    facts = ResourceFacts(
        called="VPC",
        replacing=("vpcId",),
        durations={"create": UsualTime(1, "made-up"), "delete": UsualTime(1, "made-up")},
        sources={"made-up": "estimate: no source, 2026-11-22"},
    )

    def create(self, aws: Calls, inputs: dict[str, Any]) -> Created:
        made = aws.call("ec2", "create_egress_only_internet_gateway", VpcId=inputs["vpcId"])
        return Created(made["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"])

    def read(self, aws: Calls, identifier: str, state: dict[str, Any]) -> dict[str, Any] | None:
        found = aws.call("ec2", "describe_egress_only_internet_gateways")["EgressOnlyInternetGateways"]
        own = (each for each in found if each["EgressOnlyInternetGatewayId"] == identifier)
        return next(({"vpcId": each["Attachments"][0]["VpcId"]} for each in own), None)

    def delete(self, aws: Calls, identifier: str, state: dict[str, Any]) -> None:
        aws.call("ec2", "delete_egress_only_internet_gateway", EgressOnlyInternetGatewayId=identifier)


KINDS: tuple[Kind, ...] = (EgressOnlyInternetGatewayKind(),)
'''


@pytest.mark.thorough
def test_a_simulated_resource(copy):
    kind = "EgressOnlyInternetGateway"
    token = f"aws:ec2/egressOnlyInternetGateway:{kind}"
    copy.write("eks_accelerators/simulator/providers/aws/made_up.py", KIND)
    copy.change(
        "tests/simulator/providers/kinds.py",
        (
            "EXAMPLES: dict[str, Example] = {\n",
            f'EXAMPLES: dict[str, Example] = {{\n    "{token}": Example(lambda here: {{"vpcId": here["vpc"]}}),\n',
        ),
    )
    follows(copy, "A simulated resource")

    assert kind in (copy.folder / "docs" / "simulated-aws.md").read_text(encoding="utf-8")
    types = json.loads((copy.folder / DATA / "simulated-resource-types.json").read_text(encoding="utf-8"))["types"]
    assert next(each["iam"] for each in types if each["type"] == token) == [
        {"scope": "any", "actions": [f"ec2:{act}{kind}" for act in ("Create", "Delete")] + [f"ec2:Describe{kind}s"]}
    ]
    copy.tests("tests/accelerators/test_resource_types.py", "-k", kind)
    copy.tests("tests/simulator/providers/test_new_kinds.py", "-k", f"{kind} or every_exception")
    copy.tests("tests/simulator/providers/test_kinds.py", "-k", f"{kind} or every_change_has")
