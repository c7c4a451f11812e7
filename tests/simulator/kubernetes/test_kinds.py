"""Which kinds a server has, while kinds come and go."""

import json
from types import SimpleNamespace

import pytest
from kubernetes.client.exceptions import ApiException

from eks_accelerators.simulator.kubernetes.kinds import Kinds

POD = {"name": "pods", "kind": "Pod", "namespaced": True, "verbs": ["list", "delete"]}
BINDING = {"name": "bindings", "kind": "Binding", "namespaced": True, "verbs": ["create"]}
EVICTION = {"name": "pods/eviction", "kind": "Eviction", "namespaced": True, "verbs": ["list", "delete"]}
FEATURE = {"name": "nodefeatures", "kind": "NodeFeature", "namespaced": True, "verbs": ["list", "delete"]}
GROUPS = {"groups": [{"preferredVersion": {"groupVersion": "nfd.k8s-sigs.io/v1alpha1"}}]}


def server(pages):
    """Answers like an API server with these pages; a number is the status of a refusal."""

    def request(_method, path, **_options):
        page = pages.get(path, 404)
        if isinstance(page, int):
            raise ApiException(status=page)
        return SimpleNamespace(data=json.dumps(page))

    return Kinds(request)


@pytest.mark.parametrize(
    ("features", "kinds"),
    [
        pytest.param(
            {"resources": [FEATURE]}, [("v1", "Pod"), ("nfd.k8s-sigs.io/v1alpha1", "NodeFeature")], id="there"
        ),
        pytest.param(404, [("v1", "Pod")], id="gone since the groups were listed"),
    ],
)
def test_what_can_be_deleted(features, kinds):
    pages = {"/apis": GROUPS, "/api/v1": {"resources": [POD, BINDING, EVICTION]}}

    assert server({**pages, "/apis/nfd.k8s-sigs.io/v1alpha1": features}).deletable() == kinds


def test_a_server_that_fails_is_not_taken_for_one_without_kinds():
    pages = {"/apis": GROUPS, "/api/v1": {"resources": [POD]}, "/apis/nfd.k8s-sigs.io/v1alpha1": 503}

    with pytest.raises(ApiException):
        server(pages).deletable()
