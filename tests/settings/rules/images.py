from tests.settings.rules.case import Case

IMAGE = "workloads.vllm.qwen.image"

CASES = [
    Case(
        "image-without-tag",
        name,
        {IMAGE: image},
        IMAGE,
        near={IMAGE: near},
        severity="warning",
    )
    for name, image, near in (
        ("none", "vllm/vllm-openai", "vllm/vllm-openai:v0.24.0"),
        ("latest", "vllm/vllm-openai:latest", f"vllm/vllm-openai@sha256:{'0' * 64}"),
        ("of-a-port", "registry.example.com:5000/vllm-openai", "registry.example.com:5000/vllm-openai:v0.24.0"),
    )
]
