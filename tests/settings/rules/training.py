from tests.settings.example import RESERVED, Patch
from tests.settings.rules.case import Case

GROUP = "nodeGroups.gpu"
JOB, TEST = "workloads.pytorchJob.train", "workloads.collectiveTest.network"
SAVED: Patch = {
    "storage.runs.efs": {},
    f"{JOB}.volumes.runs.mountPath": "/runs",
    f"{JOB}.checkpoints.volume": "runs",
}


def on(instance_type: str, nodes: int, *, efa: bool = False) -> Patch:
    """A node group, in one zone, and no workload."""
    return {
        f"{GROUP}.instanceType": instance_type,
        f"{GROUP}.size": {"desired": nodes, "max": nodes},
        f"{GROUP}.zones": ["us-east-2a"],
        **({f"{GROUP}.efa": {"enabled": True}} if efa else {}),
        "workloads": {},
    }


def job(nodes: int = 1, gpus: int = 1, **settings: object) -> Patch:
    """A training job that saves what it has."""
    return {JOB: {"nodeGroup": "gpu", "nodes": nodes, "acceleratorsPerNode": gpus, **settings}, **SAVED}


def measured(nodes: int = 1, gpus: int = 1, **settings: object) -> Patch:
    """A test of the network."""
    return {TEST: {"nodeGroup": "gpu", "nodes": nodes, "acceleratorsPerNode": gpus, **settings}}


ONE_L4, T4 = on("g6.2xlarge", 1), on("g4dn.2xlarge", 1)
TWO_P5 = on("p5.48xlarge", 2, efa=True)
TRAINIUM = on("trn1.32xlarge", 2, efa=True)

CASES = [
    *(
        Case(
            "training-variable",
            variable.lower().replace("_", "-"),
            {**ONE_L4, **job(env={variable: "1"})},
            f"{JOB}.env.{variable}",
            near={**ONE_L4, **job(env={"NCCL_DEBUG": "INFO", "HF_HOME": "/models"})},
        )
        for variable in ("FI_EFA_USE_DEVICE_RDMA", "NCCL_TOPO_FILE", "NCCL_IB_HCA", "NCCL_NVLS_ENABLE", "MASTER_ADDR")
    ),
    *(
        Case(
            "training-variable",
            variable.lower().replace("_", "-") + "-of-value",
            {**TWO_P5, **job(2, 8, efaInterfaces=32, env={variable: value})},
            f"{JOB}.env.{variable}",
            near={**TWO_P5, **job(2, 8, efaInterfaces=32, env={variable: other})},
        )
        for variable, value, other in (
            ("NCCL_NET", "socket", "AWS Libfabric"),
            ("NCCL_NET_PLUGIN", "none", "ofi"),
            ("NCCL_NET_GDR_LEVEL", "LOC", "PHB"),
            ("FI_EFA_TX_MIN_CREDITS", "0", "64"),
        )
    ),
    Case(
        "training-variable",
        "nccl-p2p-net-chunksize",
        {**TWO_P5, **job(2, 8, efaInterfaces=32, env={"NCCL_P2P_NET_CHUNKSIZE": "131072"})},
        f"{JOB}.env.NCCL_P2P_NET_CHUNKSIZE",
        near={**ONE_L4, **job(env={"NCCL_NET": "Socket", "FI_EFA_USE_HUGE_PAGE": "0", "NCCL_SOCKET_IFNAME": "eth0"})},
    ),
    Case(
        "training-variable",
        "of-a-test",
        {**ONE_L4, **measured(env={"FI_PROVIDER": "efa"})},
        f"{TEST}.env.FI_PROVIDER",
        near={**ONE_L4, **measured(env={"FI_LOG_LEVEL": "warn"})},
    ),
    Case(
        "workload-efa",
        "more-than-there-are",
        {**TWO_P5, **job(2, 8, efaInterfaces=33)},
        f"{JOB}.efaInterfaces",
        near={**TWO_P5, **job(2, 8, efaInterfaces=32)},
    ),
    Case(
        "workload-efa",
        "without-huge-pages",
        {**TWO_P5, **job(2, 8, efaInterfaces=32, hugePagesMib=0)},
        f"{JOB}.hugePagesMib",
        near={**TWO_P5, **job(2, 8, efaInterfaces=32, hugePagesMib=2048)},
    ),
    Case(
        "training-without-efa",
        "of-a-group-that-could",
        {**on("p5.48xlarge", 2), **job(2, 8)},
        f"{JOB}.nodeGroup",
        near={**on("p5.48xlarge", 2), **job(1, 8)},
        severity="warning",
    ),
    Case(
        "training-without-efa",
        "a-part-of-it",
        {**TWO_P5, **measured(2, 8, efaInterfaces=4)},
        f"{TEST}.efaInterfaces",
        near={**TWO_P5, **measured(2, 4, efaInterfaces=4)},
        severity="warning",
    ),
    Case(
        "training-accelerators-left",
        "two-of-eight",
        {**TWO_P5, **job(2, 6, efaInterfaces=32)},
        f"{JOB}.acceleratorsPerNode",
        near={**TWO_P5, **job(2, 8, efaInterfaces=32)},
        severity="warning",
    ),
    Case(
        "training-shared",
        "time-slicing",
        {**ONE_L4, f"{GROUP}.sharing": {"strategy": "timeSlicing", "replicas": 2}, **job()},
        f"{JOB}.nodeGroup",
        near={**ONE_L4, **job()},
    ),
    Case(
        "training-precision",
        "bf16-on-turing",
        {**T4, **job(precision="bf16")},
        f"{JOB}.precision",
        near={**T4, **job(precision="fp16")},
    ),
    Case(
        "training-precision",
        "tf32-on-turing",
        {**T4, **job(precision="tf32")},
        f"{JOB}.precision",
        near={**ONE_L4, **job(precision="tf32")},
    ),
    Case(
        "training-precision",
        "fp8-on-ampere",
        {**on("g5.2xlarge", 1), **job(precision="fp8")},
        f"{JOB}.precision",
        near={**ONE_L4, **job(precision="fp8")},
    ),
    Case(
        "training-precision",
        "fp8-on-trainium",
        {**TRAINIUM, **job(2, 16, efaInterfaces=8, precision="fp8")},
        f"{JOB}.precision",
        near={**TRAINIUM, **job(2, 16, efaInterfaces=8, precision="bf16")},
    ),
    Case(
        "training-shared-memory",
        "all-of-the-pod",
        {**ONE_L4, **job(sharedMemoryGib=32)},
        f"{JOB}.sharedMemoryGib",
        near={**ONE_L4, **job(sharedMemoryGib=31)},
    ),
    Case(
        "training-memory",
        "as-many-ranks-as-cores",
        {**TRAINIUM, **job(2, 16, efaInterfaces=8)},
        f"{JOB}.resources.memoryLimitGib",
        severity="warning",
        near={
            **TRAINIUM,
            **job(2, 16, efaInterfaces=8, resources={"cpu": "96", "memoryGib": 40, "memoryLimitGib": 40}),
        },
    ),
    Case(
        "training-checkpoints",
        "not-mounted",
        {**ONE_L4, **job(), f"{JOB}.checkpoints.volume": "run"},
        f"{JOB}.checkpoints.volume",
        near={**ONE_L4, **job()},
    ),
    Case(
        "training-checkpoints",
        "read-only",
        {**ONE_L4, **job(), f"{JOB}.volumes.runs.readOnly": True},
        f"{JOB}.volumes.runs.readOnly",
        near={**ONE_L4, **job(), f"{JOB}.volumes.runs.readOnly": False},
    ),
    Case(
        "training-checkpoints",
        "gone-with-the-node",
        {**ONE_L4, **job(), "storage.runs": {"nodeCache": {}}},
        f"{JOB}.checkpoints.volume",
        near={**ONE_L4, **job(), "storage.runs": {"s3Files": {"bucket": "runs"}}},
    ),
    *(
        Case(
            "training-without-checkpoints",
            name,
            {**there, JOB: {"nodeGroup": "gpu", "nodes": nodes, "acceleratorsPerNode": gpus}},
            f"{JOB}.checkpoints",
            near={**there, **job(nodes, gpus)},
            severity="warning",
        )
        for name, there, nodes, gpus in (
            ("on-spot", {**ONE_L4, f"{GROUP}.capacityType": "spot"}, 1, 1),
            ("on-a-block", RESERVED, 1, 8),
            ("on-several-nodes", TWO_P5, 2, 8),
        )
    ),
    Case(
        "collective-test-nodes",
        "of-inferentia",
        {**on("inf2.48xlarge", 2), **measured(2, 12)},
        f"{TEST}.nodes",
        near={**on("inf2.48xlarge", 2), **measured(1, 12)},
    ),
    Case(
        "collective-test-nodes",
        "without-efa",
        {**on("trn1.32xlarge", 2), **measured(2, 16)},
        f"{TEST}.nodes",
        near={**TRAINIUM, **measured(2, 16, efaInterfaces=8)},
    ),
    Case(
        "workload-request",
        "more-pods-than-nodes",
        {**TWO_P5, **job(3, 4)},
        f"{JOB}.nodes",
        near={**TWO_P5, **job(2, 4)},
    ),
    Case(
        "workload-request",
        "more-accelerators-than-a-node",
        {**TWO_P5, **job(2, 9)},
        f"{JOB}.acceleratorsPerNode",
        near={**TWO_P5, **job(2, 8)},
    ),
    Case(
        "workload-waits",
        "a-job-without-nodes",
        {**TWO_P5, f"{GROUP}.size.desired": 0, **job(2, 8)},
        f"{JOB}.nodes",
        near={**RESERVED, **job(2, 8)},
        severity="warning",
    ),
]
