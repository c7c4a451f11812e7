"""Registries that do not answer: each is named as unknown after its time, and keeps nobody from what others answer."""

import socket
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from threading import Thread
from types import SimpleNamespace

import pytest

from eks_accelerators.accel.emit import Format
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.images import command, comparison, registries
from eks_accelerators.accel.images.comparison import compare
from eks_accelerators.accel.images.pins import pins
from eks_accelerators.accel.images.registries import Registries
from tests.accel.images.registry import registry

PINS = {pin.name: pin for pin in pins()}
VLLM, DCGM = PINS["vllm"], PINS["dcgm"]
TAGS = {"vllm/vllm-openai": [VLLM.version, "v99.0.0"]}


@contextmanager
def hanging(*, dripping=False):
    """The address of a server that takes every question and answers none, or begins to and never ends; and who has asked."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked, open_still = [], True

        def drip(client):
            with suppress(OSError):  # the other end may be gone, and in the end this one too
                client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while open_still:
                    client.sendall(b" ")
                    time.sleep(0.05)

        def take():
            while open_still:
                client, _ = server.accept()
                asked.append(client)
                if dripping and open_still:
                    Thread(target=drip, args=(client,), daemon=True).start()

        taking = Thread(target=take, daemon=True)
        taking.start()
        address = server.getsockname()
        try:
            yield f"http://127.0.0.1:{address[1]}", asked
        finally:
            open_still = False
            socket.create_connection(address).close()  # who waits in `accept` learns of it
            taking.join()
            for client in asked:
                client.close()


@pytest.fixture
def over_after_one(monkeypatch):
    """The time for all is over as soon as one has answered, however long that takes."""
    moments = iter([3600, 0, 3601])
    monkeypatch.setattr(comparison, "time", SimpleNamespace(monotonic=lambda: next(moments)))


@pytest.mark.parametrize("dripping", [False, True], ids=["says nothing", "never ends"])
def test_one_that_hangs_is_unknown_after_its_time(monkeypatch, capsys, over_after_one, dripping):
    monkeypatch.setattr(command, "pins", lambda: (VLLM, DCGM))
    monkeypatch.setattr(registries, "_TIMEOUT", 3600)
    with registry(TAGS) as address, hanging(dripping=dripping) as (silent, _):
        asked = Registries({"docker.io": address, "nvcr.io": silent})
        status = command.images(Format.TEXT, newer=True, registries=asked, seconds=1)

    printed = capsys.readouterr()
    assert status is ExitStatus.UNKNOWN
    assert f"vllm  image  {VLLM.version} -> v99.0.0\n" in printed.out
    assert f"dcgm  image  {DCGM.version}  unknown: nvcr.io has not answered within 1 s\n" in printed.out
    assert "1 of 2 have a newer version, 1 could not be asked" in printed.out


def test_it_is_told_who_is_waited_for(over_after_one):
    told = []
    with registry(TAGS) as address, hanging() as (silent, _):
        compare((VLLM, DCGM), Registries({"docker.io": address, "nvcr.io": silent}), told.append, seconds=1)

    assert told == ["0 of 2 known, waiting for docker.io, nvcr.io", "1 of 2 known, waiting for nvcr.io"]


def test_one_that_was_silent_once_is_not_asked_for_every_image(monkeypatch):
    monkeypatch.setattr(registries, "_TIMEOUT", 0.2)
    many = [replace(DCGM, path=f"nvidia/{number}") for number in range(20)]
    with hanging() as (silent, asked):
        found = compare(many, Registries({"nvcr.io": silent}), lambda _text: None)
        times = len(asked)

    assert times <= 4, "as many as are asked at a time"
    assert {each.unknown for each in found} == {"nvcr.io does not answer: Read timed out. (read timeout=0.2)"}
    assert [each.pin for each in found] == many


def test_the_index_of_a_helm_repository_is_read_once():
    keda = PINS["keda"]
    http = replace(keda, path="http-add-on")
    with registry({"keda": [keda.version, "99.0.0"], "http-add-on": [keda.version]}) as address:
        asked = Registries({keda.registry: address})
        read, get = [], asked._get
        asked._get = lambda url, headers: (read.append(url), get(url, headers))[1]
        found = compare((keda, http), asked, lambda _text: None)

    assert [(each.pin.path, each.newer, each.unknown) for each in found] == [
        ("keda", "99.0.0", None),
        ("http-add-on", None, None),
    ]
    assert read == [f"{address}/index.yaml"]
