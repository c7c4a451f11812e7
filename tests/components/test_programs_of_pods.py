"""The programs that pods run are run here, against a server and an engine that only this test has."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eks_accelerators.simulator.local_server import LocalServer
from tests.polls import PATIENCE_SECONDS
from tests.replies import reply

COMPONENTS = Path(__file__).parents[2] / "components"


def run(program, *arguments, **environment):
    """As a container does: the text after `-c`, with nothing of this project on the path."""
    text = (COMPONENTS / program).read_text()
    command = [sys.executable, "-I" if not environment else "-s", "-c", text, *map(str, arguments)]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@pytest.fixture
def metrics():
    """A page of metrics whose running requests are those of the list, one entry for each time that it is read."""
    pages: list[str] = []
    read: list[float] = []

    def answer(*_):
        read.append(time.monotonic())
        page = pages.pop(0) if len(pages) > 1 else pages[0]
        return reply(page, 200 if page else 503)

    with LocalServer(answer, "metrics") as server:
        yield f"http://{server.address}/metrics", pages, read


def page(running, waiting=0.0):
    return (
        "# TYPE vllm:num_requests_running gauge\n"
        f'vllm:num_requests_running{{engine="0",model_name="llama"}} {running}\n'
        f'vllm:num_requests_waiting{{engine="0",model_name="llama"}} {waiting}\n'
        'vllm:num_requests_waiting_by_reason{reason="capacity"} 7.0\n'
    )


def test_requests_are_finished_before_the_server_is_told_to_end(metrics):
    address, pages, read = metrics
    pages += [page(2.0), page(0.0, waiting=1.0), "", page(0.0)]

    ended = run("finish_requests.py", address, 0, 600)

    assert ended.returncode == 0, ended.stderr
    assert len(read) == 4
    assert "no answer" in ended.stderr


def test_nobody_waits_longer_than_the_pod_is_given(metrics):
    address, pages, _ = metrics
    pages.append(page(1.0))
    begun = time.monotonic()

    ended = run("finish_requests.py", address, 0, 2)

    assert ended.returncode == 0, ended.stderr
    assert time.monotonic() - begun >= 2


def test_a_model_is_compiled_with_the_arguments_of_the_server(tmp_path):
    (tmp_path / "vllm.py").write_text(
        "import json\nclass LLM:\n    def __init__(self, **arguments):\n        print(json.dumps(arguments))\n"
    )
    arguments = {"model": "llama", "additional_config": {"neuron_config": {"num_seqs_buckets": [1, 2]}}}

    ended = run("compile_ahead.py", PYTHONPATH=str(tmp_path), ENGINE_ARGUMENTS=json.dumps(arguments))

    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == arguments
