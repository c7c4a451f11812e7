"""`accel images`: every pin has a source and a day; with --newer what registries have since, and what they do not say."""

import json
from datetime import date

import pytest

from eks_accelerators.accel.emit import Format
from eks_accelerators.accel.exit_status import ExitStatus
from eks_accelerators.accel.images import command
from eks_accelerators.accel.images.pins import PinKind, pins
from eks_accelerators.accel.images.registries import Registries, RegistryError, SilentRegistryError
from eks_accelerators.components.charts import catalogue
from tests.accel.images.registry import registry

PINS = {pin.name: pin for pin in pins()}


def test_every_entry_says_where_and_when_it_was_read():
    lacking = [name for name, entry in catalogue().items() if not (entry.get("source") and entry.get("checked"))]

    assert lacking == []
    assert all(date(2026, 1, 1) < pin.checked for pin in PINS.values())


@pytest.mark.parametrize(
    ("name", "kind", "registry_host", "path"),
    [
        ("vllm", PinKind.IMAGE, "docker.io", "vllm/vllm-openai"),
        ("dcgm", PinKind.IMAGE, "nvcr.io", "nvidia/cloud-native/dcgm"),
        ("neuron", PinKind.CHART, "public.ecr.aws", "neuron/neuron-helm-chart"),
        ("keda", PinKind.CHART, "https://kedacore.github.io/charts", "keda"),
    ],
)
def test_where_a_pin_lives(name, kind, registry_host, path):
    pin = PINS[name]

    assert (pin.kind, pin.registry, pin.path) == (kind, registry_host, path)


def test_tags_come_in_pages_behind_a_token():
    tags = ["v0.27.0", "v0.28.0", "v0.29.0", "v0.33.0", "latest"]
    with registry({"vllm/vllm-openai": tags}) as address:
        assert Registries({"docker.io": address}).versions(PINS["vllm"]) == tags


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    """Whatever the machine has."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize("user", ["", "somebody:p%40ss@"])
def test_the_proxy_of_the_environment_is_asked_in_its_place(monkeypatch, user):
    with registry({"vllm/vllm-openai": ["v0.28.0"]}) as address:
        monkeypatch.setenv("http_proxy", address.replace("//", f"//{user}"))
        found = Registries({"docker.io": "http://127.0.0.1:9"}).versions(PINS["vllm"])
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with pytest.raises(SilentRegistryError, match=r"does not answer: .*Connection refused"):
            Registries({"docker.io": "http://127.0.0.1:9"}).versions(PINS["vllm"])

    assert found == ["v0.28.0"]


def test_a_proxy_that_is_not_there_is_told_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://somebody:secret@127.0.0.1:9")

    with pytest.raises(SilentRegistryError) as refused:
        Registries().versions(PINS["vllm"])

    assert str(refused.value).startswith(
        "docker.io does not answer: the proxy of the environment cannot be used, [Errno"
    )
    assert "secret" not in str(refused.value)


def test_a_helm_repository_has_an_index():
    pin = PINS["keda"]
    with registry({"keda": ["2.20.2", "2.21.0"]}) as address:
        assert Registries({pin.registry: address}).versions(pin) == ["2.20.2", "2.21.0"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("vllm", "/v2/vllm/vllm-openai/tags/list answers with status 404", id="no-such-image"),
        pytest.param("keda", "lists no versions of keda", id="no-such-chart"),
    ],
)
def test_what_a_registry_does_not_have_is_said(name, told):
    pin = PINS[name]
    with registry({}) as address, pytest.raises(RegistryError) as error:
        Registries({pin.registry: address}).versions(pin)

    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_registry_that_is_not_there_is_unknown_and_not_up_to_date(monkeypatch, capsys):
    """One image has a newer version; the registry of the other is gone."""
    monkeypatch.setattr(command, "pins", lambda: (PINS["vllm"], PINS["dcgm"]))
    with registry({}) as gone:
        pass
    with registry({"vllm/vllm-openai": ["v0.28.0", "v0.33.0"]}) as address:
        asked = Registries({"docker.io": address, "nvcr.io": gone})
        status = command.images(Format.JSON, newer=True, registries=asked)
        data = json.loads(capsys.readouterr().out)
        command.images(Format.TEXT, newer=True, registries=asked)
        text = capsys.readouterr().out

    assert status is ExitStatus.UNKNOWN
    assert [(each["name"], each["newer"], bool(each["unknown"])) for each in data["pinned"]] == [
        ("vllm", "v0.33.0", False),
        ("dcgm", None, True),
    ]
    assert "vllm  image  v0.28.0 -> v0.33.0\n" in text
    assert "nvcr.io does not answer" in text
    assert text.endswith("1 of 2 have a newer version, 1 could not be asked\n")
