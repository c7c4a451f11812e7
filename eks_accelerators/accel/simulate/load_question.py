"""What is asked with `accel simulate STACK load`: which server, which load. What cannot be is said before anything starts."""

from dataclasses import dataclass

from eks_accelerators.accel.simulate.options import LoadOptions
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.autoscaling import Autoscaling, autoscaling_of
from eks_accelerators.settings.draining import draining_of
from eks_accelerators.settings.fit import Fit
from eks_accelerators.settings.model.vllm import VllmWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload, ResolvedStack
from eks_accelerators.simulator.load.loop import ServerUnderLoad
from eks_accelerators.simulator.load.model_server import server_model
from eks_accelerators.simulator.load.participants import LoopNeeds, needs_of
from eks_accelerators.simulator.load.profile import LoadProfile, LoadProfileError, constant, read_profile, seconds_of
from eks_accelerators.simulator.load.timed_faults import TimedFault, parse_timed
from eks_accelerators.simulator.pace import Pace

_REQUESTS, _LASTS = 40, "30m"


class LoadQuestionError(ValueError):
    """What is asked cannot be; says where, what was found, what is allowed and what to write."""


@dataclass(frozen=True, slots=True)
class LoadQuestion:
    """What is asked, whole."""

    server: ServerUnderLoad
    profile: LoadProfile
    pace: Pace
    needs: LoopNeeds
    scaling: Autoscaling | None
    drain_seconds: float
    """How long a server that has to go answers on."""
    faults: tuple[TimedFault, ...] = ()


def load_question(stack: ResolvedStack, options: LoadOptions) -> LoadQuestion:
    """The question. Raises `LoadQuestionError`, `LoadProfileError` or `UnknownSpeedError`."""
    placed = _placed(stack, options.server)
    workload, fit = placed.workload, placed.fit
    assert isinstance(workload, VllmWorkload)
    assert isinstance(fit, Fit)
    profile = _profile(options)
    for number, step in enumerate(profile.steps):
        if step.longest > workload.max_model_len:
            raise LoadQuestionError(
                f"steps.{number}: {step.prompt_tokens} promptTokens and {step.output_tokens} outputTokens on average are up to "
                f"{step.longest} tokens; workloads.vllm.{placed.name}.maxModelLen allows {workload.max_model_len}: write a "
                "--profile with fewer"
            )
    model = server_model(placed.name, workload, placed.group, fit, workload.most_sequences)
    faults = tuple(parse_timed(text, tuple(stack.groups)) for text in options.faults)
    for fault in faults:
        if fault.at >= profile.lasts:
            raise LoadQuestionError(
                f"--fault {fault.text}: found {fault.at} s; allowed: before the load ends, at {profile.lasts} s; write @+1m"
            )
    drain = draining_of(workload, placed.group, fit).timeout_seconds
    server = ServerUnderLoad(placed.name, workload, placed.group, model)
    return LoadQuestion(
        server, profile, _pace(options.pace), needs_of(stack), autoscaling_of(workload, fit), float(drain), faults
    )


def _placed(stack: ResolvedStack, name: str | None) -> PlacedWorkload:
    servers = {each.name: each for each in stack.workloads if isinstance(each.workload, VllmWorkload)}
    if not servers:
        raise LoadQuestionError(
            "--server: this stack has no vLLM workload that could be asked; write one in workloads.vllm"
        )
    known = ", ".join(servers)
    if name is None:
        if len(servers) > 1:
            raise LoadQuestionError(f"--server: found none; allowed: {known}; write which of them is asked")
        return next(iter(servers.values()))
    if name not in servers:
        guess = closest(name, tuple(servers))
        hint = f"; did you mean {guess}?" if guess else ""
        raise LoadQuestionError(f"--server: found {name!r}; allowed: {known}{hint}")
    return servers[name]


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
    try:
        return constant(_REQUESTS if options.requests is None else options.requests, lasts)
    except LoadProfileError as error:
        raise LoadQuestionError(str(error)) from None


def _pace(factor: float) -> Pace:
    if not 1 <= factor <= _FASTEST:
        raise LoadQuestionError(f"--pace: found {factor:g}; allowed: 1 to {_FASTEST:g} simulated seconds in a second")
    return Pace(factor)


_FASTEST = 120.0
"""Faster, and what real programs need for themselves is all that is seen."""
