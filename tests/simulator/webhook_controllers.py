"""Real controllers with their webhooks, beside a control plane: the API server asks them about every object of their kind and its pods.

Sources: JobSet v0.12.0 and LeaderWorkerSet v0.9.0, `main.go`, `api/config/v1alpha1` and the webhooks below `config`, read 2026-11-23.
"""

import base64
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eks_accelerators.simulator.kubernetes import credentials
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.control_plane import EXTENSION, ControlPlane
from eks_accelerators.simulator.processes import Servers, free_port
from eks_accelerators.simulator.readiness import answers
from tests.polls import PATIENCE_SECONDS, until
from tests.simulator import published_definitions
from tests.simulator.control_planes import control_plane
from tests.simulator.further import further

ADMISSION = "admissionregistration.k8s.io/v1"
WEBHOOKS = {"MutatingWebhookConfiguration": "mutate", "ValidatingWebhookConfiguration": "validate"}


@dataclass(frozen=True)
class WebhookController:
    """One controller: its program, its project as in `published_definitions.GROUPS`, its kind, the label of its pods, and when it may change an object."""

    program: str
    project: str
    configuration: str
    group: str
    version: str
    resource: str
    label: str
    changes: tuple[str, ...]

    @property
    def path(self) -> str:
        """Of its webhooks, after what they do."""
        return f"{self.group}-{self.version}-{self.resource.removesuffix('s')}".replace(".", "-")


JOB_SET = WebhookController(
    program="jobset-controller",
    project="jobset",
    configuration="config.jobset.x-k8s.io/v1alpha1",
    group="jobset.x-k8s.io",
    version="v1alpha2",
    resource="jobsets",
    label="jobset.sigs.k8s.io/jobset-name",
    changes=("CREATE",),
)
LEADER_WORKER_SET = WebhookController(
    program="lws-controller",
    project="lws",
    configuration="config.lws.x-k8s.io/v1alpha1",
    group="leaderworkerset.x-k8s.io",
    version="v1",
    resource="leaderworkersets",
    label="leaderworkerset.sigs.k8s.io/name",
    changes=("CREATE", "UPDATE"),
)


@contextmanager
def cluster_with(its: WebhookController, engines: Mapping[str, Path], folder: Path, namespace: str) -> Iterator[Api]:
    """An API server with the published definitions, the controller, and ``namespace``, for the time of a `with` block.

    The test is skipped, by name, where the program or the definitions are missing.
    """
    program = further(its.program)[its.program]
    definitions = published_definitions.of(its.project)
    with control_plane(engines, folder) as cluster:
        for definition in definitions:
            cluster.api.create(published_definitions.without_words(definition))
        until(lambda: f"{its.group}/{its.version}" in {version for version, _ in cluster.api.kinds()})
        with controller(its, program, cluster):
            cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
            yield cluster.api
    shutil.rmtree(folder)


@contextmanager
def controller(its: WebhookController, program: Path, cluster: ControlPlane) -> Iterator[None]:
    """It runs for the time of a `with` block, and is ready at its beginning; its definitions are in the cluster already."""
    with Servers() as servers:
        port, health = free_port(), free_port()
        certificates = servers.folder / "certificates"
        certificates.mkdir(mode=0o700)
        credentials.certificate(cluster.ca_file.parent, certificates, "tls", ["localhost"])
        config = servers.folder / "config.json"
        config.write_text(json.dumps(_configuration(its, port, health, certificates)), encoding="utf-8")
        servers.start(its.program, ["env", f"KUBECONFIG={cluster.kubeconfig}", program, f"--config={config}"])
        servers.wait(its.program, answers(f"http://127.0.0.1:{health}/readyz"), PATIENCE_SECONDS)
        for kind in WEBHOOKS:
            cluster.api.apply(_webhooks(its, kind, port, cluster.ca_file.read_bytes()))
        try:
            yield
        finally:
            for kind in WEBHOOKS:
                cluster.api.delete(ADMISSION, kind, its.program, grace_seconds=0)


def _configuration(its: WebhookController, port: int, health: int, certificates: Path) -> dict[str, Any]:
    return {
        "apiVersion": its.configuration,
        "kind": "Configuration",
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "webhook": {"host": "127.0.0.1", "port": port, "certDir": str(certificates)},
        "metrics": {"bindAddress": "0"},
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
    }


def _webhooks(its: WebhookController, kind: str, port: int, authority: bytes) -> dict[str, Any]:
    verb = WEBHOOKS[kind]
    operations = its.changes if verb == "mutate" else ("CREATE", "UPDATE")
    of_pods = {"objectSelector": {"matchExpressions": [{"key": its.label, "operator": "Exists"}]}}
    singular = its.resource.removesuffix("s")
    asked = [
        (singular, its.path, its.group, its.version, its.resource, operations, {}),
        ("pod", "-v1-pod", "", "v1", "pods", ("CREATE",), of_pods),
    ]
    return {
        "apiVersion": ADMISSION,
        "kind": kind,
        "metadata": {"name": its.program, "labels": {EXTENSION: its.project}},
        "webhooks": [
            {
                "name": f"{verb[0]}{name}.kb.io",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {
                    "url": f"https://127.0.0.1:{port}/{verb}-{path}",
                    "caBundle": base64.b64encode(authority).decode(),
                },
                "failurePolicy": "Fail",
                "rules": [
                    {"apiGroups": [group], "apiVersions": [version], "operations": list(when), "resources": [resources]}
                ],
                "sideEffects": "None",
                **more,
            }
            for name, path, group, version, resources, when, more in asked
        ],
    }
