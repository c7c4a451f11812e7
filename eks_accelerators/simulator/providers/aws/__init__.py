"""The resources of the `aws` provider that the simulation knows: every module beside this one that has `KINDS`."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from eks_accelerators.simulator.chapters import Chapter
from eks_accelerators.simulator.providers.kind import Kind

_MODULES = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]

CHAPTERS: Mapping[Chapter, tuple[Kind, ...]] = {
    module.CHAPTER: module.KINDS for module in _MODULES if hasattr(module, "KINDS")
}
"""The kinds of each chapter."""

KINDS: Mapping[str, Kind] = {kind.token: kind for kinds in CHAPTERS.values() for kind in kinds}
"""Every kind by its Pulumi type."""
