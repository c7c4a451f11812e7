"""How headroom and refusals read in a terminal of 100 columns, and in a comment on a pull request."""

import pytest

from eks_accelerators.accel.renderers import markdown
from eks_accelerators.accel.report import check_stack
from eks_accelerators.accel.stacks import locate
from tests.accel.plans import text, write_stack
from tests.conftest import NOW
from tests.settings.example import TRAINIUM

GROUP, QWEN = "nodeGroups.gpu", "workloads.vllm.qwen"
SMALL = {f"{QWEN}.resources": {"cpu": "100m", "memoryGib": 1}}

CASES = {
    "one-of-two-waits": (
        {f"{QWEN}.replicas": 2},
        """\
gpu: exclusive
  headroom: nvidia.com/gpu: 1 of 1 taken (2 at most); a pod leaves 1.79 of its 22.35 GiB
  fits:     qwen: 1 of 2 pods, 1 Pending (Insufficient nvidia.com/gpu); each 1,585,384 tokens of KV
            cache, 387 sequences
  refused:  1 of 2 pods of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 2
""",
    ),
    "a-model-that-nobody-knows": (
        {f"{QWEN}.model": "nobody/nothing"},
        """\
gpu: exclusive
  headroom: nvidia.com/gpu: 1 of 1 taken (2 at most); memory left not known
  fits:     qwen: 1 of 1 pod
  refused:  more than 1 pod of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 2
""",
    ),
    "a-gpu-that-nobody-knows": (
        {f"{GROUP}.instanceType": "p6e-gb200.36xlarge"},
        """\
gpu: exclusive
  headroom: nvidia.com/gpu: 4 of 4 taken (8 at most), memory not known
  fits:     qwen: 4 of 4 pods
  refused:  more than 4 pods of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 8
""",
    ),
    "mps": (
        SMALL | {f"{GROUP}.sharing": {"strategy": "mps", "replicas": 4}, f"{QWEN}.replicas": 3},
        """\
gpu: mps
  pods:     4 at once on one L4, through one MPS server
  memory:   a pod can allocate its 5.59 GiB (22.35 / 4) and no more
  faults:   a fatal fault of one pod ends all on its GPU
  metrics:  memory by pod, load not for certain; everything else is the whole GPU's, repeated for
            each pod
  headroom: nvidia.com/gpu: 3 of 4 taken (8 at most); a pod leaves 0.45 of its 5.59 GiB
  fits:     qwen: 3 of 3 pods; each 281,430 tokens of KV cache, 68 sequences
  refused:  more than 4 pods of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 8
            a pod that asks for 2 nvidia.com/gpu: UnexpectedAdmissionError, by
            failRequestsGreaterThanOne; ask for 1
""",
    ),
    "instances-of-which-nobody-asks-for-any": (
        {
            f"{GROUP}.instanceType": "p5.48xlarge",
            f"{GROUP}.sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}},
            "workloads": {},
        },
        """\
gpu: mig
  pods:     one on each instance
  memory:   divided by the hardware: about 38.0 GiB on 3g.40gb of H100
  faults:   a pod's fault stays in its instance
  metrics:  of each instance; DCGM_FI_DEV_GPU_UTIL is not known of one,
            DCGM_FI_PROF_GR_ENGINE_ACTIVE is
  headroom: nvidia.com/mig-3g.40gb: 0 of 16 taken (32 at most), 38.00 GiB each
  refused:  a pod that asks for nvidia.com/gpu: Insufficient nvidia.com/gpu, the group advertises
            none; ask for nvidia.com/mig-3g.40gb
""",
    ),
    "neither-shared-nor-served": (
        TRAINIUM,
        """\
gpu: exclusive
  headroom: aws.amazon.com/neuron: 0 of 16 taken (32 at most), 32.00 GiB each
""",
    ),
}


def checked(folder, patch):
    return check_stack(locate(str(write_stack(folder, patch))), NOW).report


@pytest.mark.parametrize(("patch", "shown"), CASES.values(), ids=CASES)
def test_in_a_terminal(tmp_path, patch, shown):
    lines = [line.rstrip() for line in text(checked(tmp_path, patch), 100).splitlines()]
    start = lines.index("Sharing and headroom") + 1
    end = lines.index("", start)

    assert "".join(f"{line}\n" for line in lines[start:end]) == shown


def test_on_a_pull_request(tmp_path):
    shown = markdown(checked(tmp_path, CASES["one-of-two-waits"][0]))

    assert (
        """
| sharing and headroom of `gpu` | exclusive |
| --- | --- |
| headroom | nvidia.com/gpu: 1 of 1 taken (2 at most); a pod leaves 1.79 of its 22.35 GiB |
| fits | qwen: 1 of 2 pods, 1 Pending (Insufficient nvidia.com/gpu); each 1,585,384 tokens of KV cache, 387 sequences |
| refused | 1 of 2 pods of qwen: Pending, Insufficient nvidia.com/gpu; 2 nodes would hold 2 |

"""
        in shown
    )
