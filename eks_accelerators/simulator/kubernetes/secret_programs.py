"""The programs in the cluster that keep secrets, as long as a pod of theirs runs: External Secrets, and Reloader after it."""

from datetime import datetime

from eks_accelerators.simulator.kubernetes import secret_sync
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.kubernetes.conditions import is_true
from eks_accelerators.simulator.kubernetes.reloads import Reloads
from eks_accelerators.simulator.kubernetes.secret_sync import Reading

_NAME = "app.kubernetes.io/name"
_BRINGS, _RELOADS = "external-secrets", "reloader"
_KINDS = (("v1", "Secret"), (secret_sync.API_VERSION, "ExternalSecret"))


class SecretPrograms:
    """What they do, pass after pass."""

    def __init__(self) -> None:
        self._reloads = Reloads()
        self.watched: tuple[tuple[str, str], ...] = ()
        """Kinds of objects whose changes make a pass needed: none until such a program runs."""

    def sync(self, api: Api, now: datetime, read: Reading) -> None:
        """One pass. What is brought now, the next pass finds changed."""
        pods = api.list("v1", "Pod", label_selector=f"{_NAME} in ({_BRINGS},{_RELOADS})", remembered=True)
        running = [pod for pod in pods if is_true(pod, "Ready")]
        brings = any(pod["metadata"]["labels"][_NAME] == _BRINGS for pod in running)
        self._reloads.sync(api, [pod for pod in running if pod["metadata"]["labels"][_NAME] == _RELOADS], now)
        self.watched = _KINDS[:1] if running else ()
        if brings:
            secret_sync.sync(api, now, read)
            self.watched = _KINDS

    def forget(self) -> None:
        """Forget what is known of objects, when the cluster is replaced."""
        self._reloads.forget()
        self.watched = ()
