"""A Kubernetes control plane on this machine: etcd, API server, controller manager, scheduler, and kwok for kubelets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eks_accelerators.simulator.files import write
from eks_accelerators.simulator.kubernetes import credentials, servers, slow_pods
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.pace import LIFE, Pace
from eks_accelerators.simulator.processes import ServerError, Servers, free_port

START_SECONDS = 120
"""How long all servers together may take on a machine that is busy; some seconds are usual."""

EXTENSION = "eks-accelerators/extension"
"""The label of what ends with the servers beside a control plane: `EXTENSIONS`."""

EXTENSIONS = (
    ("apiregistration.k8s.io/v1", "APIService"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
)

_LOCK_SECONDS = 15
"""A control plane whose process was killed needs a moment to end."""


@dataclass(frozen=True)
class ControlPlane:
    """A running control plane. Ends with `stop`, at the end of a `with` block, or with this process."""

    url: str
    ca_file: Path
    token: str = field(repr=False)
    kubeconfig: Path
    api: Api
    servers: Servers = field(repr=False)

    def stop(self) -> None:
        """End all servers; what the cluster holds stays in its folder."""
        self.api.close()
        self.servers.close()


def start(
    engines: Mapping[str, Path], folder: Path, pace: Pace = LIFE, *, pods_take_time: bool = False
) -> ControlPlane:
    """Start a control plane whose objects, keys and tokens lie in ``folder``, and are found there the next time.

    HorizontalPodAutoscalers go at ``pace``. Where ``pods_take_time`` those with a startup probe wait until somebody says
    that they have started (`slow_pods`). Raises `ServerError` where a server does not start, or another process uses the folder.
    """
    try:
        return _start(engines, folder, pace, pods_take_time)
    except ServerError as error:
        if "address already in use" not in error.log:
            raise
        return _start(engines, folder, pace, pods_take_time)  # another process took the port in between


def _start(engines: Mapping[str, Path], folder: Path, pace: Pace, pods_take_time: bool) -> ControlPlane:
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    group = Servers()
    try:
        if not group.lock(folder / "lock", _LOCK_SECONDS):
            raise ServerError(f"another process runs a control plane in {folder}")
        keys = credentials.ensure(folder)
        port = free_port()
        url = f"https://127.0.0.1:{port}"
        kubeconfig = servers.kubeconfig(url, keys.ca_file.read_bytes(), keys.token)
        cluster = ControlPlane(
            url=url,
            ca_file=keys.ca_file,
            token=keys.token,
            kubeconfig=write(folder / "kubeconfig", kubeconfig),
            api=Api(url, keys.ca_file, keys.token),
            servers=group,
        )
        _start_api_server(cluster, engines, folder / "etcd", port, keys)
        _start_controllers(cluster, engines, keys, pace, pods_take_time)
    except BaseException:
        group.close()
        raise
    return cluster


def _start_api_server(
    cluster: ControlPlane, engines: Mapping[str, Path], data: Path, port: int, keys: credentials.Credentials
) -> None:
    data.mkdir(mode=0o700, exist_ok=True)
    socket = cluster.servers.folder / "etcd"
    cluster.servers.start("etcd", servers.etcd(engines["etcd"], data, socket))
    cluster.servers.wait("etcd", socket.exists, START_SECONDS)
    # All it knows is in etcd, and it takes more than a second to end by itself.
    command = servers.api_server(engines["kube-apiserver"], socket, port, keys)
    cluster.servers.start("kube-apiserver", command, stateless=True)
    cluster.servers.wait("kube-apiserver", cluster.api.is_ready, START_SECONDS)


def _start_controllers(
    cluster: ControlPlane,
    engines: Mapping[str, Path],
    keys: credentials.Credentials,
    pace: Pace,
    pods_take_time: bool,
) -> None:
    _forget_leases(cluster.api)
    _forget_extensions(cluster.api)
    slow = slow_pods.write_stages(servers.STAGES, cluster.servers.folder / "kwok") if pods_take_time else None
    config = write(cluster.servers.folder / "scheduler.json", servers.scheduler_config(cluster.kubeconfig))
    commands = {
        "kube-controller-manager": servers.controller_manager(
            engines["kube-controller-manager"], cluster.kubeconfig, keys, pace
        ),
        "kube-scheduler": servers.scheduler(engines["kube-scheduler"], config),
        "kwok": servers.kwok(engines["kwok"], cluster.kubeconfig, slow),
    }
    for name, command in commands.items():
        cluster.servers.start(name, command)
    cluster.servers.wait("kube-controller-manager", lambda: _has_begun(cluster.api), START_SECONDS)
    cluster.servers.check()


def _forget_leases(api: Api) -> None:
    """Delete node leases of the run before: kwok would wait 40 s until they end, and leave pods alone until then."""
    api.delete_all("coordination.k8s.io/v1", "Lease", "kube-node-lease")


def _forget_extensions(api: Api) -> None:
    """Delete APIs and admission webhooks that servers of the run before had, where these were killed.

    Nobody answers for them: no namespace could be deleted, and nothing created that they are to judge.
    """
    for version, kind in EXTENSIONS:
        for found in api.list(version, kind, label_selector=EXTENSION):
            api.delete(version, kind, found["metadata"]["name"], grace_seconds=0)


def _has_begun(api: Api) -> bool:
    """Whether what every new cluster has is there."""
    return (
        api.get("v1", "Namespace", "kube-system") is not None
        and api.get("v1", "ServiceAccount", "default", "default") is not None
    )
