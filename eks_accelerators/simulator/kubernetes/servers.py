"""The command lines of the servers, and the files that they read.

Everything listens on 127.0.0.1 alone. etcd asks nobody who they are, so it listens on a socket in a folder of the
user's own instead of a port.
"""

import base64
import json
from pathlib import Path

from eks_accelerators.simulator.kubernetes.credentials import FRONT_PROXY, Credentials
from eks_accelerators.simulator.pace import Pace

SERVICE_RANGE = "172.20.0.0/16"
"""Addresses of services: one of the two ranges that EKS takes by default."""

POD_RANGE = "10.0.0.0/8"
"""Addresses of pods, wide enough for any number of them. On AWS they are from the subnet of the node."""

STAGES = Path(__file__).with_name("kwok")
"""What kubelets do, for kwok to play."""

_QPS, _BURST = 1000, 2000
"""Requests a second that a client may send. The defaults (20 to 50) make 2,000 pods take minutes."""

_ADMISSION = ("ExtendedResourceToleration",)
"""What EKS enables beside Kubernetes' defaults and has an effect here: pods that ask for an extended resource tolerate
taints with its name as their key. Source: aws/containers-roadmap issue 739 (since EKS 1.19)."""

FEATURE_GATES = {"DRAExtendedResource": False}
"""Off, as on EKS before 1.36: where it is on, the scheduler gives a claimed GPU also to pods that ask for the extended
resource `nvidia.com/gpu`."""

_GATES = f"--feature-gates={','.join(f'{name}={str(on).lower()}' for name, on in FEATURE_GATES.items())}"


_AUTOSCALER = {
    "sync-period": 15,
    "downscale-stabilization": 300,
    "cpu-initialization-period": 300,
    "initial-readiness-delay": 30,
}
"""Seconds: the defaults of the controller manager, which EKS does not let one change. Source: Kubernetes documentation,
kube-controller-manager, read 2026-11-22."""


def etcd(program: Path, data: Path, socket: Path) -> list[str | Path]:
    """The database. It does not wait for the disk: a simulation may be lost with the machine's power."""
    return [
        program,
        "--name=simulated",
        f"--data-dir={data}",
        f"--listen-client-urls=unix://{socket}",
        f"--listen-peer-urls=unix://{socket}.peers",
        # Names only: there are no peers, and the API server is told of the socket.
        "--advertise-client-urls=http://localhost:2379",
        "--initial-advertise-peer-urls=http://localhost:2380",
        "--initial-cluster=simulated=http://localhost:2380",
        "--unsafe-no-fsync",
        "--log-level=warn",
    ]


def api_server(program: Path, socket: Path, port: int, credentials: Credentials) -> list[str | Path]:
    """Command line of the API server: on 127.0.0.1, with its objects in the etcd behind ``socket``."""
    return [
        program,
        f"--etcd-servers=unix://{socket}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        # Not an address of this machine, which may have none while it is offline. No pod runs that could ask for it.
        "--advertise-address=192.0.2.1",
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={credentials.serving_certificate}",
        f"--tls-private-key-file={credentials.serving_key}",
        f"--token-auth-file={credentials.token_file}",
        "--anonymous-auth=false",
        "--authorization-mode=RBAC",
        f"--enable-admission-plugins={','.join(_ADMISSION)}",
        "--allow-privileged=true",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={credentials.service_account_key}",
        f"--service-account-signing-key-file={credentials.service_account_key}",
        f"--encryption-provider-config={credentials.encryption_config}",
        *_aggregation(credentials),
        _GATES,
        "--profiling=false",
    ]


def _aggregation(credentials: Credentials) -> list[str]:
    """How extension servers, which an APIService names, know that it is the API server that asks.

    Source: Kubernetes documentation, "Configure the aggregation layer". Where there are none, these have no effect.
    """
    return [
        f"--client-ca-file={credentials.ca_file}",
        f"--requestheader-client-ca-file={credentials.ca_file}",
        f"--requestheader-allowed-names={FRONT_PROXY}",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={credentials.proxy_certificate}",
        f"--proxy-client-key-file={credentials.proxy_key}",
    ]


def controller_manager(program: Path, kubeconfig: Path, credentials: Credentials, pace: Pace) -> list[str | Path]:
    """All controllers that are on by default; among them the one that takes the taint `not-ready` from nodes.

    That of HorizontalPodAutoscalers goes at ``pace``, the others at that of life.
    """
    return [
        program,
        f"--kubeconfig={kubeconfig}",
        f"--service-account-private-key-file={credentials.service_account_key}",
        f"--root-ca-file={credentials.ca_file}",
        "--leader-elect=false",
        "--secure-port=0",
        f"--kube-api-qps={_QPS}",
        f"--kube-api-burst={_BURST}",
        *(f"--horizontal-pod-autoscaler-{name}={pace.wall(seconds):g}s" for name, seconds in _AUTOSCALER.items()),
        _GATES,
        "--profiling=false",
    ]


def scheduler(program: Path, config: Path) -> list[str | Path]:
    """The scheduler, with the configuration of `scheduler_config`."""
    return [program, f"--config={config}", "--secure-port=0", _GATES]


def scheduler_config(kubeconfig: Path) -> bytes:
    """Pods that did not fit are tried again after one second, not after up to ten."""
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(kubeconfig), "qps": _QPS, "burst": _BURST},
        "leaderElection": {"leaderElect": False},
        "enableProfiling": False,
        "podInitialBackoffSeconds": 1,
        "podMaxBackoffSeconds": 1,
    }
    return json.dumps(config).encode()


def kwok(program: Path, kubeconfig: Path, stages: Path | None = None) -> list[str | Path]:
    """What stands for kubelets: it plays the stages in `kwok/*.yaml`, or in another folder."""
    configs = [f"--config={file}" for file in sorted((stages or STAGES).glob("*.yaml"))]
    return [
        program,
        f"--kubeconfig={kubeconfig}",
        "--manage-all-nodes=true",
        f"--cidr={POD_RANGE}",
        "--v=WARN",
        *configs,
    ]


def kubeconfig(url: str, ca: bytes, token: str) -> bytes:
    """A kubeconfig for an administrator; JSON, which is YAML too."""
    cluster = {"server": url, "certificate-authority-data": base64.b64encode(ca).decode()}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "simulated", "cluster": cluster}],
        "users": [{"name": "simulated", "user": {"token": token}}],
        "contexts": [{"name": "simulated", "context": {"cluster": "simulated", "user": "simulated"}}],
        "current-context": "simulated",
    }
    return json.dumps(config, indent=2).encode()
