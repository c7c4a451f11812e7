"""Language models served by vLLM on Trainium and Inferentia."""

from typing import Annotated, ClassVar

from pydantic import Field

from eks_accelerators.accelerators.instance_type import Manufacturer
from eks_accelerators.settings.model.autoscaling import CONCURRENCY, KV_CACHE_USE
from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.language_model import WrittenModel
from eks_accelerators.settings.model.secrets import SecretSource
from eks_accelerators.settings.model.server import Server
from eks_accelerators.settings.model.vllm import ModelShapeSettings
from eks_accelerators.settings.model.workload import CacheVolume, Namespace, Positive, Resources

BucketSizes = Annotated[tuple[Positive, ...], Field(min_length=1, max_length=64)]


class NeuronBuckets(Model):
    """Shapes for which the model is compiled, each list ascending; inputs are padded to the next one."""

    prompt_tokens: BucketSizes | None = None
    """Tokens of a prompt that are taken at once. By default on Trainium2 and later 2048, or the most of 512 and 1024 that
    `maxModelLen` allows: longer prompts are taken in such steps. Several, and always on Trainium1 and Inferentia2, are for whole
    prompts: the last one is `maxModelLen`."""
    sequences: BucketSizes | None = None
    """Sequences that are generated at a time, the last one `concurrentSequences`; by default powers of two. One on
    Trainium1 and Inferentia2."""
    context_tokens: BucketSizes | None = None
    """Tokens that sequences have so far. On Trainium2 and later multiples of 128 below `maxModelLen`, which is compiled
    besides; by default none. On Trainium1 and Inferentia2 powers of two up to `maxModelLen` by default."""


class CompileAhead(Model):
    """A Job that compiles the model on nodes without accelerators, before a server starts."""

    cpu: Annotated[str, Field(pattern=r"^\d+m?$")] = "3"
    """CPU request of the Job's pod."""
    memory_gib: Positive = 12
    """Memory of the Job's pod in GiB, request and limit: it holds the weights too."""
    workers: Annotated[int, Field(ge=1, le=128)] = 4
    """Programs that are compiled at a time."""


class NeuronVllmWorkload(Server):
    """A language model served by vLLM on Neuron devices: Trainium and Inferentia."""

    PROGRAM: ClassVar[str] = "vllm"
    SCALES_BY: ClassVar[tuple[str, ...]] = (CONCURRENCY, KV_CACHE_USE)
    ACCELERATORS: ClassVar[str] = "devices"
    CACHE_PATH: ClassVar[str] = "/cache"
    MADE_FOR: ClassVar[Manufacturer] = "AWS"

    model: str
    """Hugging Face model, such as `meta-llama/Llama-3.2-1B-Instruct`."""
    model_shape: ModelShapeSettings | None = None
    """The model's numbers, where this package does not know the model."""
    namespace: Namespace = "llm"
    """Namespace, created; workloads may share one."""
    devices: Positive = 1
    """Neuron devices of one server: one, or all of a node. Others have to be next to each other, which takes a scheduler
    extension that is not installed."""
    tensor_parallel_size: Positive | None = None
    """Logical cores that one server uses; by default all of its devices, or the most among which the model's heads can be
    divided."""
    max_model_len: Positive = 4096
    """Longest context in tokens; sizes the KV cache."""
    concurrent_sequences: Positive = 8
    """Sequences that one server works on at a time; as many of full length fit the KV cache."""
    buckets: NeuronBuckets = NeuronBuckets()
    """Shapes for which the model is compiled."""
    greedy: bool = False
    """Take the likeliest token always, chosen on the device: faster, and no request can ask for anything else. On Trainium2
    and later."""
    hugging_face_token: SecretSource | None = None
    """Where the token for gated models comes from."""
    cache: CacheVolume | None = None
    """Where weights and compiled programs are kept; by default each pod downloads and compiles anew."""
    compile_ahead: CompileAhead | None = None
    """Compile on nodes without accelerators before a server starts; needs a `cache` that several nodes can mount."""
    resources: Resources = Resources(cpu="2", memory_gib=12, memory_limit_gib=32)
    """CPU and memory of one pod."""

    @property
    def accelerators(self) -> int:
        """Neuron devices of one pod, `devices`."""
        return self.devices

    @property
    def language_model(self) -> WrittenModel:
        """The model that it serves, `model`."""
        return WrittenModel("", self)

    @property
    def token_source(self) -> SecretSource | None:
        """Where its token for gated models comes from, `huggingFaceToken`; None where it has none."""
        return self.hugging_face_token
