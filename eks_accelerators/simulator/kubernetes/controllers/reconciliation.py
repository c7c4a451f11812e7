"""What all controllers do: find their objects, own what they make, report."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.objects import Manifest

Obj = dict[str, Any]

_REFUSALS = {HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY}


def attend(api: Api, api_version: str, kind: str, work: Callable[[Api, Obj], None]) -> None:
    """One pass over all objects of a kind that are not on their way out.

    What is refused, because an object of the same name still goes, or its namespace, is left to the next pass.
    """
    for each in api.list(api_version, kind):
        if "deletionTimestamp" in each["metadata"]:
            continue
        try:
            work(api, each)
        except ApiError as error:
            if error.status not in _REFUSALS:
                raise


def owner_of(obj: Obj) -> Manifest:
    """A reference to the object that what it owns is deleted with."""
    named = {"apiVersion": obj["apiVersion"], "kind": obj["kind"]}
    named |= {key: obj["metadata"][key] for key in ("name", "uid")}
    return {**named, "controller": True, "blockOwnerDeletion": True}


def is_owned_by(obj: Obj, owner: Obj) -> bool:
    """Whether an object is that owner's, and not of one that had its name before."""
    references = obj["metadata"].get("ownerReferences", ())
    return any(each["uid"] == owner["metadata"]["uid"] for each in references)


def report(api: Api, obj: Obj, status: Manifest) -> None:
    """Write the status of an object where it has changed."""
    changed = {key: value for key, value in status.items() if obj.get("status", {}).get(key) != value}
    if changed:
        metadata = obj["metadata"]
        api.patch(
            obj["apiVersion"],
            obj["kind"],
            metadata["name"],
            metadata["namespace"],
            {"status": changed},
            subresource="status",
        )
