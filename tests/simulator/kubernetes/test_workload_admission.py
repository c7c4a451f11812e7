"""A real API server admits the pods of every kind of workload, and those of a verification, at the Pod Security level that they
are for, and at none that is stricter.
"""

import pytest

from eks_accelerators.components.workload_kinds import component_of
from eks_accelerators.settings.workload_kinds import KINDS
from eks_accelerators.simulator.kubernetes.api import ApiError
from eks_accelerators.verification.device_checks import Level
from tests.components.examples import deployed
from tests.simulator.kubernetes.test_real_api_server import at_level  # noqa: F401  (a fixture)
from tests.verification.test_faults_found import STACKS
from tests.verification.worlds import made_by

LEVELS = ("privileged", "baseline", "restricted")
_NAMED = ("serviceAccountName", "runtimeClassName", "priorityClassName")
"""What is not there, since all this is a dry run."""

_GROUPS = ("apps/", "batch/", "policy/", "networking.k8s.io/", "resource.k8s.io/", "rbac.authorization.k8s.io/", "v1")
"""Kinds that Kubernetes itself has."""


EVERY_KIND = pytest.mark.parametrize(
    "component", [component_of(kind) for kind in KINDS], ids=lambda each: each.__name__
)


def pod_of(template, namespace):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"generateName": "p-", "namespace": namespace, "labels": template["metadata"].get("labels", {})},
        "spec": {key: value for key, value in template["spec"].items() if key not in _NAMED},
    }


def objects(component):
    """What Kubernetes gets of a component's example, namespaces and kinds of others apart."""
    for resource in deployed(component).resources:
        sent = resource.inputs
        if sent.get("apiVersion", "").startswith(_GROUPS) and sent["kind"] not in ("Namespace", "Secret"):
            yield sent


def templates_of(component):
    """Of all pods that it makes."""
    return [each["spec"]["template"] for each in objects(component) if "template" in (each.get("spec") or {})]


@EVERY_KIND
def test_a_kind_of_workload_is_admitted_at_its_level(cluster, at_level, component):  # noqa: F811
    namespace = at_level(component.POD_SECURITY)
    templates = templates_of(component)

    assert templates
    for each in objects(component):
        metadata = {"name": "named-by-pulumi", **each["metadata"], "namespace": namespace}
        cluster.api.apply({**each, "metadata": metadata}, dry_run=True)
    for template in templates:
        cluster.api.create(pod_of(template, namespace), dry_run=True)


@EVERY_KIND
def test_it_is_admitted_at_no_stricter_level(cluster, at_level, component):  # noqa: F811
    """A level that is laxer than it has to be would pass the test above."""
    stricter = LEVELS[LEVELS.index(component.POD_SECURITY) + 1 :]
    if not stricter:
        return
    namespace = at_level(stricter[0])

    with pytest.raises(ApiError, match="violates PodSecurity"):
        cluster.api.create(pod_of(templates_of(component)[0], namespace), dry_run=True)


@pytest.mark.parametrize("stack", STACKS)
def test_a_verification_s_own_pods_are_admitted(cluster, at_level, stack):  # noqa: F811
    namespace = at_level("privileged")
    made = [(kind, each) for kind, each in made_by(STACKS[stack]) if kind != "namespaces"]

    assert made
    for kind, each in made:
        metadata = {**each["metadata"], "namespace": namespace}
        cluster.api.create({**each, "metadata": metadata}, dry_run=True)
        if kind == "jobs":
            cluster.api.create(pod_of(each["spec"]["template"], namespace), dry_run=True)


@EVERY_KIND
def test_the_pods_that_try_volumes_are_admitted_beside_those_of_any_workload(cluster, at_level, component):  # noqa: F811
    """In its namespace, as whom its own pods run."""
    namespace = at_level(component.POD_SECURITY)
    theirs = templates_of(component)[0]["spec"]
    made = made_by(STACKS["mounted"], nodes=1, level=Level.STANDARD, pod=theirs)
    jobs = [each for each_kind, each in made if each_kind == "jobs" and each["metadata"]["namespace"] == "llm"]

    assert len(jobs) == 3
    for each in jobs:
        cluster.api.create(pod_of(each["spec"]["template"], namespace), dry_run=True)
