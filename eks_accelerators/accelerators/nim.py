"""What NVIDIA says of the GPUs that NIM runs on. The facts are in `data/nim.json`, with their source."""

from functools import cache

from eks_accelerators.accelerators import data


@cache
def listed_gpus() -> tuple[str, ...]:
    """The GPUs of EC2 that NVIDIA lists for language models, by the names of `data/gpus.json`."""
    return tuple(data.load("nim")["listed_gpus"])


def image_model() -> str:
    """The model in the image of `charts-values/charts.yaml`, by its name on Hugging Face."""
    return str(data.load("nim")["image_model"])
