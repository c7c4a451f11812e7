"""What a verification creates, against Kubernetes' own schemas."""

import kubernetes_validate
import pytest

from eks_accelerators.accelerators import kubernetes_versions
from tests.verification.test_faults_found import STACKS
from tests.verification.worlds import made_by

VERSION = kubernetes_versions.default()
KINDS = {"namespaces", "jobs", "services", "configmaps", "resourceclaimtemplates"}


@pytest.mark.parametrize("stack", STACKS)
def test_every_object_is_valid(stack):
    made = made_by(STACKS[stack])

    assert {kind for kind, _ in made} <= KINDS
    for _, each in made:
        kubernetes_validate.validate(each, VERSION, strict=True)


def test_every_kind_is_among_them():
    assert {kind for stack in STACKS.values() for kind, _ in made_by(stack)} == KINDS
