"""What the component of a kind of workload is given by a stack, and says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pulumi

from eks_accelerators.components.base import Component, Inputs
from eks_accelerators.settings.resolved_stack import PlacedWorkload


@dataclass(frozen=True, slots=True)
class LoadSource:
    """What servers that follow their load need: the ``address`` of a Prometheus, in ``region`` where questions are signed, and
    what has to be there before (``keda``).
    """

    address: pulumi.Input[str]
    region: str | None = None
    keda: pulumi.Resource | None = None


def load_source(args: Mapping[str, Any]) -> LoadSource | None:
    """The arguments `prometheus_address` and `prometheus_region`; None where no address is given."""
    if "prometheus_address" not in args:
        return None
    return LoadSource(args["prometheus_address"], args.get("prometheus_region"))


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a stack gives to a workload: its namespace, the secrets of the configuration, and whether all workloads of its
    node group fit it at its desired size, so that a deployment can wait for the pods. ``load`` is what tells of their load,
    where there is something, and ``scrapers`` are the namespaces from which metrics are asked for. ``block_end`` is the end of
    the Capacity Block that its node group is on, where it is on one. ``rolls``: Reloader is there for those that ask for it.
    """

    namespace: pulumi.Output[str]
    config: pulumi.Config
    fits_now: bool
    load: LoadSource | None = None
    scrapers: tuple[str, ...] = ()
    block_end: pulumi.Output[str] | None = None
    rolls: bool = False


class WorkloadComponent(Component[Inputs]):
    """A component that deploys one kind of workload: that whose entry in `eks_accelerators.settings.workload_kinds` names it."""

    # Not annotated, as Pulumi's packaging takes annotations for outputs.
    POD_SECURITY = "restricted"
    """The Pod Security level at which its pods are admitted."""
    POD_SECURITY_REASON = ""
    """Why that is no stricter level; nothing at the strictest."""
    NEEDS_ADDONS = True
    """Whether it waits for names and volumes, and not only for what serves the GPUs."""
    EXPORTED = MappingProxyType(dict[str, str]())
    """Its outputs that the stack exports, by what follows the workload's name."""

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> Inputs:
        """What `of` takes, of a workload of a stack."""
        raise NotImplementedError
