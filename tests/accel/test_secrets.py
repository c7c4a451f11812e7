"""A token is never shown: not in any output, not in a problem, not in what is raised or logged."""

import pulumi
import pytest

from eks_accelerators.accel.plan.recorder import SECRET, record
from eks_accelerators.accel.renderers import markdown
from eks_accelerators.settings import SettingsError
from tests.accel.plans import as_json, of_kind, planned, text
from tests.settings.example import REMOVED
from tests.test_program import deployed

TOKEN = "hf_ThisIsNoRealTokenAtAll"
WORKLOAD = "workloads.vllm.qwen.huggingFaceToken"
NAMED = {WORKLOAD: {"configSecret": "huggingFaceToken"}}
SECURE = {"secure": TOKEN}

PLACES = [
    pytest.param({**NAMED, "huggingFaceToken": SECURE}, id="as-it-should-be"),
    pytest.param({**NAMED, "huggingFaceToken": TOKEN}, id="named-in-plain-text"),
    pytest.param({"huggingFaceToken": TOKEN}, id="unnamed-in-plain-text"),
    pytest.param({"huggingFaceToken": SECURE}, id="unnamed"),
    pytest.param({WORKLOAD: TOKEN}, id="inline"),
    pytest.param({WORKLOAD: SECURE}, id="inline-and-secure"),
    pytest.param({WORKLOAD: [TOKEN]}, id="inline-list"),
    pytest.param({WORKLOAD: {"value": TOKEN}}, id="inline-value"),
    pytest.param({WORKLOAD: {"configSecret": SECURE}}, id="secure-for-a-name"),
    pytest.param({WORKLOAD: {"existingSecret": TOKEN}}, id="for-the-name-of-a-secret-in-kubernetes"),
    pytest.param({"owner": SECURE}, id="secure-for-a-setting"),
    pytest.param({"tags": {"token": SECURE}}, id="secure-inside-a-setting"),
    pytest.param({"nodeGroups.gpu.labels": {"deep": [{"er": SECURE}]}}, id="secure-deep-inside"),
]


@pytest.mark.parametrize("patch", PLACES)
def test_no_output_has_it(tmp_path, patch):
    made = planned(tmp_path, patch)

    for output in (as_json(made.report), text(made.report), text(made.report, 60), markdown(made.report)):
        assert TOKEN not in output
    assert not made.recording or TOKEN not in repr(made.recording)


@pytest.mark.parametrize("patch", PLACES)
def test_nothing_raised_or_logged_has_it(patch):
    # The engine decrypts what is secret as a whole, and says which keys were.
    secret = [key for key, value in patch.items() if value == SECURE and "." not in key]
    deployment = deployed(patch | dict.fromkeys(secret, REMOVED), dict.fromkeys(secret, TOKEN))

    assert TOKEN not in f"{deployment.error} {deployment.error!r} {deployment.log}"
    assert TOKEN not in repr([resource.inputs for resource in deployment.resources])


@pytest.mark.parametrize("secret", [SECURE, None], ids=["set", "not-set"])
def test_the_plan_shows_that_it_is_secret(tmp_path, secret):
    made = planned(tmp_path, {**NAMED, "huggingFaceToken": secret})
    (kubernetes,) = of_kind(made.report.as_data(), "kubernetes:core/v1:Secret")

    assert kubernetes["inputs"]["stringData"] == SECRET
    assert ["secret-unset"] * (secret is None) == [problem.code for problem in made.report.problems]


def test_what_a_program_makes_of_a_secret_is_secret():

    def program():
        token = pulumi.Config("test").require_secret("token")
        pulumi.export("upper", token.apply(str.upper))
        pulumi.export("inside", {"a": [token]})

    made = record(program, project="test", stack_name="test", config={"test:token": TOKEN}, secrets={"test:token"})
    assert made.outputs == {"upper": SECRET, "inside": {"a": [SECRET]}}


def test_a_program_that_fails_with_settings_in_hand_keeps_them():
    error = deployed({WORKLOAD: TOKEN}).error

    assert isinstance(error, SettingsError)
    assert [problem.found for problem in error.problems] == ["[hidden]"]
