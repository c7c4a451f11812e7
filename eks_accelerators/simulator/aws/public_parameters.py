"""The public parameters of SSM that name the newest EKS images."""

import hashlib
import re
from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(Chapter(__doc__, source="EKS user guide `retrieve-ami-id`, read 2026-11-20."))

_EKS = re.compile(
    r"/aws/service/(eks/optimized-ami/(?P<version>[\d.]+)/.+|bottlerocket/aws-k8s-(?P<other>[\d.]+).*)/(?P<what>\w+)"
)


@operation("ssm", "get_parameters")
def get_parameters(_: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Values of those of the parameters that there are; every AMI type has an image."""
    found = {name: match for name in parameters["Names"] if (match := _EKS.fullmatch(name))}
    return {
        "Parameters": [{"Name": name, "Type": "String", "Value": _value(match)} for name, match in found.items()],
        "InvalidParameters": [name for name in parameters["Names"] if name not in found],
    }


def _value(match: re.Match[str]) -> str:
    if match["what"] == "image_id":
        return f"ami-{hashlib.sha256(match.string.encode()).hexdigest()[:17]}"
    return f"{match['version'] or match['other']}-simulated-latest"
