"""A time-sliced group of L4 GPUs and its device plugin, on an EKS cluster that exists already."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from eks_accelerators.components import AcceleratorNodeGroup, NvidiaDevicePlugin

config = pulumi.Config()
region: str = pulumi.Config("aws").require("region")
cluster_name: str = config.require("clusterName")
# Plain values, not outputs: the node group is judged by them before anything is created.
kubernetes_version: str = config.require("kubernetesVersion")
zones: list[str] = config.require("zones").split(",")
replicas: int = config.get_int("replicas", 4)
max_nodes: int = config.get_int("maxNodes", 2)

cluster = aws.eks.get_cluster_output(name=cluster_name)


def joinable(found: aws.eks.GetClusterResult) -> str:
    """Nodes may be older than the control plane, never newer; EKS would say so only after the preview."""
    if [int(part) for part in kubernetes_version.split(".")] > [int(part) for part in found.version.split(".")]:
        raise ValueError(f"kubernetesVersion {kubernetes_version} is newer than cluster {found.name}: {found.version}")
    return found.name


def private_subnet(zone: str) -> pulumi.Output[str]:
    """The cluster's subnet in ``zone`` that gives its nodes no public address."""
    wanted = {"subnet-id": cluster.vpc_config.subnet_ids, "availability-zone": [zone]}
    wanted["map-public-ip-on-launch"] = ["false"]
    found = aws.ec2.get_subnets_output(filters=[{"name": key, "values": values} for key, values in wanted.items()])
    return found.ids.apply(lambda ids: first(ids, zone))


def first(ids: list[str], zone: str) -> str:
    """The first by ID, so that every run chooses the same: another subnet would replace the nodes."""
    if not ids:
        raise ValueError(f"zones: cluster {cluster_name} has no private subnet in {zone}")
    return min(ids)


group = AcceleratorNodeGroup(
    "l4-shared",
    {
        "cluster_name": cluster.apply(joinable),
        "cluster_security_group_id": cluster.vpc_config.cluster_security_group_id,
        "vpc_id": cluster.vpc_config.vpc_id,
        "subnets": [{"id": private_subnet(zone), "zone": zone} for zone in zones],
        "kubernetes_version": kubernetes_version,
        "instance_type": "g6.2xlarge",
        "size": {"min": 0, "desired": 1, "max": max_nodes},
        "sharing": {"strategy": "timeSlicing", "replicas": replicas},
    },
)

# The token is fetched by the AWS CLI at every use, so the kubeconfig holds no secret.
token = ["eks", "get-token", "--cluster-name", cluster_name, "--region", region, "--output", "json"]
login = {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "aws", "args": token}
server = {"server": cluster.endpoint, "certificate-authority-data": cluster.certificate_authorities[0].data}
kubeconfig = {
    "apiVersion": "v1",
    "kind": "Config",
    "clusters": [{"name": "eks", "cluster": server}],
    "users": [{"name": "aws", "user": {"exec": login}}],
    "contexts": [{"name": "eks", "context": {"cluster": "eks", "user": "aws"}}],
    "current-context": "eks",
}
provider = k8s.Provider("eks", kubeconfig=pulumi.Output.json_dumps(kubeconfig), cluster_identifier=cluster_name)

# A node finds its configuration by a label that follows from its sharing: both must say the same.
NvidiaDevicePlugin(
    "nvidia-device-plugin",
    {"sharings": [{"strategy": "timeSlicing", "replicas": replicas}]},
    pulumi.ResourceOptions(providers={"kubernetes": provider}),
)

pulumi.export("nodeGroup", group.node_group_name)
