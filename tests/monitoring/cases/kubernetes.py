"""What kube-state-metrics says of nodes, in cases."""

from tests.monitoring.cases.case import labelled

GPU_LABELS = {"label_nvidia_com_gpu_present": "true", "label_eks_accelerators_node_group": "gpu"}
NEURON_LABELS = {"label_aws_amazon_com_neuron_present": "true", "label_eks_accelerators_node_group": "trn"}
CLAIMED_LABELS = {**GPU_LABELS, "label_eks_accelerators_dynamic_resource_allocation": "true"}
GPU, SHARED, MIG = "nvidia_com_gpu", "nvidia_com_gpu_shared", "nvidia_com_mig_3g_40gb"
NEURON, CORE, EFA = "aws_amazon_com_neuron", "aws_amazon_com_neuroncore", "vpc_amazonaws_com_efa"


def node(name, labels=GPU_LABELS, offers=None, *, ready=1, minutes=120):
    """A node with its labels, and what it has and offers; ``offers`` are counts by resource. It has CPUs too."""
    made = {
        labelled("kube_node_status_condition", node=name, condition="KernelReady", status="true"): f"1x{minutes}",
        labelled("kube_node_status_capacity", node=name, resource="cpu", unit="core"): f"8x{minutes}",
        labelled("kube_node_status_allocatable", node=name, resource="cpu", unit="core"): f"7.9x{minutes}",
        labelled("kube_node_labels", node=name, **labels): f"1x{minutes}",
        labelled("kube_node_status_condition", node=name, condition="Ready", status="true"): f"{ready}x{minutes}",
        labelled("kube_node_status_condition", node=name, condition="Ready", status="false"): f"{1 - ready}x{minutes}",
    }
    for resource, count in (offers or {}).items():
        for kind in ("capacity", "allocatable"):
            series = labelled(f"kube_node_status_{kind}", node=name, resource=resource, unit="integer")
            made[series] = f"{count}x{minutes}"
    return made


def pod(name, on, resource=GPU, count=1, phase="Running", minutes=120):
    """A pod of the namespace `team` that asks for CPU and accelerators; ``on`` is empty while it waits."""
    labels = {"namespace": "team", "pod": name, "uid": f"uid-{name}"}
    made = {
        labelled("kube_pod_status_phase", **labels, phase=each): f"{int(each == phase)}x{minutes}"
        for each in ("Pending", "Running", "Succeeded")
    }
    requests = {"cpu": 1, resource: count} if resource else {"cpu": 1}
    for asked, number in requests.items():
        one = {**labels, "container": "main", "node": on, "resource": asked}
        made[labelled("kube_pod_container_resource_requests", **one)] = f"{number}x{minutes}"
    return made


def claiming(name, phase="Running", minutes=120):
    """A pod with a claim: it asks for no resource."""
    claim = {"claim_name": "gpu", "resourceclaim_name": f"{name}-gpu", "resourceclaim_template_name": "gpu"}
    labels = {"namespace": "team", "pod": name, "uid": f"uid-{name}"}
    return {
        **pod(name, "", resource=None, phase=phase, minutes=minutes),
        labelled("kube_pod_resourceclaim_info", **labels, **claim): f"1x{minutes}",
    }


def of_pod(metric, name, values, **labels):
    """One more series of a pod."""
    return {labelled(metric, namespace="team", pod=name, uid=f"uid-{name}", **labels): values}
