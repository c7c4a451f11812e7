"""The language model of a workload, as its settings write it."""

from dataclasses import dataclass
from typing import Protocol

from eks_accelerators.settings.model.base import Model


class LanguageModel(Protocol):
    """What settings say of a language model, whatever serves it."""

    @property
    def model(self) -> str:
        """Its name on Hugging Face."""

    @property
    def model_shape(self) -> Model | None:
        """Its numbers, where this package does not know the model."""

    @property
    def max_model_len(self) -> int:
        """Longest context in tokens."""


@dataclass(frozen=True, slots=True)
class WrittenModel:
    """Where below a workload its language model is written, ``path``, and what is said there.

    ``is_downloaded`` from Hugging Face; otherwise the image has it, or brings it in a form of its own.
    """

    path: str
    model: LanguageModel
    is_downloaded: bool = True
