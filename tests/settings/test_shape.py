"""What is wrong with the shape of a stack file, in our own words and not in a library's."""

import ast
from dataclasses import asdict
from datetime import date
from pathlib import Path

import pytest

from eks_accelerators import settings
from eks_accelerators.settings.rules_page import SHAPE_CODES
from tests.settings.example import REMOVED
from tests.settings.stack_files import check_file, check_text

GROUP, QWEN, SLACK = "nodeGroups.gpu", "workloads.vllm.qwen", "monitoring.alerts.receiver.slack"
TOKEN = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz"

CASES = [
    pytest.param("unknown-key", {"nodeGroup": {}}, "nodeGroup", "did you mean `nodeGroups`?", id="misspelt-setting"),
    pytest.param(
        "unknown-key", {f"{GROUP}.size.maximum": 3}, f"{GROUP}.size.maximum", "did you mean `max`?", id="misspelt-key"
    ),
    pytest.param("unknown-key", {f"{GROUP}.colour": "red"}, f"{GROUP}.colour", "remove it", id="no-such-key"),
    pytest.param(
        "renamed-key",
        {"monitoring.prometheusOperator": True},
        "monitoring.prometheusOperator",
        "write `prometheus: existing`",
        id="operator",
    ),
    pytest.param(
        "renamed-key",
        {"monitoring.prometheusOperator": False},
        "monitoring.prometheusOperator",
        "`prometheus: none`",
        id="no-operator",
    ),
    pytest.param(
        "renamed-key",
        {"monitoring.prometheusOperator": [1]},
        "monitoring.prometheusOperator",
        "write `monitoring.prometheus`",
        id="operator-list",
    ),
    pytest.param(
        "renamed-key",
        {"monitoring.serviceMonitorLabels": {"release": "prometheus"}},
        "monitoring.serviceMonitorLabels",
        "write `monitoring.objectLabels`",
        id="labels",
    ),
    pytest.param("missing-key", {"owner": REMOVED}, "owner", "add `owner`", id="missing-setting"),
    pytest.param("missing-key", {"region": REMOVED}, "region", "add `aws:region`", id="missing-region"),
    pytest.param("missing-key", {f"{GROUP}.size.max": REMOVED}, f"{GROUP}.size.max", "add `max`", id="missing-key"),
    pytest.param("wrong-type", {"cluster.kubernetesVersion": 1.35}, "cluster.kubernetesVersion", "quotes", id="number"),
    pytest.param("wrong-type", {f"{GROUP}.size.max": "2"}, f"{GROUP}.size.max", "`max: 2`, without quotes", id="text"),
    pytest.param("wrong-type", {f"{GROUP}.efa.enabled": "yes"}, f"{GROUP}.efa.enabled", "`enabled: true`", id="yes"),
    pytest.param(
        "wrong-type", {f"{GROUP}.zones": "us-east-2a"}, f"{GROUP}.zones", "`zones: [us-east-2a]`", id="no-list"
    ),
    pytest.param("wrong-type", {GROUP: ["g6.2xlarge"]}, GROUP, "keys with values", id="list"),
    pytest.param("wrong-type", {"budget.monthlyUsd": "NaN"}, "budget.monthlyUsd", "a number above 0", id="no-number"),
    pytest.param(
        "not-allowed",
        {f"{GROUP}.capacityType": "ondemand"},
        f"{GROUP}.capacityType",
        "write `capacityType: onDemand`",
        id="word-misspelt",
    ),
    pytest.param(
        "not-allowed", {f"{GROUP}.localNvme": "zfs"}, f"{GROUP}.localNvme", "one of: unused, raid0", id="no-such-word"
    ),
    pytest.param("unquoted-date", {"tags.since": date(2026, 12, 1)}, "tags.since", "in quotes", id="date"),
    pytest.param(
        "invalid-name", {"nodeGroups.L4_shared": {}}, "nodeGroups.L4_shared", "call it `l4-shared`", id="name"
    ),
    pytest.param("invalid-name", {"nodeGroups": {"": {}}}, 'nodeGroups[""]', "another name", id="empty-name"),
    pytest.param(
        "invalid-name",
        {"cluster.addonVersions": {"cilium": "v1"}},
        "cluster.addonVersions.cilium",
        "write one of: eks-pod-identity-agent, vpc-cni",
        id="add-on",
    ),
    pytest.param("invalid-value", {f"{GROUP}.size.max": -1}, f"{GROUP}.size.max", "`max: 0` or more", id="negative"),
    pytest.param("invalid-value", {"region": "Ohio"}, "region", "for example `aws:region: us-east-2`", id="pattern"),
    pytest.param("invalid-value", {"owner": ""}, "owner", "text of 1 to 256 characters", id="empty-owner"),
    pytest.param("wrong-type", {f"{QWEN}.maxModelLen": 10**400}, f"{QWEN}.maxModelLen", "whole number", id="enormous"),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": TOKEN},
        f"{QWEN}.huggingFaceToken",
        "config set --secret",
        id="token",
    ),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": {TOKEN: None}},
        f"{QWEN}.huggingFaceToken",
        "config set --secret",
        id="token-as-key",
    ),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": {"existingSecret": TOKEN}},
        f"{QWEN}.huggingFaceToken.existingSecret",
        "config set --secret",
        id="token-for-a-name",
    ),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": {"configSecret": TOKEN}},
        f"{QWEN}.huggingFaceToken.configSecret",
        "config set --secret",
        id="token-for-a-config-secret",
    ),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": {"configSecret": "token"}, "token": TOKEN},
        "token",
        "`pulumi config set --secret token`",
        id="secret-in-plain-text",
    ),
    pytest.param(
        "secret-inline",
        {f"{QWEN}.huggingFaceToken": {"secure": TOKEN}},
        f"{QWEN}.huggingFaceToken",
        "config set --secret",
        id="secret-inside-a-setting",
    ),
    pytest.param(
        "secret-inline",
        {f"{SLACK}.webhook": f"https://hooks.slack.com/services/{TOKEN}"},
        f"{SLACK}.webhook",
        "config set --secret slackWebhook",
        id="webhook",
    ),
    pytest.param(
        "secret-inline",
        {f"{SLACK}.webhook": {"configSecret": f"https://hooks.slack.com/services/{TOKEN}"}},
        f"{SLACK}.webhook.configSecret",
        "config set --secret slackWebhook",
        id="webhook-for-a-config-secret",
    ),
    pytest.param(
        "secret-inline",
        {f"{SLACK}.webhook": {"configSecret": "slackWebhook"}, "slackWebhook": TOKEN},
        "slackWebhook",
        "`pulumi config set --secret slackWebhook`",
        id="webhook-in-plain-text",
    ),
    pytest.param("secret-inline", {"owner": {"secure": TOKEN}}, "owner", "in plain text", id="secret-setting"),
]


@pytest.mark.parametrize(("code", "patch", "path", "fix"), CASES)
def test_problems(tmp_path, code, patch, path, fix):
    checked = check_file(tmp_path, patch)
    found = [problem for problem in checked.problems if (problem.code, problem.path) == (code, path)]

    assert found, [str(problem) for problem in checked.problems]
    assert fix in found[0].fix
    assert found[0].line
    assert found[0].severity == "error"


@pytest.mark.parametrize(("code", "patch", "path", "fix"), CASES)
def test_no_problem_shows_a_secret(tmp_path, code, patch, path, fix):
    for problem in check_file(tmp_path, patch).problems:
        assert TOKEN not in str(problem)
        assert TOKEN not in str(asdict(problem))


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"workloads": [{"huggingFaceToken": TOKEN}]}, id="list-of-workloads"),
        pytest.param({"workloads.vllm": [{"qwen": {"huggingFaceToken": {"token": TOKEN}}}]}, id="deeper"),
        pytest.param({"region": {"secure": TOKEN}}, id="region"),
        pytest.param({f"{QWEN}.token": TOKEN}, id="unknown-key"),
        pytest.param({f"{QWEN}.huggingFaceToken": {"configSecret": [TOKEN]}}, id="list-of-names"),
    ],
)
def test_secrets_in_the_wrong_place_stay_hidden(tmp_path, patch):
    problems = check_file(tmp_path, patch).problems

    assert problems
    assert not any(TOKEN in str(problem) for problem in problems)


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        pytest.param("eks-acelerators:owner", "write `eks-accelerators:owner`", id="misspelt"),
        pytest.param("eks-accelerators:region", "write `aws:region`", id="region-is-the-provider-s"),
    ],
)
def test_unknown_namespace(tmp_path, key, fix):
    text = f"config:\n  aws:region: us-east-2\n  eks-accelerators:owner: ml\n  {key}: us-east-2\n"
    found = [p for p in check_text(tmp_path, text).problems if p.code == "unknown-namespace"]

    assert [(problem.path, problem.line, problem.fix) for problem in found] == [(key, 4, fix)]


def test_other_namespaces_are_left_alone(tmp_path):
    problems = check_text(tmp_path, "config:\n  aws:profile: ml\n  datadog:site: eu\n").problems

    assert "unknown-namespace" not in {problem.code for problem in problems}


def test_all_problems_come_at_once_with_their_lines(tmp_path):
    text = """\
config:
  aws:region: us-east-2
  eks-accelerators:ownr: ml
  eks-accelerators:network:
    create:
      zones: [us-east-2a]
      natGateways: two
  eks-accelerators:nodeGroups:
    l4:
      instanceType: g6.2xlarge
      size: {max: many}
      taints:
        - key: team
        - key: 7
"""
    found = {(p.code, p.path, p.line) for p in check_text(tmp_path, text).problems}

    assert found == {
        ("unknown-key", "ownr", 3),
        ("not-allowed", "network.create.natGateways", 7),
        ("wrong-type", "nodeGroups.l4.size.max", 11),
        ("wrong-type", "nodeGroups.l4.taints[1].key", 14),
    }


def test_every_code_of_the_shape_is_documented():
    """Reads the codes out of the source: the first argument of `Problem`, the second of `wrong`."""
    position = {"Problem": 0, "wrong": 1}
    codes = set()
    for file in Path(settings.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in position:
                argument = node.args[position[node.func.id]]
                codes |= {argument.value} if isinstance(argument, ast.Constant) else set()

    assert codes == set(SHAPE_CODES)
