"""What the benchmarks run: the bare import, and projects with stacks of any number of node groups."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

IMPORTS = """
import pulumi, pulumi_aws as aws, pulumi_eks as eks, pulumi_kubernetes as k8s
# The SDKs import a service when something of it is first used: here what the stack dev uses.
aws.autoscaling.Tag, aws.ec2.Vpc, aws.eks.NodeGroup, aws.iam.Role, aws.vpc.SecurityGroupIngressRule, eks.Cluster
k8s.Provider, k8s.apps.v1.Deployment, k8s.core.v1.Namespace, k8s.helm.v3.Release
k8s.policy.v1.PodDisruptionBudget, k8s.storage.v1.StorageClass
"""

_KINDS = (
    "g6.2xlarge, size: {min: 0, desired: 1, max: 2}, "
    "sharing: {strategy: timeSlicing, replicas: 4, renameByDefault: true}",
    "p5.48xlarge, size: {min: 0, desired: 0, max: 2}, zones: [us-east-2a], efa: {enabled: true}",
    "trn1.32xlarge, size: {min: 0, desired: 0, max: 2}",
)
_HEAD = "  eks-accelerators:nodeGroups:\n"


def project(folder: Path, groups: int) -> Path:
    """A project in ``folder`` with the stack `many`: the stack dev, and more groups up to ``groups``."""
    made = folder / str(groups)
    if not made.exists():
        (made / "stacks").mkdir(parents=True)
        for name in ("Pulumi.yaml", "__main__.py"):
            shutil.copy(ROOT / name, made / name)
        more = (f"    more-{i}: {{instanceType: {_KINDS[i % len(_KINDS)]}}}\n" for i in range(1, groups))
        dev = (ROOT / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        text = dev.replace(_HEAD, _HEAD + "".join(more))
        (made / "stacks" / "Pulumi.many.yaml").write_text(text, encoding="utf-8")
    return made
