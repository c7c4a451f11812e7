"""Judging the arguments of a file system by the same models and rules as a stack file."""

from collections.abc import Mapping
from typing import Any, TypeVar

from eks_accelerators.components.file_system_access import NodesAround
from eks_accelerators.components.validation import as_model, judge, zones_of
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.cluster import ClusterSettings
from eks_accelerators.settings.model.network import CreatedNetwork, NetworkSettings
from eks_accelerators.settings.model.storage import Storage, StorageSettings
from eks_accelerators.settings.resolved_stack import resolve_stack

S = TypeVar("S", bound=Storage)


def resolve_storage(model: type[S], name: str, args: Mapping[str, Any]) -> S:
    """The storage that ``args`` ask for; raises `SettingsError` where a rule forbids it."""
    storage = as_model(model, args)
    key, alias = next(
        (key, info.alias)
        for key, info in StorageSettings.model_fields.items()
        if model in getattr(info.annotation, "__args__", ())
    )
    network = NetworkSettings(create=as_model(CreatedNetwork, {"zones": zones_of(args["subnets"])}))
    settings = Settings.model_construct(
        region="",
        owner="",
        network=network,
        cluster=ClusterSettings(),
        storage={name: StorageSettings.model_validate({key: storage})},
    )
    judge(resolve_stack(settings), (f"storage.{name}.{alias}.",))
    return storage


def nodes_around(args: Mapping[str, Any]) -> NodesAround:
    """The nodes that reach a file system, as its arguments name them."""
    return NodesAround(args["vpc_id"], args["subnets"], args["cluster_security_group_id"], args.get("tags"))
