"""Amazon Resource Names of what AWS itself provides."""


def managed_policy(partition: str, name: str) -> str:
    """An AWS managed IAM policy, such as `AmazonEKSWorkerNodePolicy`."""
    return f"arn:{partition}:iam::aws:policy/{name}"


def access_policy(partition: str, name: str) -> str:
    """An EKS access policy, such as `AmazonEKSClusterAdminPolicy`."""
    return f"arn:{partition}:eks::aws:cluster-access-policy/{name}"
