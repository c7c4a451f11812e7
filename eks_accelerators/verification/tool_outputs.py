"""What `neuron-ls`, `fi_info`, `ls`, `dd` and the CUDA sample print, as values.

Shapes: Neuron documentation 2.32 (`neuron-ls -j`), libfabric's `fi_info(1)`, GNU coreutils `dd`, NVIDIA's `vectorAdd`; read
2026-11-22.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

NEURON_LS = ("neuron-ls", "-j")
FI_INFO = ("sh", "-c", 'PATH="$PATH:/opt/amazon/efa/bin"; exec fi_info -p efa -t FI_EP_RDM')
"""Where the EFA installer puts it, which is not on the path of every image."""
NOT_FOUND = 127
"""With which a shell ends that finds no such program."""
INFINIBAND = ("ls", "/sys/class/infiniband")
"""EFA devices are in this folder of every container, whether they are given to it or not."""

_DOMAIN = re.compile(r"^\s*domain:\s*(\S+)", re.M)
_SPEED = re.compile(r"copied, [\d.,e+-]+ s, ([\d.]+) ([kMGT]?)B/s")
_BYTES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


@dataclass(frozen=True, slots=True)
class ListedNeuronDevice:
    """One device of `neuron-ls`: its logical ``cores``, each of ``logical_core_size`` physical ones.

    Only types with logical cores of several sizes print that size. It is that of the pod: one that does not see the file of
    its node may have the usual one.
    """

    index: int
    cores: int
    logical_core_size: int = 1

    @property
    def physical_cores(self) -> int:
        """NeuronCores of the device, which no setting changes."""
        return self.cores * self.logical_core_size


class UnreadableOutputError(ValueError):
    """What was printed is not what the tool prints."""


def neuron_devices(text: str) -> list[ListedNeuronDevice]:
    """Devices of `neuron-ls -j`. Raises `UnreadableOutputError`."""
    begin, end = text.find("["), text.rfind("]")
    try:
        listed: list[Any] = json.loads(text[begin : end + 1] if begin >= 0 else "null")
        return [
            ListedNeuronDevice(
                int(each["neuron_device"]), int(each["nc_count"]), int(each.get("logical_neuroncore_config") or 1)
            )
            for each in listed
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableOutputError(f"no list of devices: {error!r}") from None


def efa_domains(text: str) -> list[str]:
    """The domains of `fi_info`, each once: one for each EFA interface."""
    return list(dict.fromkeys(_DOMAIN.findall(text)))


def infiniband_devices(text: str) -> list[str]:
    """Names of devices, such as `rdmap16s27`; none where the folder is not there."""
    return [word for word in text.split() if re.fullmatch(r"(rdmap|efa_)\w+", word)]


def mib_per_second(text: str) -> float | None:
    """How fast `dd` copied, in MiB per second; None where it does not say."""
    found = _SPEED.search(text)
    return float(found[1]) * _BYTES[found[2]] / 2**20 if found else None


def added(text: str) -> bool:
    """Whether the vector addition was right."""
    return "Test PASSED" in text
