"""The program of a RayJob, with a made-up Ray: which nodes it tells what, when it begins again, and when it ends.

Under Ray 2.56 itself it was tried by hand; no test needs Ray.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.polls import PATIENCE_SECONDS

PROGRAMS = Path(__file__).parents[3] / "components" / "programs"

RAY = '''
import os, threading, types
class RayActorError(Exception): pass
exceptions = types.SimpleNamespace(RayActorError=RayActorError)
ADDRESSES = iter(f"10.0.0.{n}" for n in range(1, 99))
def init(): pass
class Call:
    """A method of an actor that runs."""
    def __init__(self, function, arguments):
        self.result = None
        self.thread = threading.Thread(target=self._run, args=(function, arguments)); self.thread.start()
    def _run(self, function, arguments):
        try: self.result = function(*arguments)
        except Exception as error: self.result = error
        if self.result == 99: self.result = RayActorError("the actor is gone")
class Method:
    def __init__(self, function): self.function = function
    def remote(self, *arguments): return Call(self.function, arguments)
class Actor:
    def __init__(self, kind): self.kind = kind
    def options(self, num_cpus, num_gpus, scheduling_strategy):
        print(f"actor of {num_gpus} GPUs on bundle {scheduling_strategy.placement_group_bundle_index}", flush=True)
        return self
    def remote(self):
        made = self.kind()
        return types.SimpleNamespace(**{name: Method(getattr(made, name)) for name in ("address", "is_going", "run")})
def remote(kind): return Actor(kind)
def get(calls):
    if isinstance(calls, list): return [get(call) for call in calls]
    calls.thread.join()
    if isinstance(calls.result, Exception): raise calls.result
    return calls.result
def wait(calls, num_returns):
    while not (done := [call for call in calls if not call.thread.is_alive()]): calls[0].thread.join(0.05)
    return done[:1], [call for call in calls if call is not done[0]]
'''
UTIL = "from ray import ADDRESSES\ndef get_node_ip_address(): return next(ADDRESSES)\n"
GROUPS = """
from ray import Call
class Group:
    def ready(self): return Call(lambda: True, ())
def placement_group(bundles, strategy):
    print(f"group {bundles} {strategy}", flush=True)
    return Group()
def remove_placement_group(group): print("group removed", flush=True)
"""
STRATEGIES = """
class PlacementGroupSchedulingStrategy:
    def __init__(self, group, placement_group_bundle_index): self.placement_group_bundle_index = placement_group_bundle_index
"""
LAUNCHER = """
import os, sys
from pathlib import Path
index, folder = os.environ["JOB_COMPLETION_INDEX"], Path(__file__).parent
runs = folder / f"runs-of-{index}"
done = len(runs.read_text()) if runs.exists() else 0
runs.write_text("x" * (done + 1))
print(f"node {index}: {sys.argv[1:]} of {os.environ['NODES']}, first at {os.environ['RENDEZVOUS_HOST']}", flush=True)
statuses = __import__("json").loads(os.environ["STATUSES"])
sys.exit(statuses[int(index)][done])
"""
"""In place of `launch.py`: each node ends with the statuses that the test says, one run after the other."""


@pytest.fixture
def ray(tmp_path):
    """A folder with the program beside a made-up launcher, and a made-up Ray."""
    for name, text in {
        "ray/__init__.py": RAY,
        "ray/util/__init__.py": UTIL,
        "ray/util/placement_group.py": GROUPS,
        "ray/util/scheduling_strategies.py": STRATEGIES,
        "launch.py": LAUNCHER,
        "ray_launch.py": (PROGRAMS / "ray_launch.py").read_text(encoding="utf-8").replace("time.sleep(10)", "pass"),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def run(ray, statuses, **environment):
    told = {
        "NODES": str(len(statuses)),
        "PROCESSES_PER_NODE": "8",
        "PROGRAM": json.dumps(["/app/train.py", "--steps", "10"]),
        "RENDEZVOUS_ID": "llama",
        "MAX_RESTARTS": "3",
        "STOP_FILE": str(ray / "stop"),
        "STATUSES": json.dumps(statuses),
    }
    return subprocess.run(
        [sys.executable, ray / "ray_launch.py"],
        env={**os.environ, **told, **environment, "PYTHONPATH": str(ray)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def test_each_node_has_an_actor_and_knows_the_first(ray):
    ended = run(ray, [[0], [0]])

    assert ended.returncode == 0, ended.stderr
    said = ended.stdout
    for each in (  # at once, so ends of lines may come after the next one
        "actor of 8 GPUs on bundle 0",
        "actor of 8 GPUs on bundle 1",
        "group [{'GPU': 8}, {'GPU': 8}] STRICT_SPREAD",
        "group removed",
        "node 0: ['/app/train.py', '--steps', '10'] of 2, first at 10.0.0.1",
        "node 1: ['/app/train.py', '--steps', '10'] of 2, first at 10.0.0.1",
    ):
        assert said.count(each) == 1
        said = said.replace(each, "")
    assert said.strip() == ""


@pytest.mark.parametrize(
    ("statuses", "status", "began"),
    [
        ([[0], [0]], 0, 1),
        ([[75, 0], [143, 0]], 0, 2),  # a node goes: no fault
        ([[75, 75, 0], [143, 143, 0]], 0, 3),
        ([[0], [1]], 1, 1),  # a fault: KubeRay makes another cluster
        ([[75, 137], [143, 0]], 1, 2),
    ],
)
def test_when_it_begins_again_and_when_it_ends(ray, statuses, status, began):
    ended = run(ray, statuses)

    assert ended.returncode == status, ended.stderr
    assert ended.stdout.count("STRICT_SPREAD") == began
    assert ended.stdout.count("group removed") == began


def test_a_node_that_is_lost_is_a_fault(ray):
    ended = run(ray, [[0], [99]])

    assert ended.returncode == 1
    assert "ray_launch: a node is lost: the actor is gone" in ended.stdout


def test_while_it_runs_who_ends_the_pod_finds_the_launcher(ray):
    (ray / "launch.py").write_text(
        'import os, sys\nfrom pathlib import Path\nfile = Path(os.environ["STOP_FILE"] + ".pid")\n'
        "while not file.exists() or file.read_text() != str(os.getpid()): pass\n"
    )

    assert run(ray, [[0]]).returncode == 0
    assert not (ray / "stop.pid").exists()


def test_a_program_of_ray_s_own_runs_once_and_alone(ray):
    own = ray / "own.py"
    own.write_text("import sys; print('own', sys.argv[1:]); sys.exit(4)")
    ended = run(ray, [[0], [0]], RAY_DRIVER="1", PROGRAM=json.dumps([str(own), "it's $HOME"]))

    assert ended.returncode == 4
    assert ended.stdout == 'own ["it\'s $HOME"]\n'
