"""The programs that a simulation runs: the Pulumi engine and the servers of a Kubernetes control plane.

Each is looked for in the tool folder of the project (`.tools` beside the nearest Pulumi.yaml), then in that of the
repository that this package lies in, then on PATH. The tool folders come first: `make engines` puts pinned versions
there, and what is on PATH can be of any version.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

ENGINES = ("pulumi", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
"""Everything that a whole simulation needs."""

NODE_AUTOSCALERS = ("cluster-autoscaler", "karpenter")
"""What only a closed loop runs."""

_KEDA = ("keda-operator", "keda-metrics-server", "keda-admission-webhooks")

_WITH_WEBHOOKS = ("jobset-controller", "lws-controller")
"""What only tests run."""

FURTHER = ("promtool", "prometheus", *_KEDA, *NODE_AUTOSCALERS, *_WITH_WEBHOOKS)
"""What only some commands and tests need: it takes long to build, so `make engines` gets it where it is asked for."""

WITHOUT_CLUSTER = ("pulumi",)
"""What a preview needs, as long as there is no cluster."""

_REPOSITORY = Path(__file__).resolve().parents[2]


class MissingEnginesError(Exception):
    """Programs that are not to be found; the message is one line with the command that gets them."""


def find(names: Iterable[str] = ENGINES, start: Path | None = None) -> dict[str, Path]:
    """Where each of ``names`` is; raises `MissingEnginesError` that names all that are missing.

    ``start`` is the folder whose project counts: the working directory if None.
    """
    found = {name: optional(name, start) for name in names}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        more = " MORE=1" if any(name in FURTHER for name in missing) else ""
        raise MissingEnginesError(f"missing {_listed(missing)}. Run `make engines{more}`, or put them on PATH")
    return {name: path for name, path in found.items() if path is not None}


def optional(name: str, start: Path | None = None) -> Path | None:
    """Where ``name`` is, or None where it is not to be found."""
    folders = [*map(str, _tool_folders((start or Path.cwd()).resolve())), os.environ.get("PATH", os.defpath)]
    path = shutil.which(name, path=os.pathsep.join(folders))
    return Path(path).absolute() if path else None


def _tool_folders(start: Path) -> Iterator[Path]:
    """The tool folders in which engines are looked for, the first first."""
    project = next((folder for folder in (start, *start.parents) if (folder / "Pulumi.yaml").exists()), None)
    if project is not None:
        yield project / ".tools"
    yield _REPOSITORY / ".tools"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
