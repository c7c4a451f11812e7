"""Machine images: the newest release of each AMI type, releases that are pinned, and images of one's own."""

from collections.abc import Iterator

from eks_accelerators.accelerators import ami, ami_images
from eks_accelerators.capacity.aws_calls import Answer, Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.aws_calls.public_parameters import Parameter, parameters
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, not_known, ok, problem, warning


class Image(PascalCase):
    """A machine image, as `DescribeImages` answers it."""

    image_id: str
    name: str = ""
    state: str = "available"
    architecture: str = "x86_64"


def ami_types(inquiry: Inquiry) -> dict[str, list[str]]:
    """The published AMI types that the stack uses, each with the paths of its node groups."""
    system = ami.system_type(inquiry.settings.system_node_group.instance_types[0])
    found = {system: ["systemNodeGroup"]}
    for group in inquiry.groups.values():
        if group.ami_type != "CUSTOM":
            found.setdefault(group.ami_type, []).append(f"nodeGroups.{group.name}")
    return found


@check("ami-release-newest", "nodeGroups")
def ami_release_newest(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """AWS publishes an image of each AMI type for the Kubernetes version, and the newest is not a known-bad one.

    Source: the public SSM parameters of EKS and Bottlerocket.
    """
    version, used = inquiry.settings.cluster.kubernetes_version, ami_types(inquiry)
    names = {kind: ami_images.newest_release_parameter(kind, version) for kind in used}
    answers = inquiry.aws.ask_all(parameters(inquiry.region, sorted({name for name in names.values() if name})))
    newest = {each.name: each.value for answer in answers for each in answer.value}
    for kind, paths in used.items():
        path = f"{paths[0]}.ami" if paths[0] != "systemNodeGroup" else paths[0]
        release = newest.get(names[kind] or "")
        answer = _answer_about(answers, names[kind])
        if release is None:
            found = f"AWS publishes no {kind} image for Kubernetes {version} in {inquiry.region}"
            yield problem(path, found, "use another AMI type or Kubernetes version", answer)
        elif reason := ami.bad_release(release, version):
            pins = "pin an older one with ami.releaseVersion"
            yield problem(path, f"the newest {kind} release, {release}, is known to be bad: {reason}", pins, answer)
        else:
            yield ok(path, f"{kind}: newest release {release}", answer)


@check("ami-release-exists", "nodeGroups")
def ami_release_exists(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """A pinned release has an image in the region. Source: DescribeImages of Amazon's images, by name."""
    version = inquiry.settings.cluster.kubernetes_version
    pinned = {
        group.name: (release, ami_images.image_name(group.ami_type, version, release))
        for group in inquiry.groups.values()
        if (release := group.settings.ami.release_version)
    }
    names = sorted({name for _, name in pinned.values() if name})
    if not names:
        return
    filters = [{"Name": "name", "Values": names}]
    answer = inquiry.aws.ask(_images(inquiry.region, {"Owners": ["amazon"], "Filters": filters}))
    there = [image.name for image in answer.value]
    for group, (release, name) in pinned.items():
        path = f"nodeGroups.{group}.ami.releaseVersion"
        if name is None:
            yield not_known(path, f"how AWS names the image of {release} is not known", "look it up by hand", answer)
        elif any(_matches(image, name) for image in there):
            yield ok(path, f"{release} is there", answer)
        else:
            found = f"there is no image of release {release} for Kubernetes {version} in {inquiry.region}"
            yield problem(path, found, "use the newest release, or another that exists", answer)


@check("ami-custom-exists", "nodeGroups")
def ami_custom_exists(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """An image of one's own can be used from this account and region, and fits the processor. Source: DescribeImages."""
    used = {group.name: group.settings.ami.image_id for group in inquiry.groups.values() if group.settings.ami.image_id}
    if not used:
        return
    # A filter, as one ID that is not there would have the whole call refused.
    filters = [{"Name": "image-id", "Values": sorted(set(used.values()))}]
    answer = inquiry.aws.ask(_images(inquiry.region, {"Filters": filters}))
    there = {image.image_id: image for image in answer.value}
    for group, identifier in used.items():
        path, image = f"nodeGroups.{group}.ami.imageId", there.get(identifier)
        wanted = inquiry.groups[group].type.architecture
        if image is None:
            found = f"{identifier} is not there for this account in {inquiry.region}"
            yield problem(path, found, "copy the image here, or share it with the account", answer)
        elif image.state != "available":
            yield warning(path, f"{identifier} is {image.state}", "wait until it is available", answer)
        elif image.architecture != wanted:
            yield problem(path, f"{identifier} is for {image.architecture}, not {wanted}", "use another image", answer)
        else:
            yield ok(path, f"{identifier} is available", answer)


def _images(region: str, parameters: dict[str, object]) -> Call[list[Image]]:
    return Call("ec2", "describe_images", region, "Images", list[Image], parameters)


def _answer_about(answers: list[Answer[list[Parameter]]], name: str | None) -> Answer[list[Parameter]]:
    return next((answer for answer in answers if name in answer.call.parameters["Names"]), answers[0])


def _matches(image: str, name: str) -> bool:
    before, _, after = name.partition("*")
    return image.startswith(before) and image.endswith(after)
