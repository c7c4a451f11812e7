"""Judging a component's arguments by the same models and rules as a stack file."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from accelerators import clock, kubernetes_versions
from settings.gpu_memory import sized_group
from settings.model import Settings
from settings.model.capacity_blocks import CapacityBlock
from settings.model.cluster import Cluster
from settings.model.network import CreatedNetwork, Network
from settings.model.node_groups import AcceleratorNodeGroup
from settings.model.nvidia import Nvidia
from settings.model.workloads import Workload, Workloads
from settings.problems import Problem, SettingsError, Severity, errors
from settings.resolved import ResolvedNodeGroup, resolve
from settings.rules import check
from settings.validation import missing_key, validate_as, wrong_type

M = TypeVar("M", bound=BaseModel)
W = TypeVar("W", bound=Workload)

_BLOCK = "this-block"
_CUSTOM_IMAGE_KEYS = ("cluster_endpoint", "cluster_certificate_authority", "cluster_service_cidr")


def as_model(model: type[M], args: Mapping[str, Any], exclude: Iterable[str] = ()) -> M:
    """The arguments that belong to ``model``, typed; raises `SettingsError` with every problem.

    Keys are those of the model in snake case. Outputs are no settings and must be excluded.
    """
    fields = {name: args[name] for name in model.model_fields if name in args and name not in exclude}
    result = validate_as(model, fields)
    if isinstance(result, tuple):
        raise SettingsError(result)
    return result


def zones_of(subnets: Sequence[Any]) -> tuple[str, ...]:
    """The zones of subnets, each once; raises `SettingsError` where a subnet does not say its ID and zone."""
    problems = []
    for index, subnet in enumerate(subnets):
        if not isinstance(subnet, Mapping):
            problems.append(
                wrong_type(("subnets", index), "an ID and a zone", str(subnet), "write {id: ..., zone: ...}")
            )
            continue
        problems += [missing_key(("subnets", index, key)) for key in ("id", "zone") if key not in subnet]
    if problems:
        raise SettingsError(problems)
    return tuple(dict.fromkeys(subnet["zone"] for subnet in subnets))


def resolve_group(
    name: str, args: Mapping[str, Any], *, kubernetes_version: str, zones: tuple[str, ...], on_block: bool
) -> ResolvedNodeGroup:
    """The node group that ``args`` ask for, with every default; raises `SettingsError` where a rule forbids it."""
    group = as_model(AcceleratorNodeGroup, args, exclude=("capacity_block",))
    if on_block:
        group = group.model_copy(update={"capacity_block": _BLOCK})
    network = Network(create=as_model(CreatedNetwork, {"zones": zones}))
    nvidia = as_model(Nvidia, {"stack": args["nvidia_stack"]} if "nvidia_stack" in args else {})
    missing = [_missing_with_custom_image(key) for key in _CUSTOM_IMAGE_KEYS if group.ami.image_id and key not in args]
    settings = _settings(name, group, kubernetes_version, network).model_copy(update={"nvidia": nvidia})
    _judge(settings, (f"nodeGroups.{name}.",), missing)
    return resolve(name, group, kubernetes_version=kubernetes_version, zones=zones, nvidia_stack=nvidia.stack)


def resolve_workload(
    model: type[W], name: str, args: Mapping[str, Any], group_args: Mapping[str, Any]
) -> tuple[ResolvedNodeGroup, W]:
    """The workload that ``args`` ask for and its node group; raises `SettingsError` where a rule forbids it."""
    group_name, version = group_args["name"], kubernetes_versions.default()
    group = as_model(AcceleratorNodeGroup, group_args)
    token = {"existing_secret": "given"} if {"hugging_face_token", "existing_token_secret"} & set(args) else None
    plain = {key: value for key, value in args.items() if key != "namespace"}  # may be an output
    fields = {**plain, "node_group": group_name, "hugging_face_token": token}
    workload = as_model(model, {key: value for key, value in fields.items() if value is not None})
    workloads = Workloads.of(name, workload)
    settings = _settings(group_name, group, version, Network()).model_copy(update={"workloads": workloads})
    kinds = [kind for kind, _, _ in workloads.each()]
    of_group = f"nodeGroups.{group_name}"
    paths = (
        *(f"workloads.{kind}.{name}." for kind in kinds),
        f"{of_group}.sharing",
        f"{of_group}.dynamicResourceAllocation",
    )
    _judge(settings, paths)
    sized = sized_group(settings, group_name)
    return resolve(group_name, sized, kubernetes_version=version, zones=()), workload


def _settings(name: str, group: AcceleratorNodeGroup, kubernetes_version: str, network: Network) -> Settings:
    """Settings with one node group and nothing else, for the rules to judge."""
    return Settings.model_construct(
        region="us-east-1",  # no rule about a node group asks for more than a warning about it
        owner="",
        network=network,
        cluster=as_model(Cluster, {"kubernetes_version": kubernetes_version}),
        node_groups={name: group},
        capacity_blocks={_BLOCK: CapacityBlock(reservation_id="cr-00000000")},
    )


def _judge(settings: Settings, paths: tuple[str, ...], also: Iterable[Problem] = ()) -> None:
    found = [problem for problem in check(settings, clock.now()) if problem.path.startswith(paths)]
    if wrong := (*errors(found), *also):
        raise SettingsError(wrong)


def _missing_with_custom_image(key: str) -> Problem:
    message = f"a custom image needs `{key}`, as EKS adds no user data to it"
    return Problem("missing-key", Severity.ERROR, key, message, "nothing", "an output of the cluster", f"add `{key}`")
