"""Judging a component's arguments by the same models and rules as a stack file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import pulumi
from pydantic import BaseModel

from eks_accelerators.accelerators import clock
from eks_accelerators.components.arguments import AcceleratorNodeGroupArgs, ServedNodeGroupArgs
from eks_accelerators.settings.model import Settings
from eks_accelerators.settings.model.capacity_blocks import CapacityBlockSettings
from eks_accelerators.settings.model.cluster import ClusterSettings
from eks_accelerators.settings.model.monitoring import Monitoring, PrometheusKind
from eks_accelerators.settings.model.network import CreatedNetwork, NetworkSettings
from eks_accelerators.settings.model.node_autoscaling import NodeAutoscaler
from eks_accelerators.settings.model.node_groups import AcceleratorNodeGroupSettings
from eks_accelerators.settings.model.nvidia import Nvidia
from eks_accelerators.settings.model.workload import Workload
from eks_accelerators.settings.model.workloads import Workloads
from eks_accelerators.settings.paths import Part, dotted, split
from eks_accelerators.settings.problems import Problem, SettingsError, Severity, errors
from eks_accelerators.settings.release_inputs import WrittenAs
from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup
from eks_accelerators.settings.resolved_stack import ResolvedStack, resolve_stack
from eks_accelerators.settings.rules import check
from eks_accelerators.settings.shape_problems import missing_key, wrong
from eks_accelerators.settings.validation import validate_as

M = TypeVar("M", bound=BaseModel)
W = TypeVar("W", bound=Workload)

_BLOCK = "this-block"
_CUSTOM_IMAGE_KEYS = ("cluster_endpoint", "cluster_certificate_authority", "cluster_service_cidr")


def as_model(model: type[M], args: Mapping[str, Any], exclude: Iterable[str] = ()) -> M:
    """The arguments that belong to ``model``, typed; raises `SettingsError` with every problem.

    Keys are those of the model in snake case. Outputs are no settings and must be excluded.
    """
    fields = {name: args[name] for name in model.model_fields if name in args and name not in exclude}
    if unknown := tuple(_outputs((), fields)):
        raise SettingsError(unknown)
    result = validate_as(model, fields)
    if isinstance(result, tuple):
        raise SettingsError(result)
    return result


def _outputs(loc: tuple[Part, ...], value: Any) -> Iterator[Problem]:
    """A problem for each output at ``loc`` or below: what it will be is not known when the settings are judged."""
    if isinstance(value, pulumi.Output):
        message = "an output of another resource is not known when this is judged"
        yield wrong(loc, "wrong-type", message, "an output", "a plain value", "write the value itself")
    pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, each in pairs:
        yield from _outputs((*loc, key), each)


def release_inputs(model: type[M], args: Mapping[str, Any]) -> M:
    """What a Helm release takes, from arguments as people write them; raises `SettingsError`, or ValueError for a sharing
    that the device plugin would refuse.
    """
    resolved = {
        name: tuple(
            written.resolve(_part_of(written.model, (name, index), each)) for index, each in enumerate(args[name])
        )
        for name, info in model.model_fields.items()
        for written in info.metadata
        if isinstance(written, WrittenAs) and name in args
    }
    return as_model(model, args, exclude=resolved).model_copy(update=resolved)


def _part_of(model: type[M], loc: tuple[Part, ...], args: Mapping[str, Any]) -> M:
    """The arguments at ``loc`` as `as_model` has them; raises `SettingsError` with their whole paths."""
    try:
        return as_model(model, args)
    except SettingsError as error:
        raise SettingsError(replace(each, path=dotted((*loc, *split(each.path)))) for each in error.problems) from None


def zones_of(subnets: Sequence[Any]) -> tuple[str, ...]:
    """The zones of subnets, each once; raises `SettingsError` where a subnet does not say its ID and zone."""
    problems = []
    for index, subnet in enumerate(subnets):
        if not isinstance(subnet, Mapping):
            problems.append(
                wrong(
                    ("subnets", index),
                    "wrong-type",
                    "expected an ID and a zone",
                    str(subnet),
                    "an ID and a zone",
                    "write {id: ..., zone: ...}",
                )
            )
            continue
        problems += [missing_key(("subnets", index, key)) for key in ("id", "zone") if key not in subnet]
    if problems:
        raise SettingsError(problems)
    return tuple(dict.fromkeys(subnet["zone"] for subnet in subnets))


def resolve_group(
    name: str, args: AcceleratorNodeGroupArgs, *, zones: tuple[str, ...], on_block: bool
) -> ResolvedNodeGroup:
    """The node group that ``args`` ask for, with every default; raises `SettingsError` where a rule forbids it."""
    group = as_model(AcceleratorNodeGroupSettings, args, exclude=("capacity_block",))
    if on_block:
        group = group.model_copy(update={"capacity_block": _BLOCK})
    network = NetworkSettings(create=as_model(CreatedNetwork, {"zones": zones}))
    missing = [_missing_with_custom_image(key) for key in _CUSTOM_IMAGE_KEYS if group.ami.image_id and key not in args]
    stack = resolve_stack(_stack_of(name, group, args, network))
    judge(stack, (f"nodeGroups.{name}.",), missing)
    return stack.groups[name]


def resolve_pool(name: str, args: Mapping[str, Any], *, zones: tuple[str, ...]) -> ResolvedNodeGroup:
    """The nodes that Karpenter is to make as ``args`` ask for, with every default; raises `SettingsError` where a rule
    forbids them.
    """
    group = as_model(AcceleratorNodeGroupSettings, args)
    group = group.model_copy(update={"autoscaler": NodeAutoscaler.KARPENTER})
    network = NetworkSettings(create=as_model(CreatedNetwork, {"zones": zones}))
    stack = resolve_stack(_stack_of(name, group, args, network))
    judge(stack, (f"nodeGroups.{name}.",))
    return stack.groups[name]


def resolve_workload(
    model: type[W], name: str, args: Mapping[str, Any], group_args: ServedNodeGroupArgs
) -> tuple[ResolvedNodeGroup, W]:
    """The workload that ``args`` ask for and its node group; raises `SettingsError` where a rule forbids it."""
    group_name = group_args["name"]
    group = as_model(AcceleratorNodeGroupSettings, group_args)
    token = {"existing_secret": "given"} if {"hugging_face_token", "existing_token_secret"} & set(args) else None
    plain = {key: value for key, value in args.items() if key != "namespace"}  # may be an output
    fields = {**plain, "node_group": group_name, "hugging_face_token": token, "ngc_key": _ngc_key(args)}
    workload = as_model(model, {key: value for key, value in fields.items() if value is not None})
    workloads = Workloads.of(name, workload)
    settings = _stack_of(group_name, group, group_args, NetworkSettings()).model_copy(
        update={"workloads": workloads, "monitoring": _monitoring_of(args)}
    )
    stack = resolve_stack(settings)
    of_group = f"nodeGroups.{group_name}"
    judge(
        stack,
        (
            *(f"workloads.{kind}.{name}." for kind, _, _ in workloads.each()),
            f"{of_group}.ami",
            f"{of_group}.efa",
            f"{of_group}.instanceType",
            f"{of_group}.sharing",
            f"{of_group}.dynamicResourceAllocation",
        ),
    )
    return stack.groups[group_name], workload


def _ngc_key(args: Mapping[str, Any]) -> dict[str, str] | None:
    """Where the key of NGC comes from, as settings would say it: the value itself is none."""
    if "ngc_api_key" in args:
        return {"config_secret": "given"}
    names = {"existing_secret": "existing_key_secret", "existing_pull_secret": "existing_pull_secret"}
    return {setting: args[key] for setting, key in names.items() if key in args}


def _stack_of(
    name: str, group: AcceleratorNodeGroupSettings, args: Mapping[str, Any], network: NetworkSettings
) -> Settings:
    """A stack of one node group, for the rules to judge. Of the rest of the stack nobody knows anything here: the region
    is none, and what the rules say of it is left out.
    """
    version = {"kubernetes_version": args["kubernetes_version"]} if "kubernetes_version" in args else {}
    return Settings.model_construct(
        region="",
        owner="",
        network=network,
        cluster=as_model(ClusterSettings, version),
        node_groups={name: group},
        capacity_blocks={_BLOCK: CapacityBlockSettings()},
        nvidia=as_model(Nvidia, {"stack": args["nvidia_stack"]} if "nvidia_stack" in args else {}),
    )


def _monitoring_of(args: Mapping[str, Any]) -> Monitoring:
    """A Prometheus that answers at the address, which may be an output."""
    if "prometheus_address" not in args:
        return Monitoring()
    return Monitoring(prometheus=PrometheusKind.EXISTING, prometheus_address="http://given")


def judge(stack: ResolvedStack, paths: tuple[str, ...], also: Iterable[Problem] = ()) -> None:
    """Raise `SettingsError` with the errors that the rules find at ``paths``, and with those in ``also``."""
    found = [problem for problem in check(stack, clock.now()) if problem.path.startswith(paths)]
    if wrong := (*errors(found), *also):
        raise SettingsError(wrong)


def _missing_with_custom_image(key: str) -> Problem:
    message = f"a custom image needs `{key}`, as EKS adds no user data to it"
    return Problem("missing-key", Severity.ERROR, key, message, "nothing", "an output of the cluster", f"add `{key}`")
