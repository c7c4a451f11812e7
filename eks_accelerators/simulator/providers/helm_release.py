"""Helm releases: recorded as Helm records them, their objects from the chart or its stand-in.

Source: pulumi-kubernetes `provider/pkg/provider/helm_release.go` and Helm's storage format, read 2026-11-21.
"""

import base64
import contextlib
import gzip
import json
import time
from typing import Any

from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.charts import with_helm
from eks_accelerators.simulator.kubernetes.charts.with_helm import Helm
from eks_accelerators.simulator.providers import helm_hooks
from eks_accelerators.simulator.providers.kind import Created
from eks_accelerators.simulator.providers.naming import generated

TOKEN = "kubernetes:helm.sh/v3:Release"  # a resource's type
_PROPERTIES = frozenset(
    {"chart", "cleanupOnFail", "compat", "name", "namespace", "repositoryOpts", "skipAwait", "values", "version"}
)
_PATIENCE_SECONDS, _INTERVAL_SECONDS = 120, 0.05
"""For an API server to serve a kind: a second, on a machine that has nothing else to do."""

_KEPT_KINDS = ("CustomResourceDefinition",)
"""Helm never deletes what a chart brings in its folder `crds`."""
_RELEASE, _RELEASE_NAMESPACE = "meta.helm.sh/release-name", "meta.helm.sh/release-namespace"
_MANAGED_BY = "app.kubernetes.io/managed-by"


def check(
    inputs: dict[str, Any], old: dict[str, Any], name: str, seed: bytes
) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """Inputs with a release name, and what is wrong with them."""
    failures = [
        (each, f"the simulation does not know this property of {TOKEN}") for each in sorted(set(inputs) - _PROPERTIES)
    ]
    if "name" not in inputs:
        inputs = {**inputs, "name": old.get("name") or generated(name, seed, 53, digits=8)}
    return inputs, failures


def install(api: Api, inputs: dict[str, Any], helm: Helm | None) -> Created:
    """Install the chart. What was installed is removed again where it fails and the release says so."""
    release, namespace = inputs["name"], _namespace(inputs)
    if _record(api, namespace, release) is not None:
        raise ApiError(409, "AlreadyExists", f"cannot re-use a name that is still in use: {namespace}/{release}")
    objects = _objects(api, inputs, helm)
    _refuse_others(api, objects, "install")
    try:
        _apply(api, objects)
    except ApiError:
        if inputs.get("cleanupOnFail"):
            _remove(api, objects)
        raise
    _write(api, inputs, revision=1)
    return Created(f"{namespace}/{release}", _status(inputs, 1))


def read(api: Api, inputs: dict[str, Any]) -> dict[str, Any] | None:
    """The inputs as the release recorded them, or None where it is gone."""
    record = _record(api, _namespace(inputs), inputs["name"])
    if record is None:
        return None
    return {**inputs, "version": record["chart"]["metadata"]["version"], "values": record["config"]}


def upgrade(api: Api, old: dict[str, Any], new: dict[str, Any], helm: Helm | None) -> dict[str, Any]:
    """Apply the new objects and remove those that are not there any more."""
    before, after = _objects(api, old, helm), _objects(api, new, helm)
    known = {_identity(obj) for obj in before}
    _refuse_others(api, [obj for obj in after if _identity(obj) not in known], "update")
    _apply(api, after)
    kept = {_identity(obj) for obj in after}
    _remove(api, [obj for obj in before if _identity(obj) not in kept])
    record = _record(api, _namespace(new), new["name"])
    revision = (record["version"] if record else 0) + 1
    _forget(api, new)
    _write(api, new, revision)
    return _status(new, revision)


def uninstall(api: Api, inputs: dict[str, Any], helm: Helm | None) -> None:
    """Remove the release and its objects. Raises `ApiError` 408 for a hook that would keep Helm waiting for ever."""
    helm_hooks.run(api, inputs, _namespace(inputs), "pre-delete")
    _remove(api, _objects(api, inputs, helm))
    helm_hooks.run(api, inputs, _namespace(inputs), "post-delete")
    _forget(api, inputs)


def _apply(api: Api, objects: list[dict[str, Any]]) -> None:
    """Apply in order. As Helm does, wait for the kinds that the chart brings itself before objects of them."""
    brought = _brought(objects)
    for obj in objects:
        until = time.monotonic() + _PATIENCE_SECONDS
        while obj["apiVersion"] in brought and (obj["apiVersion"], obj["kind"]) not in api.kinds():
            if time.monotonic() > until:
                break
            time.sleep(_INTERVAL_SECONDS)
        api.apply(obj, manager="helm")


def _brought(objects: list[dict[str, Any]]) -> set[str]:
    """API versions of the kinds that the chart defines itself."""
    return {
        f"{obj['spec']['group']}/{version['name']}"
        for obj in objects
        if obj["kind"] in _KEPT_KINDS
        for version in obj["spec"]["versions"]
    }


def _objects(api: Api, inputs: dict[str, Any], helm: Helm | None) -> list[dict[str, Any]]:
    """The chart's objects: rendered by ``helm`` where it is given, else from the stand-in."""
    what: dict[str, Any] = {
        "version": inputs["version"],
        "release": inputs["name"],
        "namespace": _namespace(inputs),
        "values": inputs.get("values") or {},
    }
    try:
        if helm:
            repository = (inputs.get("repositoryOpts") or {}).get("repo")
            has = [*api.api_versions(), *("/".join(kind) for kind in api.kinds())]
            found = with_helm.manifests(helm, inputs["chart"], repository=repository, api_versions=has, **what)
        else:
            found = list(charts.manifests(inputs["chart"], **what))
    except charts.ChartError as error:
        raise ApiError(422, "Chart", str(error)) from None
    return [_owned(obj, inputs) for obj in found]


def _owned(obj: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """The object with the marks by which Helm knows what is its own."""
    if obj["kind"] in _KEPT_KINDS:
        return obj
    metadata = obj["metadata"]
    marks = {_RELEASE: inputs["name"], _RELEASE_NAMESPACE: _namespace(inputs)}
    return {
        **obj,
        "metadata": {
            **metadata,
            "labels": {**(metadata.get("labels") or {}), _MANAGED_BY: "Helm"},
            "annotations": {**(metadata.get("annotations") or {}), **marks},
        },
    }


def _refuse_others(api: Api, objects: list[dict[str, Any]], doing: str) -> None:
    """Refuse to take over what another release, or nobody, has made. Words: helm/helm issue 9125, kubeblocks 8957."""
    for obj in objects:
        if obj["kind"] in _KEPT_KINDS:
            continue
        metadata = obj["metadata"]
        live = api.get(obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"))
        if live is None:
            continue
        have = live["metadata"].get("annotations") or {}
        wrong = [
            f'key "{key}" must equal "{metadata["annotations"][key]}": current value is "{have[key]}"'
            if key in have
            else f'missing key "{key}": must be set to "{metadata["annotations"][key]}"'
            for key in (_RELEASE, _RELEASE_NAMESPACE)
            if have.get(key) != metadata["annotations"][key]
        ]
        if wrong:
            raise ApiError(
                409,
                "AlreadyExists",
                f'Unable to continue with {doing}: {obj["kind"]} "{metadata["name"]}" in namespace '
                f'"{metadata.get("namespace", "")}" exists and cannot be imported into the current release: invalid '
                "ownership metadata; " + "; ".join(f"annotation validation error: {each}" for each in wrong),
            )


def _remove(api: Api, objects: list[dict[str, Any]]) -> None:
    brought = _brought(objects)
    for obj in reversed(objects):
        if obj["kind"] in _KEPT_KINDS:
            continue
        metadata = obj["metadata"]
        # The garbage collector learns of new kinds within half a minute, and until then ends nothing of theirs.
        at_once = 0 if obj["apiVersion"] in brought else None
        with contextlib.suppress(ApiError):
            api.delete(
                obj["apiVersion"], obj["kind"], metadata["name"], metadata.get("namespace"), grace_seconds=at_once
            )


def _identity(obj: dict[str, Any]) -> tuple[str, str, str, str]:
    metadata = obj["metadata"]
    return obj["apiVersion"], obj["kind"], metadata.get("namespace", ""), metadata["name"]


def _namespace(inputs: dict[str, Any]) -> str:
    return str(inputs.get("namespace") or "default")


def _status(inputs: dict[str, Any], revision: int) -> dict[str, Any]:
    return {
        "status": {
            "name": inputs["name"],
            "namespace": _namespace(inputs),
            "chart": inputs["chart"].rpartition("/")[2],
            "version": inputs["version"],
            "revision": revision,
            "status": "deployed",
        }
    }


def _write(api: Api, inputs: dict[str, Any], revision: int) -> None:
    release, namespace = inputs["name"], _namespace(inputs)
    record = {
        "name": release,
        "namespace": namespace,
        "version": revision,
        "info": {"status": "deployed", "description": "Simulated"},
        "chart": {"metadata": {"name": inputs["chart"].rpartition("/")[2], "version": inputs["version"]}},
        "config": inputs.get("values") or {},
    }
    # As Helm stores it: JSON, compressed, in base64 twice, as a Secret is.
    packed = base64.b64encode(gzip.compress(json.dumps(record).encode(), mtime=0))
    api.apply(
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "type": "helm.sh/release.v1",
            "metadata": {
                "name": f"sh.helm.release.v1.{release}.v{revision}",
                "namespace": namespace,
                "labels": {"owner": "helm", "name": release, "status": "deployed", "version": str(revision)},
            },
            "data": {"release": base64.b64encode(packed).decode()},
        },
        manager="helm",
    )


def _secrets(api: Api, namespace: str, release: str) -> list[dict[str, Any]]:
    """The records of the release. One that is being deleted may be there for a moment more, and is none."""
    found = api.list("v1", "Secret", namespace, f"owner=helm,name={release}")
    return [secret for secret in found if "deletionTimestamp" not in secret["metadata"]]


def _record(api: Api, namespace: str, release: str) -> dict[str, Any] | None:
    found = _secrets(api, namespace, release)
    if not found:
        return None
    packed = base64.b64decode(found[-1]["data"]["release"])
    record: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return record


def _forget(api: Api, inputs: dict[str, Any]) -> None:
    namespace = _namespace(inputs)
    for secret in _secrets(api, namespace, inputs["name"]):
        api.delete("v1", "Secret", secret["metadata"]["name"], namespace)
