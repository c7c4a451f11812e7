"""vLLM servers."""

from tests.monitoring.cases.case import HOUR, Case, labelled

QWEN = {"namespace": "llm", "model_name": "qwen"}
LLAMA = {"namespace": "llm", "model_name": "llama"}
LATE, LATE_NOW_AND_THEN = "VllmFirstTokenSlow", "VllmFirstTokenSlowish"


def vllm(name, values, pod="qwen-1", model=QWEN, **labels):
    return {labelled(f"vllm:{name}", **model, pod=pod, engine="0", **labels): values}


def first_tokens(within, of, minutes=500, pod="qwen-1", model=QWEN):
    """Requests a minute with a first token within 2.5 seconds, of all: values of promtool."""
    return {
        **vllm("time_to_first_token_seconds_bucket", within, pod, model, le="2.5"),
        **vllm("time_to_first_token_seconds_bucket", of, pod, model, le="+Inf"),
        **vllm("time_to_first_token_seconds_count", of, pod, model),
    }


def waiting(capacity, deferred, pod, model=QWEN):
    return {
        **vllm("num_requests_waiting", f"{capacity + deferred}x60", pod, model),
        **vllm("num_requests_waiting_by_reason", f"{capacity}x60", pod, model, reason="capacity"),
        **vllm("num_requests_waiting_by_reason", f"{deferred}x60", pod, model, reason="deferred"),
        **vllm("num_requests_running", "8x60", pod, model),
    }


CASES = [
    *(
        Case(
            name,
            "two servers, all in time",
            {**first_tokens("0+100x500", "0+100x500"), **first_tokens("0+90x500", "0+90x500", pod="qwen-2")},
            at=8 * HOUR,
        )
        for name in (LATE, LATE_NOW_AND_THEN)
    ),
    Case(LATE, "no requests at all", first_tokens("0x400", "0x400"), at=2 * HOUR),
    Case(
        LATE,
        "every second is late, of one model of two",
        {
            **first_tokens("0+50x400", "0+100x400"),
            **first_tokens("0+100x400", "0+100x400", pod="llama-1", model=LLAMA),
        },
        (QWEN,),
        at=2 * HOUR,
        shown="50%",
    ),
    Case(
        LATE,
        "one of two servers",
        {**first_tokens("0+0x400", "0+100x400"), **first_tokens("0+100x400", "0+100x400", pod="qwen-2")},
        (QWEN,),
        at=2 * HOUR,
        shown="50%",
    ),
    Case(LATE, "four minutes of it", first_tokens("0+100x115 11500+0x3 11600+100x200", "0+100x400"), at=2 * HOUR),
    Case(LATE, "over, though the hour is spoiled", first_tokens("0+0x100 0+100x300", "0+100x400"), at=2 * HOUR),
    Case(
        LATE,
        "six requests, all late",
        first_tokens("0x400", "0x114 0+1x200"),
        at=2 * HOUR,
    ),
    Case(
        LATE,
        "twenty requests, all late",
        first_tokens("0x400", "0x100 0+1x200"),
        (QWEN,),
        at=2 * HOUR,
        shown="100%",
    ),
    Case(
        LATE_NOW_AND_THEN, "seven requests in six hours, all late", first_tokens("0x500", "0x473 0+1x100"), at=8 * HOUR
    ),
    Case(
        LATE_NOW_AND_THEN,
        "a hundred and thirty in six hours",
        first_tokens("0x500", "0x350 0+1x150"),
        (QWEN,),
        at=8 * HOUR,
        shown="100%",
    ),
    Case(LATE_NOW_AND_THEN, "one of a hundred is late", first_tokens("0+99x800", "0+100x800"), at=8 * HOUR),
    Case(
        LATE_NOW_AND_THEN,
        "one of ten is late",
        first_tokens("0+90x800", "0+100x800"),
        (QWEN,),
        at=8 * HOUR,
        shown="10%",
    ),
    Case(
        LATE_NOW_AND_THEN,
        "one model of two",
        {
            **first_tokens("0+90x800", "0+100x800"),
            **first_tokens("0+100x800", "0+100x800", pod="llama-1", model=LLAMA),
        },
        (QWEN,),
        at=8 * HOUR,
        shown="10%",
    ),
    Case(LATE_NOW_AND_THEN, "half an hour of it", first_tokens("0+100x449 44900+80x100", "0+100x800"), at=8 * HOUR),
    Case(
        LATE_NOW_AND_THEN,
        "over, though the hours are spoiled",
        first_tokens("0+80x439 35120+100x200", "0+100x800"),
        at=8 * HOUR,
    ),
    Case("VllmQueueGrowing", "four for each server", {**waiting(8, 0, "qwen-1"), **waiting(0, 0, "qwen-2")}),
    Case(
        "VllmQueueGrowing",
        "servers of an older vLLM, which says no reason: of one model more than four wait for each",
        {
            **vllm("num_requests_waiting", "9x60"),
            **vllm("num_requests_running", "8x60"),
            **vllm("num_requests_waiting", "1x60", "qwen-2"),
            **vllm("num_requests_running", "8x60", "qwen-2"),
            **vllm("num_requests_waiting", "4x60", "llama-1", LLAMA),
            **vllm("num_requests_running", "8x60", "llama-1", LLAMA),
        },
        (QWEN,),
        shown="10",
    ),
    Case("VllmQueueGrowing", "deferred ones only", waiting(0, 50, "qwen-1")),
    Case(
        "VllmQueueGrowing",
        "one model of two",
        {**waiting(7, 0, "qwen-1"), **waiting(3, 9, "qwen-2"), **waiting(1, 0, "llama-1", LLAMA)},
        (QWEN,),
        shown="10",
    ),
    Case(
        "VllmPreempting",
        "now and then, or with room left",
        {
            **vllm("num_preemptions_total", "0+1x60"),
            **vllm("request_success_total", "0+60x60", finished_reason="stop"),
            **vllm("kv_cache_usage_perc", "1x60"),
            **vllm("num_preemptions_total", "0+60x60", "qwen-2"),
            **vllm("request_success_total", "0+60x60", "qwen-2", finished_reason="stop"),
            **vllm("kv_cache_usage_perc", "0.5x60", "qwen-2"),
        },
        at=40,
    ),
    Case(
        "VllmPreempting",
        "one of two servers",
        {
            **vllm("num_preemptions_total", "0+60x60"),
            **vllm("request_success_total", "0+60x60", finished_reason="stop"),
            **vllm("kv_cache_usage_perc", "0.99x60"),
            **vllm("num_preemptions_total", "0x60", "qwen-2"),
            **vllm("request_success_total", "0+60x60", "qwen-2", finished_reason="stop"),
            **vllm("kv_cache_usage_perc", "0.99x60", "qwen-2"),
        },
        ({"namespace": "llm", "pod": "qwen-1"},),
        at=40,
    ),
    Case(
        "ModelServerUnused",
        "one is asked, one answers a long request, one is young",
        {
            **vllm("request_success_total", "0x300 1x300", finished_reason="stop"),
            **vllm("num_requests_running", "0x600"),
            **vllm("request_success_total", "0x600", "llama-1", LLAMA, finished_reason="stop"),
            **vllm("num_requests_running", "1x600", "llama-1", LLAMA),
            **vllm(
                "request_success_total", "_x300 0x300", "phi-1", {**QWEN, "model_name": "phi"}, finished_reason="stop"
            ),
            **vllm("num_requests_running", "_x300 0x300", "phi-1", {**QWEN, "model_name": "phi"}),
        },
        at=8 * HOUR,
    ),
    Case(
        "ModelServerUnused",
        "two servers of one model that nobody asks",
        {
            **vllm("request_success_total", "5x600", finished_reason="stop"),
            **vllm("num_requests_running", "0x600"),
            **vllm("request_success_total", "0x600", "qwen-2", finished_reason="stop"),
            **vllm("num_requests_running", "0x600", "qwen-2"),
            **vllm("request_success_total", "0+1x600", "llama-1", LLAMA, finished_reason="stop"),
            **vllm("num_requests_running", "0x600", "llama-1", LLAMA),
        },
        (QWEN,),
        at=8 * HOUR,
        shown="0",
    ),
]
