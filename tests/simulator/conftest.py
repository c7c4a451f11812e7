"""A control plane for tests that need one, and what happens where its programs are missing."""

import fcntl
import os
import shutil
from uuid import uuid4

import pytest

from eks_accelerators.simulator.engines import MissingEnginesError, find
from eks_accelerators.simulator.keda import server as keda_server
from eks_accelerators.simulator.keda.programs import ENGINES as KEDA
from eks_accelerators.simulator.keda.programs import OPERATOR, WEBHOOKS
from tests.simulator.control_planes import control_plane
from tests.simulator.further import further
from tests.simulator.keda.judge import Admission, Scaler
from tests.simulator.lives import Deployments


def pytest_collection_modifyitems(items):
    """Tests that use the fixture `engines`, also by way of another, have its mark."""
    for item in items:
        if "engines" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.engines)


@pytest.fixture(scope="session")
def engines():
    """Where the engines are. Tests that need them are skipped where they are missing; in CI that is a failure."""
    try:
        return find()
    except MissingEnginesError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def cluster(engines, tmp_path_factory):
    """A running control plane, one for each worker: tests use a `namespace`, and nodes that only their pods tolerate."""
    folder = tmp_path_factory.mktemp("cluster")
    with control_plane(engines, folder) as running:
        yield running
    shutil.rmtree(folder)  # etcd's log of writes alone is 64 MB


@pytest.fixture(scope="session")
def deployments(engines, tmp_path_factory):
    """Deployed stacks to begin from, each deployed once for all workers."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "deployed"
    shared.mkdir(exist_ok=True)
    with (shared / "users").open("w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)  # shared, which filelock's locks of one file are not
        yield Deployments(engines, shared)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return  # another worker still uses them
        shutil.rmtree(shared)


@pytest.fixture
def namespace(cluster):
    """A namespace of the test's own."""
    name = f"test-{uuid4().hex[:8]}"
    cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    cluster.api.delete("v1", "Namespace", name)


@pytest.fixture(scope="session")
def admitted(cluster):
    """What the API server makes of a ScaledObject that it and KEDA's webhooks have judged; else it raises why not."""
    with keda_server.judge(further(OPERATOR, WEBHOOKS), cluster):
        yield Admission(cluster.api)


@pytest.fixture(scope="session")
def made_of(cluster):
    """The HorizontalPodAutoscaler that a running KEDA makes of a ScaledObject; else it raises why it makes none."""
    with keda_server.keda(further(*KEDA), cluster):
        yield Scaler(cluster.api)
