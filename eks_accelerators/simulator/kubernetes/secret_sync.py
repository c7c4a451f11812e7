"""What External Secrets does for ExternalSecrets: a Secret of what AWS Secrets Manager has, looked at again at each interval.

Source: external-secrets/external-secrets v2.9.0, `pkg/controllers/externalsecret` (when it looks, `shouldRefresh`; labels, annotation and
owner of the Secret) and `runtime/template/v2`; read 2026-11-22. Of templates only those of `components/synced_secret.py` are known.
Left out: whether the role of its pod may read the secret, sync windows, and every provider but AWS Secrets Manager.
"""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.objects import Manifest

API_VERSION = "external-secrets.io/v1"
OWNER, MANAGED = "reconcile.external-secrets.io/created-by", "reconcile.external-secrets.io/managed"
DATA_HASH = "reconcile.external-secrets.io/data-hash"

_UNITS = {"h": 3600, "m": 60, "s": 1}
_NOT_FOUND, _CONFLICT = 404, 409

Reading = Callable[[str], str | None]
"""The value of a secret by its name, or None where AWS has none."""


def sync(api: Api, now: datetime, read: Reading) -> None:
    """One pass over the ExternalSecrets that are new, changed or due; ``read`` asks AWS."""
    for each in _listed(api):
        if _is_due(api, each, now):
            _refresh(api, each, now, read)


def _listed(api: Api) -> list[Manifest]:
    try:
        return api.list(API_VERSION, "ExternalSecret", remembered=True)
    except ApiError as error:
        if error.status == _NOT_FOUND:  # the kind goes with the chart
            return []
        raise


def _is_due(api: Api, wanted: Manifest, now: datetime) -> bool:
    metadata, status = wanted["metadata"], wanted.get("status", {})
    if "deletionTimestamp" in metadata:
        return False
    if status.get("syncedResourceVersion") != _version(wanted) or "refreshTime" not in status:
        return True
    if api.get("v1", "Secret", wanted["spec"]["target"]["name"], metadata["namespace"]) is None:
        return True
    every = _seconds(wanted["spec"]["refreshInterval"])
    return every > timedelta() and datetime.fromisoformat(status["refreshTime"]) + every <= now


def _version(wanted: Manifest) -> str:
    """Of what is written: it is looked at anew when that changes."""
    return _digest(json.dumps(wanted["spec"], sort_keys=True))


def _seconds(duration: str) -> timedelta:
    """A duration of Go, such as `1h0m0s`."""
    return timedelta(seconds=sum(int(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", duration)))


def _refresh(api: Api, wanted: Manifest, now: datetime, read: Reading) -> None:
    metadata, spec = wanted["metadata"], wanted["spec"]
    values: dict[str, str] = {}
    for each in spec["data"]:
        value = _found(each["remoteRef"], read)
        if value is None:
            _tell(api, wanted, {"conditions": [_condition("False", "SecretSyncedError", "could not get secret data")]})
            return
        values[each["secretKey"]] = value
    api.apply(_secret(wanted, values), manager=f"externalsecrets.external-secrets.io/{metadata['name']}")
    _tell(
        api,
        wanted,
        {
            "refreshTime": now.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "syncedResourceVersion": _version(wanted),
            "conditions": [_condition("True", "SecretSynced", "secret synced")],
        },
    )


def _found(remote: Mapping[str, str], read: Reading) -> str | None:
    value = read(remote["key"])
    if value is None or "property" not in remote:
        return value
    try:
        found = json.loads(value).get(remote["property"])
    except (ValueError, AttributeError):
        return None
    return found if isinstance(found, str) else None


def _secret(wanted: Manifest, values: Mapping[str, str]) -> Manifest:
    metadata, target = wanted["metadata"], wanted["spec"]["target"]
    template = target.get("template", {})
    data = {key: rendered(text, values) for key, text in template["data"].items()} if "data" in template else values
    owner = {"apiVersion": API_VERSION, "kind": "ExternalSecret", "name": metadata["name"], "uid": metadata["uid"]}
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": target["name"],
            "namespace": metadata["namespace"],
            "labels": {MANAGED: "true", OWNER: _digest(f"{metadata['namespace']}/{metadata['name']}")},
            "annotations": {DATA_HASH: _digest(json.dumps(encoded, sort_keys=True))},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "type": template.get("type", "Opaque"),
        "data": encoded,
    }


def rendered(template: str, values: Mapping[str, str]) -> str:
    """The text of a template with `{{ .name | toJson }}` and `{{ printf "..." .name | b64enc }}`; raises ValueError for others."""

    def action(found: re.Match[str]) -> str:
        inside = found[1].strip()
        if plain := re.fullmatch(r"\.(\w+) \| toJson", inside):
            return json.dumps(values[plain[1]])
        if printed := re.fullmatch(r'printf "%s:%s" ("[^"]*") \.(\w+) \| b64enc', inside):
            return base64.b64encode(f"{json.loads(printed[1])}:{values[printed[2]]}".encode()).decode()
        raise ValueError(f"the template {inside!r} is not simulated")

    return re.sub(r"\{\{(.*?)\}\}", action, template)


def _digest(text: str) -> str:
    return hashlib.sha3_224(text.encode()).hexdigest()


def _condition(status: str, reason: str, message: str) -> dict[str, str]:
    return {"type": "Ready", "status": status, "reason": reason, "message": message}


def _tell(api: Api, wanted: Manifest, status: dict[str, Any]) -> None:
    """Write what came of it, unless it says so already; it may be gone."""
    now = wanted.get("status", {})
    if all(now.get(key) == value for key, value in status.items()):
        return
    metadata = wanted["metadata"]
    try:
        name, namespace = metadata["name"], metadata["namespace"]
        api.patch(API_VERSION, "ExternalSecret", name, namespace, {"status": status}, subresource="status")
    except ApiError as error:
        if error.status not in (_NOT_FOUND, _CONFLICT):
            raise
