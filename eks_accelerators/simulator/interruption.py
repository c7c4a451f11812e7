"""Ctrl-C and SIGTERM: what is at work ends in good order, and the command in one line."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(KeyboardInterrupt):
    """Somebody wants the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextmanager
def raised() -> Iterator[None]:
    """Inside, both signals raise `Interrupted` in the main thread."""

    def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
        raise Interrupted(number)

    with _handled(interrupt):
        yield


@contextmanager
def handed_on(told: Callable[[int], None]) -> Iterator[None]:
    """Inside, both signals are told and nothing is raised: whoever is told ends what is at work."""
    with _handled(lambda number, _frame: told(number)):
        yield


@contextmanager
def put_off() -> Iterator[None]:
    """Inside, nothing is interrupted: `Interrupted` is raised at the end."""
    told: list[int] = []
    with handed_on(told.append):
        yield
    if told:
        raise Interrupted(told[0])


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hears signals in the main thread, and only that one may say what becomes of them
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    handled = [number for number, was in before.items() if was is not signal.SIG_IGN]
    try:
        for number in handled:
            signal.signal(number, handler)
        yield
    finally:
        for number in handled:
            signal.signal(number, before[number])
