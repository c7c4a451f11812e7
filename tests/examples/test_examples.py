"""The examples are whole programs: each is planned twice, as a preview without and with what AWS answers."""

import ast
import base64
import json
import multiprocessing
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from multiprocessing.pool import Pool
from typing import Any

import pulumi
import pytest
import yaml

from eks_accelerators.accel.plan.recorder import SECRET, Recording, Resource
from eks_accelerators.accelerators.scheduling import DEVICE_PLUGIN_CONFIG_LABEL, NEURON, NVIDIA, Taint, tolerates
from tests.differences import applied, by_name, difference, listed, same
from tests.examples.aws_answers import CLUSTER
from tests.examples.example_plans import FOLDER, REQUIRED, failure, plan

each_example = pytest.mark.parametrize("example", sorted(REQUIRED))
before_and_after = pytest.mark.parametrize("answered", [False, True], ids=["before", "answered"])


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Pool]:
    """A process for the plans that fail."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        yield pool


# Plans


@each_example
def test_plan(example: str, snapshot: Any) -> None:
    assert summary(plan(example)) == snapshot


@each_example
def test_what_is_different_before_aws_answers(example: str, snapshot: Any) -> None:
    assert what_differs(plan(example), plan(example, answered=False)) == snapshot


@pytest.mark.parametrize(
    ("example", "changes"),
    [
        ("l4-on-existing-cluster", {"replicas": "8", "maxNodes": "5"}),
        ("trn-neuron", {"maxNodes": "16"}),
        ("device-plugin-alone", {"replicas": "4", "serviceMonitor": "true"}),
    ],
)
def test_what_is_different_with_every_optional_key(example: str, changes: dict[str, str], snapshot: Any) -> None:
    assert set(changes) == {key for key, row in documented(example).items() if row["Required"] != "yes"}
    assert what_differs(plan(example), plan(example, changes)) == snapshot


def test_every_folder_is_planned() -> None:
    """Programs here, stack files in `test_stack_files.py`."""
    programs = {path.parent.name for path in FOLDER.glob("*/__main__.py")}
    stack_files = {path.parent.name for path in FOLDER.glob("*/Pulumi.*.yaml")}

    assert programs == set(REQUIRED)
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == programs | stack_files


# What is planned holds together


@each_example
def test_nodes_are_tainted_and_served(example: str) -> None:
    """A group without its plugin advertises nothing; without its taint it fills up with other pods."""
    recording = plan(example)
    groups = of_type(recording, "aws:eks/nodeGroup:NodeGroup")
    releases = {release["chart"].rpartition("/")[2]: release["values"] for release in inputs_of(recording, "Release")}
    assert groups or example == "device-plugin-alone"
    for group in groups:
        taints = [
            Taint(taint["key"], taint.get("value", ""), "NoSchedule")
            for taint in group.inputs["taints"]
            if taint["effect"] == "NO_SCHEDULE"
        ]
        if NVIDIA.taint in taints:
            plugins = {"nvidia-device-plugin": releases["nvidia-device-plugin"]["tolerations"]}
            (configurations,) = inputs_of(recording, "ConfigMap")
            assert group.inputs["labels"][DEVICE_PLUGIN_CONFIG_LABEL] in configurations["data"]
        else:
            assert NEURON.taint in taints
            plugins = {"neuron-helm-chart": releases["neuron-helm-chart"]["devicePlugin"]["tolerations"]}
        if has_efa(recording):
            plugins["aws-efa-k8s-device-plugin"] = releases["aws-efa-k8s-device-plugin"]["tolerations"]
        if "dcgm-exporter" in releases:
            plugins["dcgm-exporter"] = releases["dcgm-exporter"]["tolerations"]
        for chart, tolerations in plugins.items():
            for taint in taints:
                assert any(tolerates(toleration, taint) for toleration in tolerations), f"{chart} shuns {taint}"


@each_example
def test_everything_in_the_cluster_uses_the_provider_of_the_example(example: str) -> None:
    """Without a provider of its own, a Helm release would go wherever the kubeconfig happens to point."""
    recording = plan(example)
    (provider,) = of_type(recording, "pulumi:providers:kubernetes")
    assert provider.inputs.get("context") or CLUSTER in provider.inputs["kubeconfig"]


@before_and_after
@each_example
def test_no_secret_is_plain(example: str, answered: bool) -> None:
    for resource in plan(example, answered=answered).resources:
        assert resource.type != "kubernetes:core/v1:Secret"
        for path, value in leaves(resource.inputs):
            where = f"{resource.name}: {path}"
            assert value == SECRET or not SECRET_KEY.search(path), where
            assert not SECRET_VALUE.search(str(value)), where


@pytest.mark.parametrize("example", [name for name in REQUIRED if name != "device-plugin-alone"])
def test_kubeconfig_asks_for_a_token_at_every_use(example: str) -> None:
    (provider,) = of_type(plan(example), "pulumi:providers:kubernetes")
    kubeconfig = json.loads(provider.inputs["kubeconfig"])
    (user,) = kubeconfig["users"]
    assert set(user["user"]) == {"exec"}
    assert user["user"]["exec"]["args"][:4] == ["eks", "get-token", "--cluster-name", CLUSTER]
    assert user["user"]["exec"]["apiVersion"] == "client.authentication.k8s.io/v1beta1"
    names = {kind: [each["name"] for each in kubeconfig[kind]] for kind in ("clusters", "users", "contexts")}
    (context,) = kubeconfig["contexts"]
    assert [kubeconfig["current-context"]] == names["contexts"]
    assert context["context"] == {"cluster": names["clusters"][0], "user": names["users"][0]}


# What is wrong is said


@pytest.mark.parametrize(("example", "key"), [(example, key) for example in REQUIRED for key in REQUIRED[example]])
def test_missing_key_is_named(example: str, key: str) -> None:
    full = key if ":" in key else f"{example}:{key}"
    with pytest.raises(pulumi.ConfigMissingError, match=f"pulumi config set {full}"):
        plan(example, {key: None})


@pytest.mark.parametrize(
    ("example", "changes", "message"),
    [
        ("l4-on-existing-cluster", {"kubernetesVersion": "1.36"}, "1.36 is newer than cluster shared-services: 1.35"),
        ("p5-capacity-block", {"kubernetesVersion": "1.36"}, "1.36 is newer than cluster shared-services: 1.35"),
        ("trn-neuron", {"kubernetesVersion": "1.36"}, "1.36 is newer than cluster shared-services: 1.35"),
        ("l4-on-existing-cluster", {"zones": "us-east-2a,us-east-2b"}, "has no private subnet in us-east-2b"),
        ("trn-neuron", {"zone": "us-east-2b"}, "has no private subnet in us-east-2b"),
        ("p5-capacity-block", {"zone": "us-east-2c"}, "is in us-east-2a (use2-az1), where the network has no subnet"),
        ("p5-capacity-block", {"nodes": "5"}, "size.max 5 exceeds the 4 instances"),
        ("l4-on-existing-cluster", {"replicas": "1"}, "timeSlicing needs at least two replicas"),
        ("l4-on-existing-cluster", {"replicas": "four"}, "not a valid 'int'"),
    ],
)
def test_what_does_not_fit_is_refused(example: str, changes: dict[str, str], message: str, elsewhere: Pool) -> None:
    assert message in elsewhere.apply_async(failure, (example, changes)).get()


def test_nodes_older_than_the_control_plane_are_taken() -> None:
    """Control planes are upgraded first."""
    assert plan("trn-neuron", {"kubernetesVersion": "1.34"}).resources


# The folders


@each_example
def test_readme_documents_the_keys_that_are_read(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    get_config = pulumi.config.get_config

    def recorded(key: str) -> Any:
        read.add(key.removeprefix(f"{example}:"))
        return get_config(key)

    monkeypatch.setattr(pulumi.config, "get_config", recorded)
    plan(example)
    assert set(documented(example)) == read


@each_example
def test_readme_sets_what_is_required(example: str) -> None:
    required = {key for key, row in documented(example).items() if row["Required"] == "yes"}
    commands = re.findall(r"^pulumi config set (\S+) ", readme(example), re.MULTILINE)
    assert required == set(REQUIRED[example])
    assert sorted(commands) == sorted(required)


@each_example
def test_project_file(example: str) -> None:
    project = yaml.safe_load((FOLDER / example / "Pulumi.yaml").read_text(encoding="utf-8"))
    assert project["name"] == example, "the namespace of the example's keys"
    assert project["runtime"] == "python"


@each_example
def test_program_is_short_and_needs_the_components_alone(example: str) -> None:
    source = (FOLDER / example / "__main__.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 90
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
    assert modules <= {"eks_accelerators.components", "pulumi", "pulumi_aws", "pulumi_kubernetes"}


@pytest.mark.parametrize("arguments", [["check"], ["format", "--check"]], ids=["check", "format"])
def test_ruff(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *arguments, "--no-cache", "examples"],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


# Reading plans and READMEs

SECRET_KEY = re.compile(r"(password|secret|token|private.?key|client-key)[^.]*$", re.IGNORECASE)
SECRET_VALUE = re.compile(r"\bA[KS]IA[A-Z0-9]{16}\b|PRIVATE KEY|\bhf_\w{20,}|client-key-data|\"token\":")
_METADATA_OPTION = "httpTokens"  # `required` or `optional`: how the metadata service hands tokens out

KEY_INPUTS = {
    "aws:eks/nodeGroup:NodeGroup": (
        "amiType",
        "capacityType",
        "clusterName",
        "instanceTypes",
        "labels",
        "scalingConfig",
        "subnetIds",
        "taints",
        "version",
    ),
    "aws:ec2/launchTemplate:LaunchTemplate": (
        "capacityReservationSpecification",
        "instanceMarketOptions",
        "instanceType",
        "networkInterfaces",
        "placement",
        "userData",
        "vpcSecurityGroupIds",
    ),
    "aws:ec2/securityGroup:SecurityGroup": ("vpcId",),
    "aws:autoscaling/schedule:Schedule": ("startTime", "desiredCapacity", "maxSize", "minSize"),
    "aws:autoscaling/tag:Tag": ("tag",),
    "kubernetes:core/v1:ConfigMap": ("data",),
    "kubernetes:helm.sh/v3:Release": ("chart", "namespace", "values"),
    "pulumi:providers:kubernetes": ("clusterIdentifier", "context", "kubeconfig"),
}
"""What makes each resource the one that an example is about. Chart versions are left to the charts' own tests."""

KEY_VALUES = ("config", "devicePlugin", "extraEnv", "hostPID", "mofedEnabled", "serviceMonitor", "tolerations")


def summary(recording: Recording) -> list[dict[str, Any]]:
    """Type, name and key inputs of every resource, in an order that does not depend on when outputs resolve."""
    resources = sorted(recording.resources, key=lambda resource: (resource.type, resource.name))
    shown = [{"type": resource.type, "name": resource.name, **dict(_key_inputs(resource))} for resource in resources]
    return [*shown, {"outputs": recording.outputs, "messages": recording.messages}]


def what_differs(whole: Recording, other: Recording) -> dict[str, Any]:
    """What the summary of ``other`` has that ``whole``'s has not, and the reverse: with the whole it makes the other."""
    wholes, others = by_name(summary(whole), _named), by_name(summary(other), _named)
    told: dict[str, Any] = difference(wholes, others)
    assert same(listed(applied(wholes, told)), summary(other))
    return told


def _named(item: Mapping[str, Any]) -> str:
    return f"{item['type']} {item['name']}" if "type" in item else "the program"


def _key_inputs(resource: Resource) -> Iterator[tuple[str, Any]]:
    for key in KEY_INPUTS.get(resource.type, ()):
        if key not in resource.inputs:
            continue
        value = resource.inputs[key]
        if key == "userData":
            value = base64.b64decode(value).decode().splitlines()
        elif key == "values":
            value = {each: value[each] for each in KEY_VALUES if each in value}
        elif key == "kubeconfig" and value.startswith("{"):
            value = json.loads(value)
        yield key, value


def of_type(recording: Recording, kind: str) -> list[Resource]:
    return [resource for resource in recording.resources if resource.type == kind]


def inputs_of(recording: Recording, kind: str) -> list[dict[str, Any]]:
    """Inputs of all Kubernetes resources of a kind."""
    return [
        resource.inputs
        for resource in recording.resources
        if resource.type.startswith("kubernetes:") and resource.type.endswith(f":{kind}")
    ]


def has_efa(recording: Recording) -> bool:
    templates = of_type(recording, "aws:ec2/launchTemplate:LaunchTemplate")
    interfaces = [each for template in templates for each in template.inputs.get("networkInterfaces", [])]
    return any(each["interfaceType"].startswith("efa") for each in interfaces)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key != _METADATA_OPTION:
                yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path)
    else:
        yield path, value


def readme(example: str) -> str:
    return (FOLDER / example / "README.md").read_text(encoding="utf-8")


def documented(example: str) -> dict[str, dict[str, str]]:
    """The rows of a README's table of configuration keys, by key."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in readme(example).splitlines()
        if line.startswith("|")
    ]
    header, _, *body = rows
    return {row[0].strip("`"): dict(zip(header, row, strict=True)) for row in body}
