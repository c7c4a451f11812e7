"""What is asked with `accel simulate STACK load`: which server, which load. What cannot be is said before anything starts."""

from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.accel.simulate.options import LoadOptions
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack
from eks_accelerators.settings.workload_kinds import start_of
from eks_accelerators.simulator.load.fault_targets import check_autoscaler, check_target
from eks_accelerators.simulator.load.kinds import KINDS, REFUSED, LoadedServer
from eks_accelerators.simulator.load.loop import ServerUnderLoad
from eks_accelerators.simulator.load.participants import LoopNeeds, needs_of
from eks_accelerators.simulator.load.profile import (
    LONGEST_SECONDS,
    MOST_REQUESTS,
    LoadProfile,
    constant,
    seconds_of,
)
from eks_accelerators.simulator.load.profile_file import read_profile
from eks_accelerators.simulator.load.timed_faults import TimedFault, parse_timed
from eks_accelerators.simulator.pace import Pace

_REQUESTS, _LASTS = 40, "30m"
_LEAST_SECONDS, _MOST_SECONDS = 0.001, 600.0


class LoadQuestionError(ValueError):
    """What is asked cannot be; says where, what was found, what is allowed and what to write."""


@dataclass(frozen=True, slots=True)
class LoadQuestion:
    """A load and its loop, checked: who is asked, how much, what scales and what goes wrong."""

    server: ServerUnderLoad
    profile: LoadProfile
    pace: Pace
    needs: LoopNeeds
    scaling: Autoscaling | None
    drain_seconds: float
    """How long a server that has to go answers on."""
    faults: tuple[TimedFault, ...] = ()


def load_question(stack: ResolvedStack, options: LoadOptions) -> LoadQuestion:
    """The question. Raises `LoadQuestionError`, `WrittenFileError` or `UnknownSpeedError`."""
    placed = _placed(stack, options.server)
    workload = placed.workload
    assert isinstance(workload, Server)
    if workload.spans_nodes:
        raise LoadQuestionError(
            f"--server: found {placed.name}, which spans {workload.pods_per_replica} nodes; allowed: a server on one node, as "
            "how fast stages hand on to each other is not modelled; ask another server"
        )
    loaded = KINDS[type(workload)](placed, _seconds(options.request_seconds))
    start = start_of(workload, placed.fit)
    assert start is not None  # a model whose shape is not known has no speed
    profile = _of_server(_profile(options), loaded)
    needs = needs_of(stack)
    faults = tuple(parse_timed(text, tuple(stack.groups)) for text in options.faults)
    for fault in faults:
        check_target(fault, stack.groups)
        check_autoscaler(fault, needs.autoscalers)
        if fault.at >= profile.lasts:
            raise LoadQuestionError(
                f"--fault {fault.text}: found {fault.at} s; allowed: before the load ends, at {profile.lasts} s; write @+1m"
            )
    server = ServerUnderLoad(placed.name, placed.path, workload, placed.group, loaded.model, start, loaded.speed)
    scaling = autoscaling_of(workload, placed.fit)
    return LoadQuestion(server, profile, _pace(options.pace), needs, scaling, loaded.drain_seconds, faults)


def _of_server(profile: LoadProfile, loaded: LoadedServer) -> LoadProfile:
    """The profile, with no tokens for servers that have none. Raises `LoadQuestionError` where requests have too many."""
    if loaded.tokens is None:
        steps = tuple(step.model_copy(update={"prompt_tokens": 1, "output_tokens": 1}) for step in profile.steps)
        return profile.model_copy(update={"steps": steps})
    told = [
        f"steps[{number}]: {step.prompt_tokens} promptTokens and {step.output_tokens} outputTokens on average are up to "
        f"{step.longest} tokens; {loaded.path}.maxModelLen allows {loaded.tokens}: write a --profile with fewer"
        for number, step in enumerate(profile.steps)
        if step.longest > loaded.tokens
    ]
    if told:
        raise LoadQuestionError("\n".join(told))
    return profile


def _seconds(found: float | None) -> float | None:
    if found is not None and not _LEAST_SECONDS <= found <= _MOST_SECONDS:
        raise LoadQuestionError(f"--request-seconds: found {found:g}; allowed: {_LEAST_SECONDS:g} to {_MOST_SECONDS:g}")
    return found


def _placed(stack: ResolvedStack, name: str | None) -> PlacedWorkload:
    """The server of that ``name``; without one the only one of the first kind of which the stack has any."""
    every = {each.name: each for each in stack.workloads if isinstance(each.workload, Server)}
    servers = {key: each for key, each in every.items() if type(each.workload) in KINDS}
    if name is not None and name in every and name not in servers:
        reason = _refused(every[name])
        raise LoadQuestionError(f"--server: found {name!r}, {every[name].path}; {reason}; {_one_of(servers)}")
    if not servers:
        raise LoadQuestionError(
            "--server: this stack has no model server that could be asked; write one in workloads.vllm"
        )
    if name is None:
        first = next(kind for kind in KINDS if any(isinstance(each.workload, kind) for each in servers.values()))
        of_first = [each for each in servers.values() if isinstance(each.workload, first)]
        if len(of_first) > 1:
            raise LoadQuestionError(f"--server: found none; {_one_of(servers)}; write which of them is asked")
        return of_first[0]
    if name not in servers:
        guess = closest(name, tuple(servers))
        hint = f"; did you mean {guess}?" if guess else ""
        raise LoadQuestionError(f"--server: found {name!r}; {_one_of(servers)}{hint}")
    return servers[name]


def _refused(placed: PlacedWorkload) -> str:
    """Why such servers cannot be put under load."""
    workload = placed.workload
    assert isinstance(workload, Server)
    return REFUSED.get(type(workload), "nobody has said how fast such servers are")


def _one_of(servers: Mapping[str, PlacedWorkload]) -> str:
    return f"allowed: {', '.join(servers) or 'none of this stack'}"


def _profile(options: LoadOptions) -> LoadProfile:
    if options.profile is not None:
        if options.requests is not None or options.lasts is not None:
            raise LoadQuestionError(
                "--profile: the file says how much and for how long; leave out --requests and --for"
            )
        return read_profile(options.profile)
    try:
        lasts = seconds_of(options.lasts or _LASTS)
    except ValueError as error:
        raise LoadQuestionError(f"--for: found {options.lasts!r}; {error}") from None
    if not 0 < lasts <= LONGEST_SECONDS:
        raise LoadQuestionError(f"--for: found {options.lasts!r}; allowed: 1s to {LONGEST_SECONDS // 3600}h; write 30m")
    requests = _REQUESTS if options.requests is None else options.requests
    if not 0 <= requests <= MOST_REQUESTS:
        raise LoadQuestionError(
            f"--requests: found {requests}; allowed: 0 to {MOST_REQUESTS:,} in flight; write {_REQUESTS}"
        )
    return constant(requests, lasts)


def _pace(factor: float) -> Pace:
    if not 1 <= factor <= _FASTEST:
        raise LoadQuestionError(f"--pace: found {factor:g}; allowed: 1 to {_FASTEST:g} simulated seconds in a second")
    return Pace(factor)


_FASTEST = 120.0
"""Faster, and what real programs need for themselves is all that is seen."""
