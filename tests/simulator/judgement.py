"""What a real API server says to manifests: each as a dry run, with every field that its kind does not have refused."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from tests.polls import until
from tests.simulator import manifests, published_definitions
from tests.simulator.control_planes import control_plane
from tests.simulator.kubernetes.test_workload_admission import LEVELS, pod_of
from tests.simulator.manifests import LEVEL, Written

_THREADS = 8
_CRD = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")

_Item = TypeVar("_Item")


class Judge:
    """An API server with a namespace of each Pod Security level, which gets the published definition of a kind with its first object."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._served: set[tuple[str, str]] = set()

    def refusal(self, manifest: Mapping[str, Any]) -> str | None:
        """Why a manifest is refused; None where it is taken."""
        return self.refused([Written("one", "", dict(manifest))]).get(f"one: {_called(manifest)}")

    def refused(self, written: Iterable[Written]) -> dict[str, str]:
        """By what each is called, why it is refused."""
        written = list(written)
        self._serve({(each.manifest["apiVersion"], each.manifest["kind"]) for each in written})
        return _answers(written, lambda each: each.called, lambda each: self._create(_unplaced(each.manifest)))

    def pods_refused(self, written: Iterable[Written]) -> dict[str, str]:
        """The same of the pods of each, at the level of its namespace where the program makes that; equal ones are asked once."""
        pods = {
            repr(pod): (f"{each.called}, pod", pod)
            for each in written
            if each.level
            for pod in (pod_of(template, each.level) for template in manifests.pod_templates(each.manifest))
        }
        return _answers(pods.values(), lambda each: each[0], lambda each: self._create(each[1]))

    def _create(self, manifest: dict[str, Any]) -> str | None:
        try:
            self._api.create(manifest, dry_run=True, strict=True)
        except ApiError as error:
            # Of names that the server itself makes, such as `default`, another cannot be made.
            return None if error.reason == "AlreadyExists" else error.message
        return None

    def _serve(self, kinds: set[tuple[str, str]]) -> None:
        new, self._served = kinds - self._served, self._served | kinds
        definitions = [found for kind in sorted(new) if (found := published_definitions.definition_of(*kind))]
        for each in definitions:
            self._api.create(each)
        for each in definitions:
            until(lambda given=each: _is_served(self._api, given))


@contextmanager
def judge(engines: Mapping[str, Path], folder: Path) -> Iterator[Judge]:
    """One for the time of a `with` block."""
    with control_plane(engines, folder) as cluster:
        for level in LEVELS:
            labelled = {"name": level, "labels": {LEVEL: level}}
            cluster.api.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": labelled})
            account = {"name": "default", "namespace": level}  # which a controller makes too, a moment later
            cluster.api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account})
        yield Judge(cluster.api)


def _called(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['kind']} {manifest['metadata'].get('name', '')}"


def _unplaced(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """In a namespace that is there."""
    place = {"namespace": "privileged"} if "namespace" in manifest["metadata"] else {}
    return {**manifest, "metadata": {**manifest["metadata"], **place}}


def _answers(
    items: Iterable[_Item], named: Callable[[_Item], str], ask: Callable[[_Item], str | None]
) -> dict[str, str]:
    """Many at a time: which answers there are, by the names of what they are about."""
    items = list(items)
    with ThreadPoolExecutor(_THREADS) as threads:
        answers = list(threads.map(ask, items))
    return {named(item): answer for item, answer in zip(items, answers, strict=True) if answer}


def _is_served(api: Api, definition: Mapping[str, Any]) -> bool:
    found = api.get(*_CRD, definition["metadata"]["name"]) or {}
    conditions = {each["type"]: each["status"] for each in found.get("status", {}).get("conditions") or []}
    assert conditions.get("NamesAccepted") != "False", found["status"]
    group, kind = definition["spec"]["group"], definition["spec"]["names"]["kind"]
    there = {(version.rpartition("/")[0], its) for version, its in api.kinds()}  # in one version of several
    return conditions.get("Established") == "True" and (group, kind) in there
