"""p5.48xlarge nodes with EFA on a Capacity Block for ML, with their device plugins and GPU metrics."""

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as k8s

from eks_accelerators.components import (
    AcceleratorNodeGroup,
    CapacityBlock,
    DcgmExporter,
    EfaDevicePlugin,
    NvidiaDevicePlugin,
)

config = pulumi.Config()
region: str = pulumi.Config("aws").require("region")
cluster_name: str = config.require("clusterName")
# Plain values, not outputs: the node group is judged by them before anything is created.
kubernetes_version: str = config.require("kubernetesVersion")
zone: str = config.require("zone")
reservation_id: str = config.require("reservationId")
nodes: int = config.require_int("nodes")

cluster = aws.eks.get_cluster_output(name=cluster_name)


def joinable(found: aws.eks.GetClusterResult) -> str:
    """Nodes may be older than the control plane, never newer; EKS would say so only after the preview."""
    if [int(part) for part in kubernetes_version.split(".")] > [int(part) for part in found.version.split(".")]:
        raise ValueError(f"kubernetesVersion {kubernetes_version} is newer than cluster {found.name}: {found.version}")
    return found.name


def first(ids: list[str]) -> str:
    """The first by ID, so that every run chooses the same: another subnet would replace the nodes."""
    if not ids:
        raise ValueError(f"zone: cluster {cluster_name} has no private subnet in {zone}")
    return min(ids)


# Private: EC2 gives no public address to an instance with several interfaces, and EFA has one on every card.
wanted = {"subnet-id": cluster.vpc_config.subnet_ids, "availability-zone": [zone], "map-public-ip-on-launch": ["false"]}
subnets = aws.ec2.get_subnets_output(filters=[{"name": key, "values": values} for key, values in wanted.items()])

# Read from AWS and checked: a block that does not suit the nodes stops the preview.
block = CapacityBlock(
    "training",
    {"reservation_id": reservation_id, "instance_type": "p5.48xlarge", "max_size": nodes, "zones": [zone]},
)
group = AcceleratorNodeGroup(
    "p5",
    {
        "cluster_name": cluster.apply(joinable),
        "cluster_security_group_id": cluster.vpc_config.cluster_security_group_id,
        "vpc_id": cluster.vpc_config.vpc_id,
        "subnets": [{"id": subnets.ids.apply(first), "zone": zone}],
        "kubernetes_version": kubernetes_version,
        "instance_type": "p5.48xlarge",
        "size": {"max": nodes},  # no node before the block starts, all of them from then on
        "capacity_block": block.ref,
        "efa": {"enabled": True},
        "local_nvme": "raid0",
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

in_cluster = pulumi.ResourceOptions(providers={"kubernetes": provider})
NvidiaDevicePlugin("nvidia-device-plugin", {}, in_cluster)
EfaDevicePlugin("efa-device-plugin", {}, in_cluster)
DcgmExporter("dcgm-exporter", {}, in_cluster)

pulumi.export("nodeGroup", group.node_group_name)
pulumi.export("capacityBlock", {"start": block.start, "end": block.end, "state": block.state})
