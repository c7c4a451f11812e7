"""Every manifest that the package writes: of components, shipped stacks and examples, and of what the rules' case tables describe."""

import itertools
import json
import re
import runpy
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import yaml

from eks_accelerators.settings import SettingsError
from eks_accelerators.settings.launch_template_rules import UNKNOWN
from eks_accelerators.settings.load import PROJECT
from eks_accelerators.settings.problems import errors
from eks_accelerators.simulator.kubernetes import charts
from tests.accel.plans import ROOT
from tests.components import harness
from tests.components.examples import deployed as component_alone
from tests.components.test_published_schemas import deployments
from tests.components.training.test_engines import KINDS as CONTROLLERS
from tests.components.training.test_engines import of as training_by
from tests.examples.example_plans import REQUIRED
from tests.examples.example_plans import plan as example_planned
from tests.examples.test_stack_files import FILES
from tests.settings.example import check, patched
from tests.settings.rules.test_rules import CASES
from tests.simulator.published_definitions import project_of
from tests.test_every_server import stack as every_server
from tests.test_program import PROGRAM, deployed

LEVEL = "pod-security.kubernetes.io/enforce"
_NAMED = "named-by-pulumi"
_PROCESSES = 2
_PULL_SECRET = "kubernetes.io/dockerconfigjson"


@dataclass(frozen=True)
class Written:
    """One manifest: who writes it, and the Pod Security level of its namespace; none where that is not the program's own."""

    who: str
    level: str
    manifest: dict[str, Any]

    @property
    def called(self) -> str:
        return f"{self.who}: {self.manifest['kind']} {self.manifest['metadata'].get('name', '')}"


def usual() -> list[Written]:
    """Of every component, shipped stack and example, of every kind of server and engine of a training job."""
    return _distinct(_usual())


def of_the_case_tables(every: int = 1) -> list[Written]:
    """Of the stacks of the rules' case tables that have no error: all, or every so manieth."""
    indexes = range(0, len(_patches()), every)
    with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as processes:
        return _distinct(itertools.chain.from_iterable(processes.map(_of_patch, indexes, chunksize=20)))


def _usual() -> Iterator[Written]:
    for file in (*sorted((ROOT / "stacks").glob("Pulumi.*.yaml")), *FILES):
        yield from _of(f"{file.parent.name}/{file.name}", _of_stack_file(file).resources)
    for example in REQUIRED:
        yield from _of(example, example_planned(example).resources)
    for each in deployments():
        component, changes = each.values
        yield from _of(each.id, component_alone(component, changes).resources)
    for controller in CONTROLLERS:
        yield from _of(controller, training_by(controller).resources)
    for name, settings in _EXPOSED.items():
        yield from _of(f"servers, {name}", every_server(**settings).resources)


_EXPOSED: dict[str, dict[str, Any]] = {
    "gateway": {"exposure": {"kind": "gateway", "gateway": {"name": "models"}}},
    "load balancer": {"exposure": {"kind": "internalLoadBalancer"}},
    "callers": {"networkPolicy": {"namespaces": ["web"]}},
    "packed": {"placement": "pack"},
}


def _of_stack_file(file: Path) -> harness.Deployment:
    """What the program registers where AWS has answered; whatever secret it names is there."""
    settings = yaml.safe_load(file.read_text(encoding="utf-8"))["config"]
    config = {key: value if isinstance(value, str) else json.dumps(value) for key, value in settings.items()}
    secrets = {f"{PROJECT}:{name}": "secret" for name in _secrets_of(settings)}
    return harness.deploy(
        lambda: runpy.run_path(str(PROGRAM), run_name="__main__"), config={**config, **secrets}, secrets=tuple(secrets)
    )


def _secrets_of(settings: Any) -> list[str]:
    """Names of the secrets of the Pulumi configuration that settings name."""
    return re.findall(r'"configSecret": "(\w+)"', json.dumps(settings))


@cache
def _patches() -> tuple[tuple[str, Any], ...]:
    """What makes the stacks of the case tables out of the base, each once, with what it is called."""
    patches = {f"{case} {way}": getattr(case, way) for case in CASES for way in ("patch", "near")}
    return tuple({repr(patch): (name, patch) for name, patch in patches.items()}.values())


def _of_patch(index: int) -> list[Written]:
    """What the stack of one patch writes; nothing where it has an error. Other processes know patches by their place."""
    name, patch = _patches()[index]
    if errors(check(patch).problems):
        return []
    made = deployed(patch, dict.fromkeys(_secrets_of(patched(patch)), "secret"))
    if isinstance(made.error, SettingsError):
        return []  # a Capacity Block of the tables' day, which the program asks about today
    assert made.error is None, (name, made.error)
    return list(_of(name, made.resources))


def _of(who: str, resources: Iterable[Any]) -> Iterator[Written]:
    """The manifests among what a program registers, and the custom objects that its charts' stand-ins bring."""
    sent = [dict(each.inputs) for each in resources if each.type.startswith("kubernetes:")]
    levels = {each["metadata"].get("name"): _level_of(each) for each in sent if each.get("kind") == "Namespace"}
    # Pods of a runtime, which is in no namespace, are in that of the job that names it.
    levels |= {
        each["spec"]["runtimeRef"]["name"]: levels.get(_namespace(each), "") for each in sent if _is_of_a_runtime(each)
    }
    for manifest in sent:
        if manifest.get("spec") in (UNKNOWN, harness.UNKNOWN):
            continue  # all of it hangs on what AWS answers, such as the address of a workspace
        if "apiVersion" in manifest:
            yield Written(who, levels.get(_namespace(manifest), ""), _complete(manifest))
        elif "chart" in manifest:
            yield from (Written(f"{who}, chart {manifest['chart']}", "", each) for each in _of_chart(manifest))


def _level_of(namespace: Mapping[str, Any]) -> str:
    return str(namespace["metadata"].get("labels", {}).get(LEVEL, ""))


def _is_of_a_runtime(manifest: Mapping[str, Any]) -> bool:
    return "runtimeRef" in (manifest.get("spec") or {})


def _namespace(manifest: Mapping[str, Any]) -> str:
    """Where it is; of one that is in no namespace, its name."""
    metadata = manifest["metadata"]
    return str(metadata.get("namespace", metadata.get("name")))


def _of_chart(release: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Objects of the stand-in of a chart whose kinds have published definitions."""
    made = charts.manifests(
        release["chart"],
        version=release["version"],
        release="release",
        namespace="released",
        values=_known(release.get("values", {})),
    )
    return [each for each in made if project_of(each["apiVersion"])]


def _complete(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """As the provider sends it: with a name, and with something in place of what is not known yet or secret."""
    made: dict[str, Any] = _known(manifest)
    metadata = {"name": _NAMED, **made.get("metadata", {})}
    if made["kind"] == "Secret":
        key = ".dockerconfigjson" if made.get("type") == _PULL_SECRET else "key"
        made = {name: value for name, value in made.items() if name != "data"} | {"stringData": {key: "{}"}}
    return {**made, "metadata": metadata}


_OF_KIND = {"securityGroupSelectorTerms": "sg-0", "subnetSelectorTerms": "subnet-0"}
"""What stands for what is not known yet where only an ID of a kind is taken, by the key that it is below."""


def _known(value: Any, stand_in: str = "unknown") -> Any:
    if isinstance(value, Mapping):
        return {
            key: _known(below, _OF_KIND.get(key, stand_in)) for key, below in value.items() if not key.startswith("__")
        }
    if isinstance(value, list):
        return [_known(below, stand_in) for below in value]
    if isinstance(value, str):
        for unknown in (UNKNOWN, harness.UNKNOWN):
            value = value.replace(unknown, stand_in)
    return value


def _distinct(written: Iterable[Written]) -> list[Written]:
    """Each manifest once, whoever else writes it too."""
    found: dict[str, Written] = {}
    for each in written:
        found.setdefault(each.level + json.dumps(each.manifest, sort_keys=True), each)
    return list(found.values())


def pod_templates(value: Any) -> Iterator[dict[str, Any]]:
    """Every template of pods in a manifest, also in the templates of its own kind."""
    if isinstance(value, Mapping):
        spec = value.get("spec")
        if isinstance(spec, Mapping) and isinstance(spec.get("containers"), list) and "kind" not in value:
            yield {"metadata": value.get("metadata", {}), "spec": dict(spec)}
        for below in value.values():
            yield from pod_templates(below)
    elif isinstance(value, list):
        for below in value:
            yield from pod_templates(below)
