"""The components as a Pulumi package, asked for by Pulumi's own command line from a project outside of the repository.

`pulumi package add` of the folder goes further than can be shown without the network: its language plugin for Python installs
requirements.txt, and it gets the plugins of the providers. What it then starts is the program that is started here.
"""

import json
import os
import shlex
import subprocess
import sys

import pytest
import yaml
from pulumi.provider.experimental.component import ComponentProvider

from eks_accelerators import components
from eks_accelerators.simulator.engines import MissingEnginesError, find
from tests.docs.pages import ROOT
from tests.packaging.outside import shown

pytestmark = [pytest.mark.slow, pytest.mark.engines]

PACKAGE = "eks-accelerators"


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """What the command line says of the package, which runs as the plugin that it starts by its path."""
    try:
        pulumi = find()["pulumi"]
    except MissingEnginesError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("outside")
    plugin = folder / f"pulumi-resource-{PACKAGE}"
    plugin.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(ROOT / "components"))} "$@"\n')
    plugin.chmod(0o755)
    done = subprocess.run(
        [str(pulumi), "package", "get-schema", f"./{plugin.name}"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_command_line_is_told_of_every_component(schema):
    wanted = json.loads(ComponentProvider(list(components.ALL), PACKAGE).schema)

    assert set(schema["resources"]) == {f"{PACKAGE}:index:{each.__name__}" for each in components.ALL}
    for token, resource in wanted["resources"].items():
        found = schema["resources"][token]
        assert set(found["inputProperties"]) == set(resource["inputProperties"])
        assert set(found.get("requiredInputs", [])) == set(resource.get("requiredInputs", []))


def test_the_project_in_yaml_on_the_page_says_what_the_package_takes(schema):
    (program,) = shown("outside project in YAML").values()
    used = {name: each for name, each in yaml.safe_load(program)["resources"].items() if PACKAGE in each["type"]}

    assert len(used) == 2
    for resource in used.values():
        known = schema["resources"][resource["type"]]
        assert set(known.get("requiredInputs", [])) <= set(resource["properties"]) <= set(known["inputProperties"])
        for name, value in resource["properties"].items():
            assert wrong(value, known["inputProperties"][name], schema["types"]) == []


def test_a_mistake_in_such_a_project_would_be_seen(schema):
    known = schema["resources"][f"{PACKAGE}:index:NvidiaDevicePlugin"]["inputProperties"]

    assert wrong([{"strategy": "timeSlicing", "replica": 4}], known["sharings"], schema["types"]) == ["replica"]
    assert wrong([{"strategy": 4}], known["sharings"], schema["types"]) == ["4"]


def wrong(value, shape, types):
    """What in a value does not have the shape that the schema gives it."""
    shape = types[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    if shape["type"] == "array":
        return [each for item in value for each in wrong(item, shape["items"], types)]
    if shape["type"] == "object":
        known = shape.get("properties", {})
        return [
            each
            for name, item in value.items()
            for each in (wrong(item, known[name], types) if name in known else [name])
        ]
    expected = {"string": str, "integer": int, "number": (int, float), "boolean": bool}[shape["type"]]
    return [] if isinstance(value, expected) else [str(value)]
