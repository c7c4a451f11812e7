"""What a model server is made of, and how a stack answers it."""

from dataclasses import dataclass
from typing import Any

import pulumi

from eks_accelerators.components.workload_component import LoadSource, Surroundings
from eks_accelerators.settings.fit import PodFit
from eks_accelerators.settings.model.secrets import HUGGING_FACE
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import PlacedWorkload


@dataclass(frozen=True, slots=True)
class ServerInputs:
    """A server, the node group that it runs on, and how it fits there.

    ``namespace`` is there already, or None for one of its own. A deployment waits for the pods where ``waits``, and they all
    fit at the group's desired size. ``load`` is needed where the settings say `autoscaling`; ``scrapers`` are the namespaces
    from which Prometheus asks for metrics. ``rolls_with`` are names of Secrets: Reloader replaces the pods when one has changed.
    """

    workload: Server
    group: ResolvedNodeGroup
    fit: PodFit
    namespace: pulumi.Input[str] | None = None
    waits: bool = True
    node_selector: dict[str, str] | None = None
    load: LoadSource | None = None
    scrapers: tuple[str, ...] = ()
    rolls_with: tuple[str, ...] = ()


def _config_token(placed: PlacedWorkload, around: Surroundings) -> pulumi.Output[str] | None:
    """The token for gated models, where it is in the configuration."""
    token = placed.workload.token_source
    return around.config.require_secret(token.config_secret) if token and token.config_secret else None


def existing_secret(placed: PlacedWorkload) -> str | None:
    """The Secret that the settings name for the token: its namespace is only made now, so nothing can wait for it."""
    token = placed.workload.token_source
    return token.existing_secret if token and not token.config_secret else None


def synced(placed: PlacedWorkload, suffix: str) -> str | None:
    """The Secret that External Secrets makes; None where it makes none of that kind."""
    return f"{placed.name}-{suffix}" if suffix in placed.workload.synced_secrets else None


def _token_secret(placed: PlacedWorkload) -> str | None:
    """The Secret with the token that is there before the server: the one that the settings name, or one that is synced."""
    return existing_secret(placed) or synced(placed, HUGGING_FACE)


def of_every_server(placed: PlacedWorkload, around: Surroundings) -> dict[str, Any]:
    """What every server takes. None is waited for whose token is in a Secret of a namespace that is only made now."""
    read = (f"{placed.name}-{suffix}" for suffix, secret in placed.workload.synced_secrets.items() if secret.is_read)
    return {
        "workload": placed.workload,
        "group": placed.group,
        "fit": placed.fit,
        "namespace": around.namespace,
        "waits": around.fits_now and existing_secret(placed) is None,
        "load": around.load,
        "scrapers": around.scrapers,
        "rolls_with": tuple(read) if around.rolls else (),
    }


def of_downloads(placed: PlacedWorkload, around: Surroundings) -> dict[str, Any]:
    """What a server takes that downloads a model: its token comes from where the settings say."""
    token, secret = _config_token(placed, around), _token_secret(placed)
    return {**of_every_server(placed, around), "token": token, "token_secret": secret}
