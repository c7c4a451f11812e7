"""Stacks that differ from the example in ways that reports must cope with."""

from tests.settings.example import PURCHASED, REMOVED, RESERVED, TRAINIUM, WITH_EFA

SUBNETS = [{"id": f"subnet-0123456{zone}", "zone": f"us-east-2{zone}"} for zone in "ab"]
EXISTING = {"network": {"existing": {"vpcId": "vpc-01234567", "privateSubnets": SUBNETS}}}
NO_GROUPS = {"nodeGroups": {}, "workloads": {}}

VARIATIONS = {
    "example": {},
    "no-node-groups": NO_GROUPS,
    "no-workloads": {"workloads": REMOVED},
    "existing-network": EXISTING,
    "existing-network-and-no-groups": {**EXISTING, **NO_GROUPS},
    "nat-in-every-zone": {"network.create.natGateways": "onePerZone"},
    "no-nat": {
        "network.create.natGateways": "none",
        "network.create.interfaceEndpoints": ["ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "sts", "logs"],
        "workloads": {},
    },
    "endpoints": {"network.create.interfaceEndpoints": ["sts", "ec2"], "network.create.gatewayEndpoints": []},
    "large-disks": {"nodeGroups.gpu.disk.sizeGib": 1000, "systemNodeGroup": {"diskSizeGib": 80}},
    "large-groups": {
        "nodeGroups.gpu.size": {"min": 1, "desired": 3, "max": 9},
        "systemNodeGroup": {"size": {"min": 2, "desired": 4, "max": 8}},
    },
    "spot": {"nodeGroups.gpu.capacityType": "spot"},
    "no-known-price": {"nodeGroups.gpu.instanceType": "p5e.48xlarge"},
    "io2": {"nodeGroups.gpu.disk": {"type": "io2", "iops": 5000, "sizeGib": 300}},
    "capacity-block": RESERVED,
    "purchase": PURCHASED,
    "efa": WITH_EFA,
    "trainium": TRAINIUM,
    "part-of-a-gpu": {"nodeGroups.gpu.instanceType": "g6f.xlarge", "workloads": {}},
    "bottlerocket": {"nodeGroups.gpu.ami": {"type": "BOTTLEROCKET_x86_64_NVIDIA"}, "nodeGroups.gpu.disk.sizeGib": 120},
    "gpu-tests": {
        "nodeGroups.gpu.sharing": {"strategy": "timeSlicing", "replicas": 4},
        "workloads": {
            "cudaVectorAdd": {"hello": {"nodeGroup": "gpu"}},
            "dcgmProfTester": {"load": {"nodeGroup": "gpu"}},
        },
    },
    "claimed-gpus": {"nodeGroups.gpu.dynamicResourceAllocation": True},
    "extended-support": {"cluster.kubernetesVersion": "1.33"},
}
