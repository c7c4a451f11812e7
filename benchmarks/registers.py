"""The floor of a plan: a plain program that registers what a plan registered, and does nothing else.

`registers.py record STACK FILE` plans a stack and writes down every resource. `registers.py register FILE`
registers them again, under the same recorder: by the SDK's own classes as any program would, with the same
names, parents, dependencies and inputs. An input that only a deployment knows is handed over as an output of
the resource it came from. It reads no settings, judges nothing, estimates nothing and prints nothing, and
looks for garbage as seldom as `accel` does, or the floor would be twice as high.
"""

import gc
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import pulumi

from eks_accelerators.accel.plan import plan
from eks_accelerators.accel.plan.recorder import SECRET, UNKNOWN, record
from eks_accelerators.accel.stacks import locate

_KEPT = ("urn", "type", "name", "parent", "inputs", "dependencies", "property_dependencies")
_STACK, _CLUSTER = "pulumi:pulumi:Stack", "eks:index:Cluster"
_MODULES = {"helm.sh": "helm", "storage.k8s.io": "storage"}


def write(stack: str, file: Path) -> None:
    recording = plan(locate(stack)).recording
    if recording is None:
        sys.exit(f"{stack} has errors")
    file.write_text(json.dumps([{key: getattr(resource, key) for key in _KEPT} for resource in recording.resources]))


def register(file: Path) -> None:
    def program() -> None:
        made: dict[str, Any] = {}
        for entry in json.loads(file.read_text()):
            if (
                _CLUSTER in entry["urn"].split("::")[2].split("$")[:-1]
            ):  # the recorder's own, as is the cluster's answer
                made[entry["urn"]] = made[entry["parent"]]
            else:
                made[entry["urn"]] = _made(entry, made)

    record(program, project="eks-accelerators", stack_name="many", config={}, secrets=set())


def _made(entry: dict[str, Any], made: dict[str, Any]) -> Any:
    sources = entry["property_dependencies"]
    implied = {urn for urns in sources.values() for urn in urns}
    options = pulumi.ResourceOptions(
        parent=None if _STACK in entry["parent"].split("::")[2:3] else made[entry["parent"]],
        depends_on=[made[urn] for urn in entry["dependencies"] if urn not in implied],
    )
    package, module, name = entry["type"].split(":")
    if package == "eks-accelerators":
        return pulumi.ComponentResource(entry["type"], entry["name"], {}, options)
    inputs = {
        _snake(key): _input(value, [made[urn] for urn in sources.get(key, ())])
        for key, value in entry["inputs"].items()
    }
    if package == "pulumi":
        return importlib.import_module(f"pulumi_{name}").Provider(entry["name"], **inputs, opts=options)
    sdk: Any = importlib.import_module(f"pulumi_{package}")
    group, _, version = module.partition("/")
    for part in (_MODULES.get(group, group), version if package == "kubernetes" else ""):
        sdk = getattr(sdk, part) if part not in ("", "index") else sdk
    return getattr(sdk, name)(entry["name"], **inputs, opts=options)


def _input(value: Any, sources: list[Any]) -> Any:
    if value == UNKNOWN and sources:
        return sources[0].id if isinstance(sources[0], pulumi.CustomResource) else sources[0].kubeconfig
    if value == SECRET:
        return pulumi.Output.secret(value)
    if isinstance(value, dict):
        return {key: _input(item, sources) for key, item in value.items()}
    return [_input(item, sources) for item in value] if isinstance(value, list) else value


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()


if __name__ == "__main__":
    if sys.argv[1] == "record":
        write(sys.argv[2], Path(sys.argv[3]))
    else:
        gc.set_threshold(1_000_000, 10, 10)
        register(Path(sys.argv[2]))
