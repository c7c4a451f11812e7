"""Kubeconfigs that lead nowhere: one line each, and nothing else on standard error."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from eks_accelerators.accel.cli import app
from eks_accelerators.accel.verify.kubernetes_cluster import KubernetesCluster
from eks_accelerators.verification.cluster import ClusterError
from tests.accel.plans import ROOT
from tests.verification.http_cluster import kubeconfig

EXEC = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "no-such-aws"}
FAILS = {**EXEC, "command": "sh", "args": ["-c", "echo 'no credentials' >&2; exit 255"]}
CREDENTIAL = {"apiVersion": EXEC["apiVersion"], "kind": "ExecCredential", "status": {}}
NO_TOKEN = {**EXEC, "command": "echo", "args": [json.dumps(CREDENTIAL)]}
NO_SHAPE = "clusters, users or contexts are not those of a kubeconfig; run `aws eks update-kubeconfig"

TEXTS = {
    "no YAML": ("foo: [", "no YAML: while parsing a flow node"),
    "no text": ("a\0b", "no YAML: unacceptable character"),
    "a word": ("foo", NO_SHAPE),
    "a list": ("[]", NO_SHAPE),
    "clusters that are a word": ("clusters: foo\ncurrent-context: x\n", "Invalid kube-config file"),
    "nothing": ("", "is empty"),
    "no context": ("apiVersion: v1\n", "Expected key current-context"),
}
COMMANDS = {
    "not there": (EXEC, "its command no-such-aws is not there: install no-such-aws, or put it on PATH"),
    "fails": (FAILS, "(exec: process returned 255. no credentials): run it by hand"),
    "no token": (NO_TOKEN, "missing token or clientCertificateData"),
}


def refused(file):
    with pytest.raises(ClusterError) as refusal:
        KubernetesCluster(file)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize("case", TEXTS)
def test_a_file_that_is_no_kubeconfig(tmp_path, case):
    text, said = TEXTS[case]
    file = tmp_path / "kubeconfig"
    file.write_text(text, encoding="utf-8")

    assert said in refused(file)


@pytest.mark.parametrize("case", COMMANDS)
def test_a_command_that_makes_no_credentials(tmp_path, case):
    user, said = COMMANDS[case]

    assert said in refused(kubeconfig(tmp_path, "http://127.0.0.1:9", {"exec": user}))


def test_the_status_of_the_command(tmp_path):
    file = tmp_path / "kubeconfig"
    file.write_text("foo: [", encoding="utf-8")

    found = CliRunner().invoke(app, ["verify", "dev", "--level", "api", "--kubeconfig", str(file)])

    assert (found.exit_code, "no YAML" in found.output) == (3, True)


def test_nothing_else_reaches_standard_error(tmp_path):
    """In a process of its own: the loggers of this one have handlers of pytest."""
    file = kubeconfig(tmp_path, "http://127.0.0.1:9", {"exec": EXEC})
    program = "import sys; from eks_accelerators.accel.cli import app; app(sys.argv[1:])"
    verify = ["verify", "dev", "--level", "api", "--kubeconfig", str(file)]

    done = subprocess.run(
        [sys.executable, "-c", program, *verify], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("no-such-aws is not there") == 1
    assert not [word for word in ("ERROR", "WARNING", "Retry", "Errno", "does not answer") if word in done.stderr]
