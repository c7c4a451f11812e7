"""`--helm`: a chart of the test's own, rendered by the real helm where there is one, from a folder and from a repository.

How helm is asked is held by a stand-in, which is there on every machine.
"""

import json
import tarfile
from pathlib import Path

import pytest
import yaml

from eks_accelerators.simulator.engines import optional
from eks_accelerators.simulator.kubernetes.charts import ChartError, with_helm
from eks_accelerators.simulator.kubernetes.charts.with_helm import Helm
from eks_accelerators.simulator.kubernetes.roles import NVIDIA_DEVICE_PLUGIN, ROLE_LABEL
from eks_accelerators.simulator.local_server import LocalServer, Reply
from eks_accelerators.simulator.providers import helm_release

CHART, VERSION, NAMESPACE = "little-plugin", "1.2.3", "gpu"
POD = {
    "metadata": {"labels": {"app": "plugin"}},
    "spec": {"containers": [{"name": "plugin", "image": "example.com/nvidia-device-plugin:v1"}]},
}
SELECTOR = {"matchLabels": {"app": "plugin"}}
CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "rules.little.example.com"},
    "spec": {
        "group": "little.example.com",
        "scope": "Cluster",
        "names": {"kind": "LittleRule", "plural": "rules"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
DAEMON_SET = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"name": "RELEASE-plugin"},
    "spec": {"selector": SELECTOR, "template": POD},
}
TEMPLATES = {
    "daemonset.yaml": yaml.safe_dump(DAEMON_SET).replace("RELEASE", "{{ .Release.Name }}"),
    "configmap.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
        "data:\n  replicas: {{ .Values.replicas | quote }}\n  version: {{ .Chart.Version }}\n"
        "  cluster: {{ .Capabilities.KubeVersion.Version }}\n"
        '  rules: {{ .Capabilities.APIVersions.Has "little.example.com/v1/LittleRule" | quote }}\n'
    ),
    "policy.yaml": (
        "{{- if .Values.closed }}\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
        "metadata:\n  name: closed\nspec:\n  podSelector: {}\n{{- end }}\n"
    ),
    "refusal.yaml": '{{- if gt (int .Values.replicas) 9 }}{{ fail "at most nine replicas" }}{{ end }}\n',
    "role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: little\nrules: []\n",
    "hook.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: test\n  annotations:\n    helm.sh/hook: test\nspec: {}\n"
    ),
}


@pytest.fixture
def chart(tmp_path):
    """The chart's folder."""
    folder = tmp_path / CHART
    (folder / "templates").mkdir(parents=True)
    (folder / "crds").mkdir()
    (folder / "Chart.yaml").write_text(yaml.safe_dump({"apiVersion": "v2", "name": CHART, "version": VERSION}))
    (folder / "values.yaml").write_text("replicas: 1\nclosed: true\n")
    (folder / "crds" / "rules.yaml").write_text(yaml.safe_dump(CRD))
    for name, text in TEMPLATES.items():
        (folder / "templates" / name).write_text(text)
    return folder


@pytest.fixture
def repository(chart, tmp_path):
    """A repository that has the chart, as a server on this machine."""
    folder = tmp_path / "repository"
    folder.mkdir()
    with tarfile.open(folder / "chart.tgz", "w:gz") as archive:
        archive.add(chart, CHART)
    entry = {"apiVersion": "v2", "name": CHART, "version": VERSION, "urls": ["chart.tgz"]}
    (folder / "index.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "entries": {CHART: [entry]}}))
    files = {f"/{path.name}": path.read_bytes() for path in folder.iterdir()}
    with LocalServer(lambda _method, path, *_: Reply(200, {}, files[path]), "repository") as server:
        yield f"http://{server.address}"


@pytest.fixture
def helm(tmp_path, monkeypatch):
    """The real helm, with folders of its own for what it keeps."""
    found = optional("helm")
    if found is None:
        pytest.skip("helm is neither in .tools nor on PATH: `make engines HELM=1`")
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"HELM_{name}_HOME", str(tmp_path / name))
    return found


def rendered(helm, chart, **changes):
    """The objects of a release called `little`, by kind and name."""
    what = {"version": VERSION, "release": "little", "namespace": NAMESPACE, "values": {}, **changes}
    found = with_helm.manifests(Helm(helm, "1.35"), str(chart), **what)
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in found}


def test_a_chart_in_a_folder(helm, chart):
    found = rendered(helm, chart, values={"replicas": 4})

    assert {what: obj["metadata"].get("namespace") for what, obj in found.items()} == {
        ("CustomResourceDefinition", "rules.little.example.com"): None,
        ("ClusterRole", "little"): None,
        ("ConfigMap", "settings"): NAMESPACE,
        ("NetworkPolicy", "closed"): NAMESPACE,
        ("DaemonSet", "little-plugin"): NAMESPACE,
    }
    data = {"replicas": "4", "version": VERSION, "cluster": "v1.35.0", "rules": "false"}
    assert found["ConfigMap", "settings"]["data"] == data
    labels = found["DaemonSet", "little-plugin"]["spec"]["template"]["metadata"]["labels"]
    assert labels == {"app": "plugin", ROLE_LABEL: NVIDIA_DEVICE_PLUGIN}


def test_a_chart_of_a_repository(helm, chart, repository):
    assert rendered(helm, CHART, repository=repository) == rendered(helm, chart)


def test_what_the_cluster_has_beside_kubernetes_own(helm, chart):
    found = rendered(helm, chart, api_versions=["little.example.com/v1", "little.example.com/v1/LittleRule"])

    assert found["ConfigMap", "settings"]["data"]["rules"] == "true"


def test_null_removes_a_default(helm, chart):
    assert ("NetworkPolicy", "closed") not in rendered(helm, chart, values={"closed": None})


REFUSED = [
    pytest.param(CHART, {"version": "9.9.9"}, "9.9.9", id="version"),
    pytest.param("another", {}, "another", id="chart"),
    pytest.param(CHART, {"values": {"replicas": 10}}, "at most nine replicas", id="values"),
]


@pytest.mark.parametrize(("name", "changes", "words"), REFUSED)
def test_helm_refuses_in_its_own_words(helm, repository, name, changes, words):
    with pytest.raises(ChartError, match=words) as refusal:
        rendered(helm, name, repository=repository, **changes)
    assert str(refusal.value).startswith(f"{name}: Error: ")


def test_a_release_from_its_installation_to_its_end(helm, repository, cluster, namespace):
    """Against a real API server; the kinds of the chart's CRD are there before the first object of theirs."""
    api = cluster.api
    inputs = {
        "chart": CHART,
        "version": VERSION,
        "name": "little",
        "namespace": namespace,
        "repositoryOpts": {"repo": repository},
        "values": {"replicas": 2},
    }

    def there(kind, name, version="v1"):
        """The object, unless it is gone or goes once what it owns has gone."""
        found = api.get(version, kind, name, namespace)
        return None if found is None or "deletionTimestamp" in found["metadata"] else found

    installed = helm_release.install(api, inputs, Helm(helm, "1.35"))
    assert (installed.id, installed.outputs["status"]["revision"]) == (f"{namespace}/little", 1)
    assert there("ConfigMap", "settings")["data"]["replicas"] == "2"
    assert helm_release.read(api, inputs) == inputs

    assert there("ConfigMap", "settings")["data"]["cluster"] == "v1.35.0"

    opened = {**inputs, "values": {"replicas": 3, "closed": False}}
    assert helm_release.upgrade(api, inputs, opened, Helm(helm, "1.35"))["status"]["revision"] == 2
    changed = there("ConfigMap", "settings")["data"]
    assert (changed["replicas"], changed["rules"]) == ("3", "true"), "its kind is there since the installation"
    assert there("NetworkPolicy", "closed", "networking.k8s.io/v1") is None

    helm_release.uninstall(api, opened, Helm(helm, "1.35"))
    assert there("ConfigMap", "settings") is None
    assert there("DaemonSet", "little-plugin", "apps/v1") is None
    assert helm_release.read(api, opened) is None
    assert api.get(CRD["apiVersion"], CRD["kind"], CRD["metadata"]["name"]) is not None, "Helm never deletes them"
    api.delete(CRD["apiVersion"], CRD["kind"], CRD["metadata"]["name"])


@pytest.fixture
def stand_in(tmp_path):
    """A program in place of helm: writes down how it is asked, and answers with what it is given."""

    def make(answer: str = "", *, refusal: str = "") -> tuple[Path, Path]:
        program, asked = tmp_path / "helm", tmp_path / "asked.json"
        (tmp_path / "answer").write_text(answer)
        program.write_text(
            "#!/usr/bin/env python3\nimport json, pathlib, sys\n"
            "at = sys.argv.index('--values') + 1\n"
            "values = pathlib.Path(sys.argv.pop(at)).read_text()\n"
            f"pathlib.Path({str(asked)!r}).write_text(json.dumps([sys.argv[1:], values]))\n"
            f"sys.stdout.write(pathlib.Path({str(tmp_path / 'answer')!r}).read_text())\n"
            f"sys.exit({refusal!r} or 0)\n"
        )
        program.chmod(0o755)
        return program, asked

    return make


@pytest.mark.parametrize("repository", ["https://charts.example.com", None])
def test_how_helm_is_asked(stand_in, repository):
    program, asked = stand_in()

    what = {"repository": repository, "api_versions": ["a/v1", "a/v1/B"], "values": {"a": {"b": ["1", 2]}}}
    assert rendered(program, "plugin", **what) == {}

    arguments, values = json.loads(asked.read_text())
    assert arguments == [
        "template",
        *(("--repo", repository) if repository else ()),
        *("--version", VERSION, "--namespace", NAMESPACE, "--kube-version", "1.35.0"),
        *("--api-versions", "a/v1", "--api-versions", "a/v1/B", "--include-crds", "--no-hooks", "--values"),
        *("--", "little", "plugin"),
    ]
    assert json.loads(values) == {"a": {"b": ["1", 2]}}


def test_what_helm_answers_is_put_into_its_place(stand_in):
    rule = {"apiVersion": "little.example.com/v1", "kind": "LittleRule", "metadata": {"name": "one"}}
    elsewhere = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "kube-system"}}
    program, _ = stand_in(yaml.safe_dump_all([CRD, None, rule, elsewhere, DAEMON_SET]))

    found = rendered(program, "plugin")

    assert {kind: obj["metadata"].get("namespace") for (kind, _), obj in found.items()} == {
        "CustomResourceDefinition": None,
        "LittleRule": None,
        "Service": "kube-system",
        "DaemonSet": NAMESPACE,
    }
    template = found["DaemonSet", "RELEASE-plugin"]["spec"]["template"]
    assert template["metadata"]["labels"][ROLE_LABEL] == NVIDIA_DEVICE_PLUGIN


def test_what_helm_says_where_it_fails(stand_in):
    program, _ = stand_in(refusal="Error: chart not found")

    with pytest.raises(ChartError, match=r"^plugin: Error: chart not found$"):
        rendered(program, "plugin")


def test_a_helm_that_does_not_answer(stand_in, monkeypatch):
    program, _ = stand_in()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    monkeypatch.setattr(with_helm, "_PATIENCE_SECONDS", 0.05)

    with pytest.raises(ChartError, match=r"plugin: helm did not answer within 0.05 s"):
        rendered(program, "plugin")
