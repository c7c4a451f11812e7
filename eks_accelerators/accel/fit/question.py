"""What is asked: a model, its load, instance types and a region; and what is wrong with the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eks_accelerators.accel.stacks import locate
from eks_accelerators.accelerators import fit, instance_types, model_config, model_memory
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.instance_types import InstanceType
from eks_accelerators.accelerators.model_config import ModelConfigError
from eks_accelerators.accelerators.model_memory import ModelShape
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.fit import cpu_cores
from eks_accelerators.settings.load import load_stack_file
from eks_accelerators.settings.model.workload import Resources
from eks_accelerators.settings.problems import Problem

CODES = ("fit-model-unknown", "fit-model-config", "fit-context", "fit-instances", "fit-region", "fit-nothing")
"""Codes of the problems that are found."""

DEFAULT_REGION = "us-east-2"


@dataclass(frozen=True, slots=True)
class FitQuestion:
    """A question that can be answered. ``from_file`` says that the shape is a file's, and not one that is known."""

    model: str
    from_file: bool
    server: fit.ServerNeeds
    types: tuple[InstanceType, ...]
    region: str
    resources: Resources


def asked(
    model: str, context: int, concurrency: int, instances: str | None, region: str | None, stack: str | None
) -> FitQuestion | list[Finding]:
    """The question, or what is wrong with it.

    ``model`` is a name on Hugging Face or the path of a `config.json`; ``instances`` are names of types or families
    with commas between; ``region`` goes before that of ``stack``.
    """
    from_file = model.endswith(".json") or Path(model).is_file()
    shape = _shape_of_file(Path(model)) if from_file else _known_shape(model)
    where = _region(region, stack)  # loads the stack, whose own instance types are known from then on
    types = _types(instances)
    problems = [one for one in (shape, types, where) if isinstance(one, Finding)]
    if isinstance(shape, ModelShape) and context > shape.max_model_len:
        message = f"{context:,} tokens: {model} was made for {shape.max_model_len:,}"
        problems.append(Finding("fit-context", "--context", message))
    if isinstance(shape, Finding) or isinstance(types, Finding) or isinstance(where, Finding) or problems:
        return problems
    resources = Resources()
    millicores = round(cpu_cores(resources.cpu) * 1000)
    server = fit.ServerNeeds(shape, context, concurrency, millicores, resources.memory_gib * 1024)
    return FitQuestion(_name(model) if from_file else model, from_file, server, types, where, resources)


def _shape_of_file(path: Path) -> ModelShape | Finding:
    try:
        return model_config.load(path)
    except ModelConfigError as error:
        return Finding("fit-model-config", "--model", str(error))


def _known_shape(model: str) -> ModelShape | Finding:
    known = model_memory.known_models()
    guess = closest(model, known)
    hint = f"did you mean {guess}?" if guess else f"known: {', '.join(known)}."
    message = f"the shape of {model} is not known; {hint} Or give the path of its config.json"
    return model_memory.shape_of(model) or Finding("fit-model-unknown", "--model", message)


def _name(path: str) -> str:
    """A model in a folder of its own is called like the folder."""
    file = Path(path).resolve()
    return file.parent.name if file.name == "config.json" and file.parent.name else file.stem


def _types(instances: str | None) -> tuple[InstanceType, ...] | Finding:
    every = instance_types.every()
    if instances is None:
        return every
    names = [name.strip() for name in instances.split(",")]
    unknown = [name for name in names if not any(name in (kind.name, kind.family) for kind in every)]
    if unknown:
        families = {kind.family for kind in every}
        messages = [str(instance_types.UnknownInstanceTypeError(name, families)) for name in unknown]
        return Finding("fit-instances", "--instances", "; ".join(messages))
    return tuple(kind for kind in every if kind.name in names or kind.family in names)


def _region(region: str | None, stack: str | None) -> str | Finding:
    wanted, option = region or DEFAULT_REGION, "--region"
    if stack is not None:
        checked = load_stack_file(locate(stack).file)
        settings = checked.settings
        if settings is None:
            return Finding("fit-region", "--stack", _unread(stack, checked.problems))
        if region is None:
            wanted, option = settings.region, "--stack"
    known = instance_types.regions()
    if wanted not in known:
        guess = closest(wanted, known)
        hint = f"did you mean {guess}?" if guess else f"known: {', '.join(known)}"
        message = f"no accelerated instance type is known of {wanted}; {hint}"
        return Finding("fit-region", option, message)
    return wanted


def _unread(stack: str, problems: Sequence[Problem]) -> str:
    """Why no region is known of a stack: it is not there, or its settings are wrong."""
    missing = next((problem for problem in problems if problem.code == "stack-file"), None)
    if missing:
        return f"{stack}: {missing.message}; {missing.fix}"
    return f"{stack}: its settings cannot be read; `accel check {stack}` says why"
