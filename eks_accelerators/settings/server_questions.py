"""What each kind of server is asked to see that it answers, and what its answer says.

Sources: vLLM and NIM, API of OpenAI (`/v1/completions`); Triton Inference Server, KServe v2 protocol (`/v2/models/NAME`: metadata,
refused of a model that is not loaded) and its extension `generate`; TensorFlow Serving, RESTful API (`/v1/models/NAME`); read
2026-11-22.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eks_accelerators.settings.model.neuron_vllm import NeuronVllmWorkload
from eks_accelerators.settings.model.nim import NimWorkload
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.model.triton import TritonWorkload
from eks_accelerators.settings.model.vllm import VllmWorkload

_PROMPT = "The capital of France is"
_TOKENS = 8
_COMPLETION = "a completion of a few tokens"
_LANGUAGE_MODEL = "llm"
"""What a repository calls its model that is made of `vllm`."""


@dataclass(frozen=True, slots=True)
class ServerQuestion:
    """What is sent to the first port of a server's Service: ``body`` is None where something is only read.

    ``said`` is what the answer says, in words; empty where it is not what was asked for. ``of_openai``: not every server has it.
    """

    path: str
    body: Mapping[str, Any] | None
    expected: str
    said: Callable[[Mapping[str, Any]], str]
    of_openai: bool = False


def of_openai(server: VllmWorkload | NeuronVllmWorkload | NimWorkload) -> ServerQuestion:
    """A completion by the API of OpenAI."""
    body = {"model": server.model, "prompt": _PROMPT, "max_tokens": _TOKENS, "temperature": 0}
    return ServerQuestion("v1/completions", body, _COMPLETION, completion, of_openai=True)


def of_triton(server: TritonWorkload) -> ServerQuestion:
    """A completion of its language model, or whether the first of its models is loaded."""
    if server.vllm:
        body = {"text_input": _PROMPT, "parameters": {"max_tokens": _TOKENS, "temperature": 0}}
        return ServerQuestion(f"v2/models/{_LANGUAGE_MODEL}/generate", body, _COMPLETION, _text_output)
    if not server.models:
        return ServerQuestion("v2", None, "Triton says who it is", _name)
    return ServerQuestion(f"v2/models/{server.models[0]}", None, f"{server.models[0]} is loaded", _name)


def of_tf_serving(server: TfServingWorkload) -> ServerQuestion:
    """Whether a version of its model is available."""
    return ServerQuestion(f"v1/models/{server.model_name}", None, "a version of the model is available", _available)


def completion(answer: Mapping[str, Any]) -> str:
    """The text of a completion; empty where there is none."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return str(first.get("text") or "") if isinstance(first, Mapping) else ""


def _text_output(answer: Mapping[str, Any]) -> str:
    return str(answer.get("text_output") or "")


def _name(answer: Mapping[str, Any]) -> str:
    return str(answer.get("name") or "")


def _available(answer: Mapping[str, Any]) -> str:
    """The first version that is available; a version that could not be loaded is `END`."""
    versions = answer.get("model_version_status")
    for each in versions if isinstance(versions, list) else []:
        if isinstance(each, Mapping) and each.get("state") == "AVAILABLE":
            return f"version {each.get('version')}"
    return ""
