from eks_accelerators.accelerators.autoscaler import node_template_tags
from eks_accelerators.accelerators.scheduling import Taint


def test_tags_describe_a_node_that_is_not_there_yet():
    tags = node_template_tags({"team": "ml"}, [Taint("nvidia.com/gpu", "true", "NoSchedule")], {"nvidia.com/gpu": 4})

    assert tags == {
        "k8s.io/cluster-autoscaler/node-template/label/team": "ml",
        "k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu": "true:NoSchedule",
        "k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu": "4",
    }


def test_a_group_without_anything_has_no_tags():
    assert node_template_tags({}, [], {}) == {}
