from tests.settings.rules.case import Case

OPERATOR = {"nvidia.stack": "operator"}
BOTTLEROCKET = {"nodeGroups.gpu.ami.type": "BOTTLEROCKET_x86_64_NVIDIA"}
DIVIDED_A100 = {
    "nodeGroups.gpu.instanceType": "p4d.24xlarge",
    "nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"3g.20gb": 2}}},
    "workloads": {},
}
DIVIDED_H100 = {
    "nodeGroups.gpu.instanceType": "p5.48xlarge",
    "nodeGroups.gpu.sharing": {"strategy": "mig", "mig": {"layout": {"3g.40gb": 2}}},
    "workloads": {},
}
SINGLE = {"nodeGroups.gpu.sharing.mig.strategy": "single"}

CASES = [
    Case(
        "gpu-operator-unused",
        "bottlerocket",
        OPERATOR | BOTTLEROCKET,
        "nvidia.stack",
        near={
            **OPERATOR,
            **BOTTLEROCKET,
            "nodeGroups.other": {"instanceType": "g6.2xlarge", "size": {"max": 1}},
        },
        severity="warning",
    ),
    Case(
        "gpu-operator-unused",
        "no-nvidia-gpu",
        {**OPERATOR, "nodeGroups.gpu.instanceType": "trn1.32xlarge", "workloads": {}},
        "nvidia.stack",
        near={"nodeGroups.gpu.instanceType": "trn1.32xlarge", "workloads": {}},
        severity="warning",
    ),
    Case(
        "gpu-operator-mig-reboot",
        "charts",
        OPERATOR | DIVIDED_A100,
        "nodeGroups.gpu.sharing.mig",
        near=DIVIDED_A100,
        severity="warning",
    ),
    Case(
        "gpu-operator-mig-reboot",
        "later-gpu",
        OPERATOR | DIVIDED_A100,
        "nodeGroups.gpu.sharing.mig",
        near=OPERATOR | DIVIDED_H100,
        severity="warning",
    ),
    Case(
        "gpu-operator-mig-single",
        "charts",
        OPERATOR | DIVIDED_H100 | SINGLE,
        "nodeGroups.gpu.sharing.mig.strategy",
        near=DIVIDED_H100 | SINGLE,
        severity="warning",
    ),
    Case(
        "gpu-operator-mig-single",
        "mixed",
        OPERATOR | DIVIDED_H100 | SINGLE,
        "nodeGroups.gpu.sharing.mig.strategy",
        near=OPERATOR | DIVIDED_H100,
        severity="warning",
    ),
]
