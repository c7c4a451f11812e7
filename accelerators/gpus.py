"""What is true of a GPU model, whatever instance type carries it. Source: `data/gpus.json`."""

from accelerators import data


def supports_bfloat16(gpu: str) -> bool | None:
    """Whether the GPU computes in bfloat16 (compute capability 8.0 or newer); None where unknown."""
    capability = compute_capability(gpu)
    return None if capability is None else int(capability.split(".")[0]) >= 8


def compute_capability(gpu: str) -> str | None:
    """Its CUDA compute capability, such as `8.9`; None where unknown."""
    found: str | None = data.load("gpus")["compute_capability"].get(gpu)
    return found
