"""Rules about machine images."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, data, instance_types, other_accelerators, system_instance_types
from eks_accelerators.accelerators.suggest import closest
from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("unknown-instance-type")
def unknown_instance_type(context: Context) -> Iterator[RuleFinding]:
    """An accelerator node group has an instance type of the table, or one that the stack describes or `accel facts add` wrote.

    Source: `eks_accelerators/accelerators/data/instance-types.json`.
    """
    for name, group in context.settings.node_groups.items():
        if instance_types.find(group.instance_type) is None:
            unknown = instance_types.UnknownInstanceTypeError(group.instance_type)
            families = sorted({t.family for t in instance_types.every()})
            yield RuleFinding(
                f"nodeGroups.{name}.instanceType",
                unknown.message,
                group.instance_type,
                f"a type of the families {', '.join(families)}, or one that `accel facts add` has asked AWS for",
                unknown.fix,
            )


@rule("ami-type-unknown")
def ami_type_unknown(context: Context) -> Iterator[RuleFinding]:
    """`ami.type` is one that the EKS API takes.

    Source: botocore eks `AMITypes`.
    """
    for path, group, _ in context.groups:
        wanted = group.ami.type
        if wanted and wanted not in ami.known_types() and not ami.is_amazon_linux_2(wanted):
            guess = closest(wanted, ami.known_types())
            yield RuleFinding(
                f"{path}.ami.type",
                f"{wanted} is no AMI type of EKS",
                wanted,
                ", ".join(ami.known_types()),
                f"did you mean {guess}?" if guess else "leave it out for the default",
            )


@rule("ami-amazon-linux-2")
def ami_amazon_linux_2(context: Context) -> Iterator[RuleFinding]:
    """No Amazon Linux 2: AWS ended its EKS AMIs on 2025-11-26.

    Source: EKS user guide, Amazon Linux 2 end of support.
    """
    for path, group, kind in context.groups:
        if group.ami.type and ami.is_amazon_linux_2(group.ami.type):
            yield RuleFinding(
                f"{path}.ami.type",
                "AL2 EKS AMIs ended on 2025-11-26",
                group.ami.type,
                ", ".join(_fitting(context, kind)),
                f"use {_fitting(context, kind)[0]}",
            )


@rule("ami-without-nvidia-driver")
def ami_without_nvidia_driver(context: Context) -> Iterator[RuleFinding]:
    """A node group with NVIDIA GPUs has an image with the NVIDIA driver.

    Source: EKS user guide `ml-eks-optimized-ami`.
    """
    for path, group, kind in context.groups:
        wanted = group.ami.type
        if kind.has_nvidia_gpu and _published(wanted) and not ami.carries_nvidia_driver(wanted or ""):
            yield RuleFinding(
                f"{path}.ami.type",
                f"{kind.name} has NVIDIA GPUs and {wanted} has no NVIDIA driver",
                str(wanted),
                ", ".join(_fitting(context, kind)),
                f"use {_fitting(context, kind)[0]}",
            )


@rule("ami-not-for-neuron")
def ami_not_for_neuron(context: Context) -> Iterator[RuleFinding]:
    """A Trainium or Inferentia node group has the Neuron image or plain Bottlerocket.

    Source: EKS user guide `ml-eks-optimized-ami`.
    """
    for path, group, kind in context.groups:
        wanted = group.ami.type
        wrong = not kind.has_nvidia_gpu and _published(wanted) and wanted not in kind.ami_types
        if wrong and ami.architecture(wanted or "") == kind.architecture:
            yield RuleFinding(
                f"{path}.ami.type",
                f"{kind.name} is a Neuron instance and {wanted} has no Neuron driver",
                str(wanted),
                ", ".join(_fitting(context, kind)),
                f"use {_fitting(context, kind)[0]}",
            )


@rule("ami-architecture")
def ami_architecture(context: Context) -> Iterator[RuleFinding]:
    """The image is built for the instance type's processor.

    Source: `SupportedArchitectures` of DescribeInstanceTypes.
    """
    for path, group, kind in context.groups:
        wanted = group.ami.type
        if wanted and _published(wanted) and ami.architecture(wanted) != kind.architecture:
            yield RuleFinding(
                f"{path}.ami.type",
                f"{kind.name} is {kind.architecture} and {wanted} is {ami.architecture(wanted)}",
                wanted,
                ", ".join(_fitting(context, kind)),
                f"use {_fitting(context, kind)[0]}",
            )


@rule("system-architectures")
def system_architectures(context: Context) -> Iterator[RuleFinding]:
    """The system group's instance types have one processor architecture: a node group has one image.

    Source: EKS API CreateNodegroup; EC2 instance type naming conventions.
    """
    types = context.settings.system_node_group.instance_types
    found = {system_instance_types.architecture(name) for name in types}
    if len(found) > 1:
        yield RuleFinding(
            "systemNodeGroup.instanceTypes",
            "the types have different processors",
            ", ".join(types),
            "types of one architecture",
            "keep either the ones with a `g` after the generation (ARM) or the others",
        )


@rule("system-type-unknown", Severity.WARNING)
def system_type_unknown(context: Context) -> Iterator[RuleFinding]:
    """The system group's instance types are in the table; others may exist, but nothing is known of them here.

    Source: `eks_accelerators/accelerators/data/system-instance-types.json`.
    """
    for index, name in enumerate(context.settings.system_node_group.instance_types):
        if system_instance_types.find(name) is None and instance_types.find(name) is None:
            other = other_accelerators.find(name)
            guess = "m7i.large" if other else closest(name, system_instance_types.names())
            fix = f"did you mean {guess}?" if guess else "check that the type exists"
            yield RuleFinding(
                f"systemNodeGroup.instanceTypes[{index}]",
                other.told if other else f"vCPUs, memory and price of {name} are not known here",
                name,
                "a common general-purpose type",
                f"use {guess}, or another type without accelerators" if other else fix,
            )


@rule("ultraserver-not-available")
def ultraserver_not_available(context: Context) -> Iterator[RuleFinding]:
    """Instances that are sold in UltraServers only need Dynamic Resource Allocation, which is not built here.

    Source: EKS user guide `ml-eks-nvidia-ultraserver`.
    """
    only = data.load("ami")["ultraserver_only"]
    for path, _, kind in context.groups:
        if kind.family in only:
            yield RuleFinding(
                f"{path}.instanceType",
                f"{kind.name} is sold in UltraServers only, and the device plugin does not serve it",
                kind.name,
                "a type that stands alone",
                "use p6-b200.48xlarge or p6-b300.48xlarge",
            )


@rule("ami-accelerated-for-nothing", Severity.WARNING)
def ami_accelerated_for_nothing(context: Context) -> Iterator[RuleFinding]:
    """The system group has no accelerated instance type.

    Source: EKS user guide `ml-eks-optimized-ami`: the image's drivers cost boot time and disk.
    """
    for name in context.settings.system_node_group.instance_types:
        if kind := instance_types.find(name):
            yield RuleFinding(
                "systemNodeGroup.instanceTypes",
                f"{name} has {kind.accelerator.count} {kind.accelerator.name} that the system group does not use",
                name,
                "a type without accelerators",
                "use m7i.large, and put accelerators into nodeGroups",
            )


@rule("ami-known-bad-release")
def ami_known_bad_release(context: Context) -> Iterator[RuleFinding]:
    """`ami.releaseVersion` is not a release known to be broken on the Kubernetes version.

    Source: amazon-eks-ami release notes v20260930, v20261003 and v20261012.
    """
    version = context.settings.cluster.kubernetes_version
    for path, group, _ in context.groups:
        release = group.ami.release_version
        if release and (reason := ami.bad_release(release, version)):
            yield RuleFinding(
                f"{path}.ami.releaseVersion",
                f"AMI release {release} on {version}: {reason}",
                release,
                "v20261012 or later",
                "pin a later release, or leave it out for the newest",
            )


@rule("ami-driver-too-old")
def ami_driver_too_old(context: Context) -> Iterator[RuleFinding]:
    """A family that needs a newer NVIDIA driver than the published images carry has a custom image.

    Source: EKS user guide `device-management-nvidia-mig` (g7 needs driver 595; the AMI has 580).
    """
    facts = data.load("ami")
    for path, group, kind in context.groups:
        minimum = facts["minimum_driver_major"].get(kind.family)
        if minimum and not group.ami.image_id:
            yield RuleFinding(
                f"{path}.ami.imageId",
                f"{kind.family} needs NVIDIA driver {minimum}; EKS AMIs carry {facts['nvidia_driver_major']}",
                group.ami.type or "no custom image",
                f"a custom AL2023 image with driver {minimum} or newer",
                f"set ami.imageId, or use g7e instead of {kind.family}",
            )


@rule("ami-custom-image")
def ami_custom_image(context: Context) -> Iterator[RuleFinding]:
    """A custom image excludes `ami.type` and `ami.releaseVersion`, which EKS refuses beside it, and type CUSTOM needs one.

    Source: EKS API CreateNodegroup; a custom image here is an AL2023 one, whose user data we write.
    """
    for path, group, kind in context.groups:
        both = [
            key
            for key, value in (("type", group.ami.type), ("releaseVersion", group.ami.release_version))
            if value and value != "CUSTOM"
        ]
        if group.ami.image_id and both:
            yield RuleFinding(
                f"{path}.ami.imageId",
                f"a custom image excludes ami.{' and ami.'.join(both)}",
                group.ami.image_id,
                "imageId alone",
                f"remove ami.{' and ami.'.join(both)}",
            )
        needs_custom = group.ami.type == "CUSTOM" or (
            group.ami.type is None and _fitting(context, kind) == ("CUSTOM",) and kind.ami_types != ("CUSTOM",)
        )
        if needs_custom and not group.ami.image_id:
            yield RuleFinding(
                f"{path}.ami",
                "type CUSTOM needs an image"
                if group.ami.type
                else f"no published image fits {kind.name} on {context.settings.cluster.kubernetes_version}",
                group.ami.type or "the default",
                ", ".join(kind.ami_types),
                f"set ami.imageId, or {'leave ami.type out' if group.ami.type else 'a newer cluster.kubernetesVersion'}",
            )


def _published(ami_type: str | None) -> bool:
    return ami_type is not None and ami_type != "CUSTOM" and ami_type in ami.known_types()


def _fitting(context: Context, kind: instance_types.InstanceType) -> tuple[str, ...]:
    return ami.fitting_types(kind, context.settings.cluster.kubernetes_version)
