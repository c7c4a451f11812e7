"""Rules about the container images of workloads."""

from collections.abc import Iterator

from eks_accelerators.settings.problems import Severity
from eks_accelerators.settings.rules.registry import Context, RuleFinding, rule


@rule("image-without-tag", Severity.WARNING)
def image_without_tag(context: Context) -> Iterator[RuleFinding]:
    """A workload's image has a tag other than `latest`, or a digest: otherwise two nodes may run two versions of it.

    Source: Kubernetes, images: without a tag `latest` is meant, and which version of it runs is hard to tell and to go back to.
    """
    for kind, name, workload in context.settings.workloads.each():
        if workload.image is not None and not _is_pinned(workload.image):
            yield RuleFinding(
                f"workloads.{kind}.{name}.image",
                f"{workload.image} is whatever version is the latest when a node pulls it",
                workload.image,
                "an image with a tag other than latest, or with a digest",
                "add the tag, or remove image for the one that is pinned",
            )


def _is_pinned(image: str) -> bool:
    """Whether a reference has a digest or a tag that is not `latest`. The colon of a registry's port begins no tag."""
    if "@" in image:
        return True
    tag = image.rpartition("/")[2].partition(":")[2]
    return tag not in ("", "latest")
