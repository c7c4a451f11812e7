"""The speed of one server: what a data sheet allows, and how a batch and others on the GPU change it."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from eks_accelerators.accelerators import gpus, instance_types
from eks_accelerators.simulator.load.model_server import CALCULATION_REACHED, MEMORY_REACHED
from tests.simulator.load.models import LLAMA, of_stack

contexts = some.floats(1, 4096)


def decoded_per_second(server, batch, context, busy=1):
    """Tokens of a batch whose sequences have ``context`` tokens each."""
    return batch / server.step_seconds(server.gpu_seconds(batch, batch * context), busy)


@given(batch=some.integers(1, 500), context=contexts, busy=some.integers(1, 16))
def test_a_larger_batch_never_generates_less(batch, context, busy):
    """While weights are what is read, or calculation is what is waited for."""
    less, more = (decoded_per_second(LLAMA, size, context, busy) for size in (batch, batch + 1))

    assert more >= less * (1 - 1e-9)


@given(batch=some.integers(1, 100_000), context=contexts, busy=some.integers(1, 16))
def test_it_saturates_where_its_gpu_does(batch, context, busy):
    by_memory = LLAMA.bytes_per_second / (LLAMA.kv_bytes_per_token * context)
    by_calculation = LLAMA.operations_per_second / LLAMA.operations_per_token

    assert decoded_per_second(LLAMA, batch, context, busy) <= min(by_memory, by_calculation) / busy * (1 + 1e-9)


@given(steps=some.lists(some.floats(1e-6, 10), min_size=1, max_size=48))
def test_servers_of_one_gpu_never_get_more_than_it_has(steps):
    """Each server's share of its time is what it works in a step, of how long the step takes."""
    shares = [seconds / LLAMA.step_seconds(seconds, len(steps)) for seconds in steps]

    assert sum(shares) <= 1 + 1e-9


@given(seconds=some.floats(1e-6, 10), busy=some.integers(1, 48))
def test_nobody_is_quicker_for_others_on_the_gpu(seconds, busy):
    assert LLAMA.step_seconds(seconds, busy + 1) >= LLAMA.step_seconds(seconds, busy) >= seconds


def test_one_sequence_of_a_shipped_stack_decodes_as_fast_as_its_weights_are_read():
    """Llama-3.2-1B has 2.47 GB of weights, an L4 reads 300 GB/s: at best 121 tokens per second for one user."""
    server = of_stack("dev", "llama")

    best = 300e9 / 2.472e9
    alone = decoded_per_second(server, 1, 500)

    assert 0.4 * best < alone < MEMORY_REACHED * best


@pytest.mark.parametrize(
    ("stack", "workload", "memory", "calculation"),
    [
        ("dev", "llama", 1, 1),  # time-slicing: who is alone has the whole GPU
    ],
)
def test_the_part_of_a_gpu_follows_from_its_sharing(stack, workload, memory, calculation):
    server, speed = of_stack(stack, workload), gpus.speed("L4", 22888)

    assert server.bytes_per_second == pytest.approx(speed.bytes_per_second * MEMORY_REACHED * memory)
    assert server.operations_per_second == pytest.approx(
        speed.operations_per_second * CALCULATION_REACHED * calculation
    )


def test_a_data_sheet_is_known_of_every_gpu_but_these():
    """GB200 has no memory of its own in the facts, and RTX PRO 4500 no data sheet as a server that was found."""
    chips = {(k.accelerator.name, k.accelerator.memory_mib) for k in instance_types.every() if k.has_nvidia_gpu}
    unknown = {name for name, memory in chips if gpus.speed(name, memory) is None}

    assert unknown == {"GB200", "RTX PRO 4500"}
