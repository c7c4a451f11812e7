"""How vLLM streams weights from S3: pure data, no resources.

Sources: vLLM documentation, `models/extensions/runai_model_streamer` (load format, extra configuration, of which other keys are
an error); run-ai/runai-model-streamer, environment variables (`RUNAI_STREAMER_MEMORY_LIMIT` in bytes, 40 GB unless it is set); read 2026-11-22.
"""

import json
from typing import Any

from eks_accelerators.settings.model.vllm import VllmWorkload

_GIB = 1024**3


def model_arguments(workload: VllmWorkload) -> list[str]:
    """Which model is served, from where, under its own name in every case."""
    weights = workload.weights_from_s3
    if weights is None:
        return ["--model", workload.model]
    return [
        "--model",
        f"s3://{weights.bucket}/{weights.prefix or ''}".rstrip("/"),
        "--served-model-name",
        workload.model,
        "--load-format",
        "runai_streamer",
        "--model-loader-extra-config",
        json.dumps({"concurrency": weights.concurrency}),
    ]


def model_environment(workload: VllmWorkload) -> list[dict[str, Any]]:
    """How much memory reading may take: the streamer's own default is more than the pod has."""
    weights = workload.weights_from_s3
    if weights is None:
        return []
    return [{"name": "RUNAI_STREAMER_MEMORY_LIMIT", "value": str(weights.memory_gib * _GIB)}]
