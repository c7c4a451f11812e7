"""Rules about instance types that the stack file describes."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, instance_types, other_accelerators
from eks_accelerators.settings.model.instance_types import DescribedInstanceType, Manufacturer
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.project import OWN_FACTS
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("instance-type-shipped")
def instance_type_shipped(context: Context) -> Iterator[RuleFinding]:
    """`instanceTypes` describes no type that the package has: its facts have a source each, and count.

    Source: `eks_accelerators/accelerators/data/instance-types.json`.
    """
    for name in context.settings.instance_types:
        if instance_types.is_shipped(name):
            yield RuleFinding(
                f'instanceTypes["{name}"]',
                f"the package has facts of {name}, and a stack cannot have others",
                f"a description beside: {instance_types.get(name).source}",
                "types that the package lacks",
                "remove the description; where the package is wrong, its facts are to be corrected",
            )


@rule("instance-type-described-twice")
def instance_type_described_twice(context: Context) -> Iterator[RuleFinding]:
    """An instance type is described by the stack file or by the user's own facts, not by both."""
    own = {kind.name: kind for kind in context.stack.own_types}
    for name in context.settings.instance_types:
        if name in own and not instance_types.is_shipped(name):
            yield RuleFinding(
                f'instanceTypes["{name}"]',
                f"{OWN_FACTS.as_posix()} has {name} as well",
                f"two descriptions; the other is of {own[name].source}",
                "one description",
                f"remove the description, or run `accel facts remove {name}`",
            )


@rule("facts-file-outdated", Severity.WARNING)
def facts_file_outdated(context: Context) -> Iterator[RuleFinding]:
    """The user's own facts have no instance type that the package has by now: the package's facts count.

    Source: `eks_accelerators/accelerators/data/instance-types.json`.
    """
    for kind in context.stack.own_types:
        if instance_types.is_shipped(kind.name):
            yield RuleFinding(
                OWN_FACTS.as_posix(),
                f"the package has {kind.name} of its own by now, and that is what counts",
                kind.name,
                "types that the package lacks",
                f"run `accel facts remove {kind.name}`",
            )


@rule("instance-type-not-served")
def instance_type_not_served(context: Context) -> Iterator[RuleFinding]:
    """A described instance type has accelerators that this package serves, as far as its name is known.

    Source: `eks_accelerators/accelerators/data/unserved-accelerators.json`.
    """
    for name in context.settings.instance_types:
        other = other_accelerators.find(name)
        if other or other_accelerators.has_no_accelerator(name):
            yield RuleFinding(
                f'instanceTypes["{name}"]',
                other.told if other else f"{name} has no accelerator",
                name,
                "an EC2 instance type with NVIDIA GPUs, Trainium or Inferentia2",
                "remove the description, and use an accelerated instance type",
            )


@rule("instance-type-description")
def instance_type_description(context: Context) -> Iterator[RuleFinding]:
    """A described instance type agrees with itself.

    NeuronCores are of Neuron devices, EFA is on cards that it has, MIG is of NVIDIA's GPUs, and its images are of its
    architecture and maker.
    """
    for name, described in context.settings.instance_types.items():
        for key, message, found, allowed in _disagreements(described):
            yield RuleFinding(f'instanceTypes["{name}"].{key}', message, found, allowed, f"correct `{key}` of {name}")


def _disagreements(described: DescribedInstanceType) -> Iterator[tuple[str, str, str, str]]:
    """Key, message, what is found and what is allowed."""
    chip, network = described.accelerator, described.network
    neuron = chip.manufacturer is Manufacturer.AWS
    if neuron != (chip.cores_per_device is not None):
        yield (
            "accelerator.coresPerDevice",
            "Neuron devices have NeuronCores, and GPUs have none",
            str(chip.cores_per_device or "nothing"),
            "a number for the manufacturer AWS, nothing for NVIDIA",
        )
    if described.mig and neuron:
        yield "mig", "MIG divides NVIDIA's GPUs", "true", "false"
    if missing := [card for card in network.efa_cards if card >= network.cards]:
        yield (
            "network.efaCards",
            "an EFA interface is on a card that the type has",
            ", ".join(map(str, missing)),
            f"indexes below {network.cards}",
        )
    fitting = [image for image in ami.known_types() if _fits(image, described)]
    for index, image in enumerate(described.ami_types):
        if image not in fitting:
            message = "no image type of EKS for this architecture with this maker's driver"
            yield f"amiTypes[{index}]", message, image, ", ".join(fitting)


def _fits(image: str, described: DescribedInstanceType) -> bool:
    if image == "CUSTOM":
        return True
    if described.accelerator.manufacturer is Manufacturer.NVIDIA:
        has_driver = ami.carries_nvidia_driver(image)
    else:
        has_driver = "NEURON" in image or (ami.is_bottlerocket(image) and not ami.carries_nvidia_driver(image))
    return has_driver and ami.architecture(image) == described.architecture.value
