"""Accelerator node groups as they are deployed, for the tests about one part of them each."""

import base64
from typing import Any

from eks_accelerators.components import AcceleratorNodeGroup
from tests.components.examples import RESERVATION_ID, Changes, deployed, run
from tests.components.harness import Deployment

ONE_ZONE = {"zones": ["us-east-2a"]}
P5_WITH_EFA = {"instance_type": "p5.48xlarge", "efa": {"enabled": True}, **ONE_ZONE}
BOTTLEROCKET = {"ami": {"type": "BOTTLEROCKET_x86_64_NVIDIA"}}
CUSTOM_IMAGE = {
    "ami": {"image_id": "ami-0123456789abcdef0"},
    "cluster_endpoint": "https://0123.eks.amazonaws.com",
    "cluster_certificate_authority": "Q0E=",
    "cluster_service_cidr": "172.20.0.0/16",
}


def block(**changes: Any) -> dict[str, Any]:
    """Arguments of a group on a Capacity Block that has begun, as the component `CapacityBlock` has them."""
    known = {"reservation_id": RESERVATION_ID, "zone": "us-east-2b", "zone_id": "use2-az2", "state": "active"}
    ref = {**known, "start": "2026-11-19T11:30:00+00:00", **changes}
    return {"instance_type": "p5.48xlarge", "size": {"max": 4}, "capacity_block": ref}


def group(changes: Changes = None, **options: Any) -> Deployment:
    """A node group called `gpu`."""
    return deployed(AcceleratorNodeGroup, changes, name="gpu", **options)


def tried(changes: Changes, **options: Any) -> Deployment:
    """The same, with the failure kept."""
    return run(AcceleratorNodeGroup, changes, name="gpu", **options)


def nodes(changes: Changes = None, **options: Any) -> dict[str, Any]:
    """Inputs of the managed node group."""
    return group(changes, **options).one("NodeGroup").inputs


def template(changes: Changes = None, **options: Any) -> dict[str, Any]:
    """Inputs of the launch template."""
    return group(changes, **options).one("LaunchTemplate").inputs


def user_data(changes: Changes = None) -> str | None:
    """The user data of the nodes as text, None where there is none."""
    encoded = template(changes).get("userData")
    return base64.b64decode(encoded, validate=True).decode() if encoded else None
