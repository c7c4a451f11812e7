"""Pins compared with what their registries have: all registries at a time, and none is waited for without end."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Thread

from eks_accelerators.accel.images.newer_tags import newest
from eks_accelerators.accel.images.pins import Pin
from eks_accelerators.accel.images.registries import Registries, RegistryError, SilentRegistryError

SECONDS = 120.0
"""For all answers of a registry. Who says nothing at all is given up long before; to read the index of a large Helm repository,
tens of MB of YAML, takes many seconds of a core.
"""

_OF_ONE_REGISTRY = 4
"""Questions at a time to one registry, which limits how many it takes from an address."""


@dataclass(frozen=True, slots=True)
class PinComparison:
    """A pin with the newest version since; ``unknown`` says why a registry did not tell."""

    pin: Pin
    newer: str | None = None
    unknown: str | None = None


def compare(
    pins: Sequence[Pin], registries: Registries, tell: Callable[[str], None], seconds: float = SECONDS
) -> list[PinComparison]:
    """Every pin, in its order. ``tell`` is told which registries are waited for; after ``seconds`` none is any more."""
    of_registry = defaultdict[str, list[Pin]](list)
    for pin in pins:
        of_registry[pin.registry].append(pin)
    answers, silent = Queue[PinComparison](), dict[str, str]()
    for theirs in of_registry.values():
        # The one index of a Helm repository is read once.
        at_a_time = 1 if theirs[0].is_helm_repository else min(_OF_ONE_REGISTRY, len(theirs))
        for number in range(at_a_time):
            part = theirs[number::at_a_time]
            # A thread that is waited for no more must not keep the process from its end.
            Thread(target=_ask, args=(part, registries, silent, answers.put), daemon=True).start()
    found = _collected(pins, answers, tell, seconds)
    return [found.get(pin) or PinComparison(pin, unknown=_not_in_time(pin, seconds)) for pin in pins]


def _ask(
    pins: Iterable[Pin], registries: Registries, silent: dict[str, str], answer: Callable[[PinComparison], None]
) -> None:
    """One pin after the other; a registry that was silent once is not asked again."""
    for pin in pins:
        if pin.registry in silent:
            answer(PinComparison(pin, unknown=silent[pin.registry]))
            continue
        try:
            answer(PinComparison(pin, newer=newest(registries.versions(pin), pin.version)))
        except RegistryError as error:
            if isinstance(error, SilentRegistryError):
                silent[pin.registry] = str(error)
            answer(PinComparison(pin, unknown=str(error)))


def _collected(
    pins: Sequence[Pin], answers: "Queue[PinComparison]", tell: Callable[[str], None], seconds: float
) -> dict[Pin, PinComparison]:
    found, end = dict[Pin, PinComparison](), time.monotonic() + seconds
    while waiting := [pin for pin in pins if pin not in found]:
        names = ", ".join(dict.fromkeys(pin.registry for pin in waiting))
        tell(f"{len(found)} of {len(pins)} known, waiting for {names}")
        try:
            each = answers.get(timeout=max(0.0, end - time.monotonic()))
        except Empty:
            break
        found[each.pin] = each
    return found


def _not_in_time(pin: Pin, seconds: float) -> str:
    return f"{pin.registry} has not answered within {seconds:g} s"
