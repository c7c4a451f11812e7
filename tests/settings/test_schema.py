import json

import jsonschema
import pytest
import yaml

from eks_accelerators.settings import schema
from tests.settings.example import REMOVED
from tests.settings.stack_files import SHIPPED, document

VALIDATOR = jsonschema.Draft7Validator(schema.stack_file_schema())


def test_the_written_schema_is_current():
    assert schema.PATH.read_text(encoding="utf-8") == schema.schema_text(), (
        "run `python -m eks_accelerators.settings.schema`"
    )


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(schema.stack_file_schema())


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_stacks_are_valid(path):
    VALIDATOR.validate(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="example"),
        pytest.param({"huggingFaceToken": {"secure": "v1:abc"}}, id="secret"),
        pytest.param({"nodeGroups.gpu.size.desired": 99}, id="rules-are-not-its-business"),
    ],
)
def test_right_files_pass(patch):
    VALIDATOR.validate(document(patch))


@pytest.mark.parametrize(
    ("more", "valid"),
    [
        ({"encryptionsalt": "v1:abc"}, True),
        ({"secretsprovider": "awskms://alias/pulumi", "encryptedkey": "abc"}, True),
        ({"environment": ["aws/dev"]}, True),
        ({"configs": {}}, False),
        ({"encryptionsalt": 7}, False),
    ],
)
def test_keys_beside_config(more, valid):
    assert VALIDATOR.is_valid({**document({}), **more}) is valid


@pytest.mark.parametrize(
    ("key", "valid"),
    [
        pytest.param("aws:profile", True, id="provider"),
        pytest.param("datadog:site", True, id="other-namespace"),
        pytest.param("owner", False, id="no-namespace"),
        pytest.param("eks-accelerators:ownr", False, id="misspelt"),
    ],
)
def test_keys_of_config(key, valid):
    stack = document({})
    stack["config"][key] = "ml"

    assert VALIDATOR.is_valid(stack) is valid


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"owner": REMOVED}, id="no-owner"),
        pytest.param({"region": REMOVED}, id="no-region"),
        pytest.param({"owner": {"secure": "v1:abc"}}, id="secret-setting"),
        pytest.param({"nodeGroup": {"gpu": {}}}, id="misspelt-setting"),
        pytest.param({"nodeGroups.gpu.sise": {}}, id="misspelt-key"),
        pytest.param({"nodeGroups.GPU": {"instanceType": "g6.xlarge", "size": {"max": 1}}}, id="bad-name"),
        pytest.param({"nodeGroups.gpu.size.max": "2"}, id="text-for-a-number"),
        pytest.param({"nodeGroups.gpu.capacityType": "onDemnad"}, id="no-such-word"),
        pytest.param({"cluster.addonVersions": {"cilium": "v1"}}, id="no-such-add-on"),
        pytest.param({"cluster.kubernetesVersion": 1.35}, id="version-without-quotes"),
    ],
)
def test_wrong_files_are_refused(patch):
    assert not VALIDATOR.is_valid(document(patch))


def test_it_says_nothing_about_python():
    assert "title" not in json.dumps(schema.stack_file_schema()["$defs"]["ClusterSettings"])
