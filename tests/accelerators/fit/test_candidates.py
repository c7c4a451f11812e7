"""What each way to share gives: case by case, laws, and by brute force with arithmetic of its own."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from eks_accelerators.accelerators import data, fit, instance_types, model_memory
from eks_accelerators.accelerators.node_capacity import headroom_for_workloads

LLAMA, LARGE = "meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.3-70B-Instruct"
REGION = "us-east-2"
TYPES = [kind for kind in instance_types.every() if kind.has_nvidia_gpu and kind.accelerator.memory_mib]


def server(model=LLAMA, context=4096, concurrency=4, millicores=1000, memory_mib=6144):
    return fit.ServerNeeds(model_memory.shape_of(model), context, concurrency, millicores, memory_mib)


def found(name, wanted=None, region=REGION):
    return list(fit.candidates(wanted or server(), instance_types.get(name), region))


def best(name, kind, wanted=None, profile=None):
    rows = [r for r in fit.best_of_each(found(name, wanted)) if (r.way.kind, r.way.profile) == (kind, profile)]
    return rows[0] if rows else None


@pytest.mark.parametrize(
    ("name", "kind", "profile", "servers", "shares", "limit"),
    [
        pytest.param("g6.12xlarge", "timeSlicing", None, 20, 5, "gpuMemory", id="five-of-3.80-gib-on-an-l4"),
        pytest.param("g6.12xlarge", "mps", None, 20, 5, "gpuMemory", id="mps-has-the-same-memory"),
        pytest.param("g6.12xlarge", "exclusive", None, 4, 1, "gpus", id="one-a-gpu"),
        pytest.param("g6.2xlarge", "timeSlicing", None, 4, 4, "memory", id="memory-of-the-node-first"),
        pytest.param("p5.4xlarge", "timeSlicing", None, 15, 15, "cpu", id="processors-first"),
        pytest.param("p5.48xlarge", "timeSlicing", None, 84, 11, "pods", id="addresses-for-pods-first"),
        pytest.param("g6f.2xlarge", "fractional", None, 1, 1, "gpus", id="a-part-of-a-gpu"),
        pytest.param("p5.48xlarge", "mig", "1g.10gb", 56, 7, "instances", id="seven-instances"),
        pytest.param("p5.48xlarge", "mig", "3g.40gb", 16, 2, "instances", id="two-instances"),
    ],
)
def test_how_many_servers_and_what_limits_them(name, kind, profile, servers, shares, limit):
    one = best(name, kind, profile=profile)

    assert (one.servers, one.way.shares, one.limited_by) == (servers, shares, limit)


def test_the_most_replicas_are_a_limit():
    tiny = replace(server(concurrency=1, millicores=10, memory_mib=64), shape=replace(server().shape, parameters=10**6))

    assert (best("p5.4xlarge", "mps", tiny).servers, best("p5.4xlarge", "mps", tiny).limited_by) == (48, "replicas")


def test_no_more_shares_than_the_node_feeds():
    """A share that no pod takes would only be memory that the others do not have."""
    few, many = (next(c for c in found("g6.2xlarge") if c.way == w) for w in ways_of("g6.2xlarge", (4, 5)))

    assert (few.servers, many.servers, many.limited_by) == (4, 4, "memory")
    assert few.kv_tokens > many.kv_tokens
    assert fit.in_order([many, few]) == [few, many]


def ways_of(name, shares):
    return [w for w in fit.ways(instance_types.get(name)) if w.kind == "timeSlicing" and w.shares in shares]


def test_memory_and_tokens_of_a_share():
    """0.92 x 22,888 MiB / 5 = 4.11 GiB, of which 3.30 are weights and overhead; 32 KiB a token."""
    one = best("g6.12xlarge", "timeSlicing")

    assert one.share.gib == pytest.approx(22888 / 1024 * 0.92 / 5)
    assert one.kv_tokens == int((one.share.gib - 1.0 - 1_236_000_000 * 2 / 1024**3) * 1024**3 / 32768)


def test_a_model_that_is_too_large_for_a_gpu_takes_several():
    sizes = {c.way.gpus_per_server: c.servers for c in found("p5.48xlarge", server(LARGE))}

    assert sizes == {2: 4, 4: 2, 8: 1}
    assert found("g6.2xlarge", server(LARGE)) == []
    assert fit.refusal(server(LARGE), instance_types.get("g6.2xlarge")) == (
        "needs 137.42 GiB; L4 has 20.56 GiB to give"
    )
    assert "on each of 4" in fit.refusal(server(LARGE), instance_types.get("g6.12xlarge"))


def test_a_node_too_small_for_the_pod():
    hungry = server("Qwen/Qwen2.5-0.5B-Instruct", memory_mib=8192)

    assert found("g6f.large", hungry) == []
    assert fit.refusal(hungry, instance_types.get("g6f.large")) == "the node has too little memory for one pod"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("inf2.xlarge", "Inferentia2: no NVIDIA GPU, and its plugin does not list the model"),
        ("p6e-gb200.36xlarge", "GB200: its memory is not known"),
        (
            "p4de.24xlarge",
            "was not offered in us-east-2, but in ap-northeast-1, ap-southeast-1, eu-central-1, il-central-1, us-east-1, us-west-2",
        ),
        ("g6.xlarge", None),
    ],
)
def test_what_is_not_considered(name, reason):
    assert fit.not_considered(instance_types.get(name), REGION) == reason


def test_an_unknown_price_is_none_and_last():
    unknown, known = found("p4de.24xlarge"), found("g6.16xlarge")

    assert {one.usd_per_server_hour for one in unknown} == {None}
    assert fit.in_order([*unknown, *known])[: len(known)] == fit.in_order(known)


def test_at_one_price_the_better_isolated_is_first():
    kinds = [one.way.kind for one in fit.best_of_each(found("g6.12xlarge"))]

    assert kinds == ["mps", "timeSlicing", "exclusive"]


def test_every_kind_says_what_keeps_servers_apart():
    kinds = {"neuron"} | {way.kind for kind in TYPES for way in fit.ways(kind)}

    assert kinds == set(fit.ISOLATION) == set(fit.ORDER_OF_ISOLATION)


SERVERS = st.builds(
    server,
    st.sampled_from(model_memory.known_models()),
    st.integers(256, 4096),
    st.integers(1, 32),
    st.integers(100, 4000),
    st.integers(1024, 16384),
)
KINDS = st.sampled_from(TYPES)


@given(SERVERS, KINDS)
def test_servers_that_fit_have_the_cache_that_they_need(wanted, kind):
    for one in fit.candidates(wanted, kind, REGION):
        assert one.servers >= 1
        assert one.kv_tokens >= wanted.max_model_len * wanted.concurrent_sequences - 1


@given(SERVERS, KINDS, st.integers(1, 65536))
def test_more_memory_never_holds_fewer(wanted, kind, more):
    larger = replace(kind, accelerator=replace(kind.accelerator, memory_mib=kind.accelerator.memory_mib + more))
    before = {key(one): one for one in fit.candidates(wanted, kind, REGION)}
    # The profiles of MIG are those of a GPU with its own memory.
    after = {key(one): one for one in fit.candidates(wanted, larger, REGION)}

    for name, one in before.items():
        if one.way.kind != "mig":
            assert after[name].servers >= one.servers
            if (
                after[name].needed_gib == one.needed_gib
            ):  # where more memory holds CUDA graphs too, those take some of it
                assert after[name].kv_tokens >= one.kv_tokens


def key(one):
    return one.way.kind, one.way.shares, one.way.gpus_per_server, one.way.profile


@given(SERVERS, st.lists(KINDS, min_size=1, max_size=4, unique_by=lambda kind: kind.name))
def test_the_best_is_no_worse_than_any(wanted, kinds):
    everything = [one for kind in kinds for one in fit.candidates(wanted, kind, REGION)]
    chosen = fit.best_of_each(everything)

    assert (chosen == []) == (everything == [])
    known = [one.usd_per_server_hour for one in everything if one.usd_per_server_hour is not None]
    if known:
        assert chosen[0].usd_per_server_hour == min(known)
    prices = [one.usd_per_server_hour for one in chosen]
    assert prices == sorted(prices, key=lambda price: (price is None, price or 0))


def brute_force(wanted, kinds):
    """The least price of a server, in exact fractions from the tables alone; None where nothing fits."""
    shape, gib = wanted.shape, 1024**3
    facts = data.load("mig-profiles")
    prices = []
    for kind in kinds:
        row = next(r for r in data.load("instance-types")["instance_types"] if r["instance_type"] == kind.name)
        usd = row["on_demand_usd_per_hour"].get(REGION)
        memory, gpus = row["accelerator"]["memory_mib"], row["accelerator"]["logical_count"]
        told = data.load("gpus")["driver_memory_mib"].get(row["accelerator"]["name"], {})
        least = min(memory, told.get(str(memory), memory))
        room = headroom_for_workloads(kind)
        node = min(room.millicores // wanted.millicores, room.memory_mib // wanted.memory_mib, room.pods)
        whole = Fraction(row["accelerator"]["partition_size"]) == 1

        def fits(servers, over, mib, shape=shape):
            weights = Fraction(shape.parameters) * Fraction(shape.bytes_per_parameter) / over
            cache = wanted.max_model_len * wanted.concurrent_sequences * 4 * shape.layers * shape.head_size
            cache = Fraction(cache * shape.kv_heads, min(over, shape.kv_heads))
            total, usable = servers * (weights + gib + cache), Fraction(mib) * 1024**2 * 92 / 100
            assume(abs(total - usable) > usable / 10**9)  # there floating point may see it otherwise
            return total <= usable

        counts = [gpus * shares for shares in range(1, 49 if whole else 2) if fits(shares, 1, least)]
        for over in range(2, gpus + 1):
            divides = shape.attention_heads % over == 0 and 0 in (shape.kv_heads % over, over % shape.kv_heads)
            if divides and fits(1, over, least):
                counts.append(gpus // over)
        for gpu in facts["gpus"] if row["mig_capable"] else ():
            if (gpu["accelerator"], gpu["memory_mib"]) == (row["accelerator"]["name"], memory):
                for name in gpu["profiles"].values():
                    own = int(Fraction(memory * facts["shapes"][name]["size"], 8) * 95 / 100)
                    if fits(1, 1, own):
                        counts.append(gpus * facts["shapes"][name]["maximum"])
        servers = [min(count, node) for count in counts if min(count, node) >= 1]
        prices += [Fraction(str(usd)) / count for count in servers if usd is not None]
    return min(prices, default=None)


@given(SERVERS, st.lists(KINDS, min_size=1, max_size=4, unique_by=lambda kind: kind.name))
def test_the_best_is_the_best_by_brute_force(wanted, kinds):
    chosen = fit.best_of_each(one for kind in kinds for one in fit.candidates(wanted, kind, REGION))
    expected = brute_force(wanted, kinds)

    if expected is None:
        assert [one for one in chosen if one.usd_per_hour is not None] == []
    else:
        best_one = chosen[0]
        assert Fraction(best_one.usd_per_hour) / best_one.servers == expected
        assert best_one.usd_per_server_hour == best_one.usd_per_hour / Decimal(best_one.servers)
