"""Objects of Kubernetes in a dictionary, in place of an API server: what owns others takes them with it when it goes."""

import copy
import fnmatch
import itertools

from eks_accelerators.simulator.kubernetes.api import ApiError


class ObjectsInMemory:
    """Takes the requests of `Api` that a controller sends."""

    def __init__(self, *given):
        self._objects = {}
        self._numbers = itertools.count()
        for each in given:
            self.create(each)

    def create(self, obj, *, manager=""):
        metadata = copy.deepcopy(obj["metadata"])
        number = next(self._numbers)
        metadata.setdefault("name", f"{metadata.get('generateName', '')}{number:05}")
        made = {**copy.deepcopy(obj), "metadata": {"uid": f"uid-{number}", **metadata}}
        key = self._key(made["apiVersion"], made["kind"], metadata["name"], metadata.get("namespace"))
        if key in self._objects:
            raise ApiError(409, "AlreadyExists", f"{key} already exists")
        self._objects[key] = made
        return made

    def get(self, api_version, kind, name, namespace=None):
        return self._objects.get(self._key(api_version, kind, name, namespace))

    def list(self, api_version, kind, namespace=None, label_selector=None):
        wanted = dict(each.split("=") for each in label_selector.split(",")) if label_selector else {}
        return [
            copy.deepcopy(each)
            for (its_version, its_kind, _, place), each in self._objects.items()
            if (its_version, its_kind) == (api_version, kind)
            and namespace in (None, place)
            and wanted.items() <= each["metadata"].get("labels", {}).items()
        ]

    def delete(self, api_version, kind, name, namespace=None):
        gone = self._objects.pop(self._key(api_version, kind, name, namespace), None)
        if gone:
            for each in list(self._objects.values()):
                owners = [owner["uid"] for owner in each["metadata"].get("ownerReferences", ())]
                if gone["metadata"]["uid"] in owners:
                    self.delete(
                        each["apiVersion"], each["kind"], each["metadata"]["name"], each["metadata"]["namespace"]
                    )

    def patch(self, api_version, kind, name, namespace, change, *, subresource=None):
        obj = self._objects[self._key(api_version, kind, name, namespace)]
        obj["status"] = {**obj.get("status", {}), **change["status"]}

    def one(self, kind, name="*"):
        """The only object of a kind whose name is like a pattern."""
        (found,) = self.all(kind, name)
        return found

    def all(self, kind, name="*"):
        """All of them, as they are."""
        return [
            each for (_, its, called, _), each in self._objects.items() if its == kind and fnmatch.fnmatch(called, name)
        ]

    @staticmethod
    def _key(api_version, kind, name, namespace):
        return api_version, kind, name, namespace
