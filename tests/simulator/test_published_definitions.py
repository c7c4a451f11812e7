"""Every manifest that the package writes is taken by a real API server that has the published definitions of all kinds, with every
unknown field refused; its pods are admitted at the Pod Security level of their namespace.
"""

import copy
import os
import shutil

import pytest

from tests.simulator import manifests, published_definitions
from tests.simulator.judgement import judge
from tests.simulator.kubernetes.test_workload_admission import LEVELS

pytestmark = [pytest.mark.engines, pytest.mark.slow]

CHARTS_ALONE = {"gpu-operator"}
"""Projects of whose kinds only charts make objects."""

WRITTEN = [project for project in published_definitions.GROUPS if project not in CHARTS_ALONE]

EVERY = 5 if os.environ.get("CI") else 1
"""In CI, which has little time left, one stack of the case tables in five."""


@pytest.fixture(scope="module")
def server(engines, tmp_path_factory):
    """An API server of its own."""
    folder = tmp_path_factory.mktemp("published")
    with judge(engines, folder) as server:
        yield server
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def usual():
    return manifests.usual()


@pytest.fixture(scope="module")
def of_the_case_tables():
    return manifests.of_the_case_tables(EVERY)


def of_project(written, project):
    return [each for each in written if published_definitions.project_of(each.manifest["apiVersion"]) == project]


@pytest.mark.parametrize("project", WRITTEN)
def test_what_is_written_of_a_project_s_kinds_is_taken(server, usual, project):
    published_definitions.of(project)
    mine = of_project(usual, project)

    assert mine
    assert server.refused(mine) == {}


def test_what_is_written_of_kubernetes_own_kinds_is_taken(server, usual):
    mine = of_project(usual, None)

    assert {"Deployment", "Job", "PersistentVolume", "NetworkPolicy"} <= {each.manifest["kind"] for each in mine}
    assert server.refused(mine) == {}


def test_all_pods_are_admitted_at_the_level_of_their_namespace(server, usual):
    mine = [each for each in usual if each.level and list(manifests.pod_templates(each.manifest))]

    assert {each.level for each in mine} == set(LEVELS)
    assert server.pods_refused(mine) == {}


@pytest.mark.parametrize("project", WRITTEN)
def test_a_field_that_is_not_of_the_kind_is_refused(server, usual, project):
    """Otherwise the tests above would pass whatever is written."""
    published_definitions.of(project)
    manifest = copy.deepcopy(of_project(usual, project)[0].manifest)
    manifest["spec"]["misspelt"] = "field"

    assert 'unknown field "spec.misspelt"' in server.refusal(manifest)


def test_a_definition_without_its_words_judges_as_the_whole_one():
    text, schema = "what it is", {"type": "string", "description": "what it is"}
    whole = {"description": text, "type": "object", "properties": {"description": schema, "size": schema}}

    lean = {"type": "string"}
    assert published_definitions.without_words(whole) == {
        "type": "object",
        "properties": {"description": lean, "size": lean},
    }


@pytest.mark.thorough
def test_what_the_stacks_of_the_case_tables_write_is_taken(server, of_the_case_tables):
    """Of the kinds whose definitions are here."""
    mine = [each for each in of_the_case_tables if published_definitions.takes(each.manifest["apiVersion"])]

    assert len(mine) > 250 / EVERY
    assert server.refused(mine) == {}
    assert server.pods_refused(mine) == {}
