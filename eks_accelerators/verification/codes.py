"""What can be found, each as one entry of `CODES`: what it means, how bad it is, what to do, who says so."""

from collections.abc import Mapping
from dataclasses import dataclass

from eks_accelerators.verification.severity import FindingSeverity

_KUBERNETES = "Kubernetes API"
_SETTINGS = "stack file"
_REPLACE = "replace-a-gpu-node.md"
_PLUGINS = "missing-plugin-or-exporter.md"
_NEURON = "neuron-devices.md"
_LINKS = "links.md"
_SLOW = "slow-gpus.md"


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One thing that is looked at.

    ``expected_by`` is who says what is right. ``severity`` is that of what is not, unless the finding says otherwise.
    ``next_step`` is what to do, ``runbook`` a page under `docs/runbooks/`. A finding of this code ``explains`` those of
    others on the same node: they are told with it, and not beside it.
    """

    code: str
    means: str
    expected_by: str
    severity: FindingSeverity
    next_step: str
    runbook: str
    explains: tuple[str, ...] = ()


_OF_A_LOST_DEVICE = (
    "node-allocatable",
    "node-condition",
    "gpu-count",
    "gpu-driver",
    "gpu-shares",
    "gpu-links",
    "gpu-computes",
    "network-bandwidth",
    "pods-waiting",
    "server-answers",
)

CODES: Mapping[str, FindingCode] = {
    each.code: each
    for each in (
        FindingCode(
            "nodes-present",
            "The node group has between `size.min` and `size.max` nodes; no fewer than `size.desired` where nothing scales it",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "ask why nodes do not come: `aws eks describe-nodegroup`, and `accel preflight`",
            "no-capacity.md",
        ),
        FindingCode(
            "node-ready",
            "The kubelet says that the node is ready",
            _KUBERNETES,
            FindingSeverity.REBOOT,
            "`kubectl describe node`; node repair replaces it where it is on",
            _REPLACE,
            explains=(
                "node-allocatable",
                "node-condition",
                "serving-pods",
                "pods-waiting",
                "gpu-driver",
                "gpu-count",
                "efa-devices",
                "neuron-devices",
                "server-answers",
            ),
        ),
        FindingCode(
            "node-labels",
            "The node has the labels of its group",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "`pulumi up`; who removed a label by hand puts it back",
            _PLUGINS,
            explains=("serving-pods", "node-allocatable", "pods-waiting", "gpu-shares"),
        ),
        FindingCode(
            "node-taints",
            "The node has the taints of its group",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "`pulumi up`; who removed a taint by hand puts it back: pods without GPUs may be on the node",
            _PLUGINS,
        ),
        FindingCode(
            "node-allocatable",
            "Pods can ask the node for as many accelerators, shares and EFA interfaces as planned",
            "stack file and instance facts",
            FindingSeverity.RESET,
            "look at the log of the device plugin on the node",
            _PLUGINS,
            explains=("pods-waiting", "gpu-shares"),
        ),
        FindingCode(
            "node-condition",
            "The node monitoring agent finds nothing fatal",
            "EKS node monitoring agent",
            FindingSeverity.REBOOT,
            "node repair replaces the node where it is on; otherwise drain and replace it",
            _REPLACE,
            explains=("node-allocatable", "pods-waiting", "server-answers"),
        ),
        FindingCode(
            "gpu-xid",
            "The driver reports no error that needs a reset, a reboot or another node",
            "EKS node monitoring agent; NVIDIA XID catalogue",
            FindingSeverity.RESET,
            "cordon the node, save the driver's log (`nvidia-bug-report.sh`), and replace it",
            _REPLACE,
            explains=_OF_A_LOST_DEVICE,
        ),
        FindingCode(
            "serving-pods",
            "Device plugin, exporter and monitoring agent run on the node",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "`kubectl describe pod` says why it does not run",
            _PLUGINS,
            explains=("node-allocatable", "pods-waiting", "gpu-shares"),
        ),
        FindingCode(
            "pods-waiting",
            "No pod of the stack's workloads waits",
            "Kubernetes scheduler and kubelet",
            FindingSeverity.MONITOR,
            "the reason is the scheduler's or the kubelet's own",
            "broken-pods.md",
            explains=("server-answers",),
        ),
        FindingCode(
            "gpu-driver",
            "`nvidia-smi` answers",
            "NVIDIA driver",
            FindingSeverity.REBOOT,
            "cordon the node and replace it",
            _REPLACE,
            explains=("gpu-count", "gpu-memory", "gpu-mig-layout", "gpu-clocks", "gpu-links"),
        ),
        FindingCode(
            "gpu-count",
            "The driver sees every GPU",
            "instance facts (EC2 DescribeInstanceTypes)",
            FindingSeverity.ISOLATE,
            "cordon the node and replace it: a GPU that has fallen off the bus comes back with another instance",
            _REPLACE,
            explains=(
                "node-allocatable",
                "node-condition",
                "gpu-shares",
                "gpu-links",
                "gpu-computes",
                "pods-waiting",
                "server-answers",
            ),
        ),
        FindingCode(
            "gpu-memory",
            "Every GPU has its memory",
            "the driver, where public logs of the GPU are known; otherwise instance facts (EC2 DescribeInstanceTypes)",
            FindingSeverity.ISOLATE,
            "cordon the node and replace it",
            _REPLACE,
        ),
        FindingCode(
            "gpu-mig-layout",
            "GPUs are divided as the settings say",
            _SETTINGS,
            FindingSeverity.REBOOT,
            "replace the node: GPUs are divided at boot; the journal of `mig-layout` says why that failed",
            _PLUGINS,
            explains=("node-allocatable", "gpu-shares", "pods-waiting"),
        ),
        FindingCode(
            "gpu-clocks",
            "Nothing but idleness and the power cap keeps clocks down",
            "aws/aws-k8s-tester, unit tests of NVIDIA nodes",
            FindingSeverity.MONITOR,
            "watch temperature and power; where it stays, replace the node",
            _SLOW,
        ),
        FindingCode(
            "gpu-links",
            "Every NVLink between GPUs that are not divided is up",
            "NVIDIA topology of the instance types: NV12 on p4, NV18 on p5 and p6",
            FindingSeverity.ISOLATE,
            "cordon the node and replace it",
            _LINKS,
            explains=("collective-bandwidth", "network-bandwidth"),
        ),
        FindingCode(
            "gpu-computes",
            "A pod with one GPU, or share, adds two vectors",
            "NVIDIA's CUDA sample vectorAdd",
            FindingSeverity.ISOLATE,
            "the log of the pod says which call of CUDA failed",
            _REPLACE,
        ),
        FindingCode(
            "gpu-shares",
            "As many pods as planned are on each GPU at a time",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "compare the device plugin's configuration on the node with `accel check`",
            _PLUGINS,
        ),
        FindingCode(
            "efa-devices",
            "Every EFA interface is there",
            "instance facts and stack file",
            FindingSeverity.REBOOT,
            "replace the node; where all nodes lack one, look at the launch template's interfaces",
            _LINKS,
            explains=("network-over-efa",),
        ),
        FindingCode(
            "neuron-devices",
            "`neuron-ls` sees every Neuron device with all its physical cores",
            "instance facts (EC2 DescribeInstanceTypes)",
            FindingSeverity.REBOOT,
            "cordon the node and replace it",
            _NEURON,
            explains=("node-allocatable", "node-condition", "pods-waiting"),
        ),
        FindingCode(
            "dcgm-diagnostic",
            "NVIDIA's diagnostic passes",
            "`dcgmi diag`",
            FindingSeverity.ISOLATE,
            "cordon the node; error and severity are DCGM's own",
            _REPLACE,
        ),
        FindingCode(
            "collective-bandwidth",
            "Accelerators of a node exchange data as fast as expected, and right",
            "nccl-tests and nccom-test; expected bandwidth by instance type, with its source",
            FindingSeverity.ISOLATE,
            "run it again on another node; where only this one is slow, replace it",
            _LINKS,
            explains=("network-bandwidth",),
        ),
        FindingCode(
            "network-over-efa",
            "NCCL takes EFA between nodes that have it",
            "the log of NCCL and of its plugin aws-ofi-nccl",
            FindingSeverity.MONITOR,
            "look whether the pods have EFA interfaces and the image has aws-ofi-nccl; its security group lets all through",
            _LINKS,
            explains=("network-bandwidth",),
        ),
        FindingCode(
            "network-bandwidth",
            "Nodes of a group exchange data as fast as others measured between as many of them, and right",
            "all-reduce over the nodes; expected bandwidth by instance type, with its source",
            FindingSeverity.MONITOR,
            "run it again with other nodes, one at a time; cordon and replace the node that is in every slow set",
            _LINKS,
        ),
        FindingCode(
            "storage-bandwidth",
            "The disk of pods is as fast as it was ordered",
            "stack file",
            FindingSeverity.MONITOR,
            "raise `disk.throughputMibps`, or take `localNvme: raid0`",
            _SLOW,
        ),
        FindingCode(
            "volume-usable",
            "Pods can write and read what their workload mounts, or read what it mounts read-only",
            _SETTINGS,
            FindingSeverity.MONITOR,
            "look as whom the pods run and to whom the files belong; of a bucket, at the policy of its driver",
            "broken-pods.md",
            explains=("volume-bandwidth",),
        ),
        FindingCode(
            "volume-bandwidth",
            "What workloads mount is as fast as it was ordered",
            "stack file; AWS, FSx for Lustre user guide (throughput for each TiB)",
            FindingSeverity.MONITOR,
            "look what else reads and writes there; order more throughput or capacity",
            "slow-volumes.md",
        ),
        FindingCode(
            "server-answers",
            "A server completes a prompt, or says that it has its model",
            "API of the server: OpenAI's, Triton's, TensorFlow Serving's",
            FindingSeverity.MONITOR,
            "look at the logs of its pods",
            "broken-pods.md",
        ),
    )
}
"""Every code of a finding, with what is expected and what to do where it is not so."""


def table() -> list[str]:
    """Every code as a row of a table in Markdown."""
    rows = ["| Code | What is expected | Who says so | Usual severity | Runbook |", "| --- | --- | --- | --- | --- |"]
    for each in CODES.values():
        runbook = f"[{each.runbook.removesuffix('.md')}](runbooks/{each.runbook})"
        rows.append(f"| `{each.code}` | {each.means} | {each.expected_by} | {each.severity} | {runbook} |")
    return rows
