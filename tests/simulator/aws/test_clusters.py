"""The control plane: what EKS refuses, how it changes, its add-ons and who may use it."""

import pytest

from eks_accelerators.accelerators import addon_versions
from eks_accelerators.simulator.aws.errors import AwsError
from tests.simulator.aws.accounts import CLUSTER, VERSION, furnish, opened, refused, role

PARAMETER, REQUEST = "InvalidParameterException", "InvalidRequestException"
GROUP = {"clusterName": CLUSTER, "nodegroupName": "gpu"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("account")) as aws:
        yield furnish(aws)


@pytest.fixture
def cluster(place):
    """A second cluster, for one test."""
    name = f"other-{place.aws.calls}"
    make(place, name=name)
    yield name
    place.aws.state.clusters[name].described["deletionProtection"] = False
    place.aws.call("eks", "delete_cluster", name=name)


def make(place, **changes):
    wanted = {
        "name": "other",
        "roleArn": place.role,
        "resourcesVpcConfig": {"subnetIds": list(place.subnets.values())},
        **changes,
    }
    return place.aws.call("eks", "create_cluster", **wanted)["cluster"]


def described(place, name=CLUSTER):
    return place.aws.call("eks", "describe_cluster", name=name)["cluster"]


def change(place, name, **changes):
    place.aws.call("eks", "update_cluster_config", name=name, **changes)
    return described(place, name)


def network(place, *zones, **endpoint):
    return {"resourcesVpcConfig": {"subnetIds": [place.subnets[zone] for zone in zones], **endpoint}}


@pytest.mark.parametrize(
    ("changes", "zones", "endpoint", "code", "words"),
    [
        pytest.param(
            {}, "a", {}, PARAMETER, "Subnets specified must be in at least two different AZs", id="facts-68-one-zone"
        ),
        pytest.param(
            {"roleArn": "arn:aws:iam::111122223333:role/nobody"},
            "ab",
            {},
            PARAMETER,
            "Role with arn: arn:aws:iam::111122223333:role/nobody, could not be assumed",
            id="no-such-role",
        ),
        pytest.param(
            {"version": "1.19"}, "ab", {}, PARAMETER, "unsupported Kubernetes version 1.19", id="facts-29-old"
        ),
        pytest.param({"version": "2.0"}, "ab", {}, PARAMETER, "unsupported Kubernetes version 2.0", id="unheard-of"),
        pytest.param(
            {},
            "ab",
            {"endpointPublicAccess": False, "endpointPrivateAccess": False},
            PARAMETER,
            "Both private and public endpoint access cannot be false",
            id="nobody-reaches-it",
        ),
        pytest.param(
            {},
            "ab",
            {"endpointPublicAccess": False, "endpointPrivateAccess": True, "publicAccessCidrs": ["10.0.0.0/8"]},
            PARAMETER,
            "publicAccessCidrs can only be given with public access",
            id="ranges-of-a-closed-endpoint",
        ),
    ],
)
def test_creations_that_eks_refuses(place, changes, zones, endpoint, code, words):
    wanted = {"name": "other", "roleArn": place.role, **network(place, *(f"us-east-2{z}" for z in zones), **endpoint)}

    assert refused(place, "create_cluster", {**wanted, **changes}) == (code, words)


def test_a_name_is_given_once(place):
    code, words = refused(
        place, "create_cluster", {"name": CLUSTER, "roleArn": place.role, **network(place, *place.subnets)}
    )

    assert (code, words) == ("ResourceInUseException", f"Cluster already exists with name: {CLUSTER}")


def test_what_a_new_cluster_is(place, cluster):
    found = described(place, cluster)

    assert {
        key: found[key] for key in ("version", "status", "accessConfig", "upgradePolicy", "deletionProtection")
    } == {
        "version": "1.35",
        "status": "ACTIVE",
        "accessConfig": {"authenticationMode": "CONFIG_MAP"},
        "upgradePolicy": {"supportType": "EXTENDED"},
        "deletionProtection": False,
    }
    (group,) = place.aws.call(
        "ec2", "describe_security_groups", GroupIds=[found["resourcesVpcConfig"]["clusterSecurityGroupId"]]
    )["SecurityGroups"]
    assert group["GroupName"].startswith(f"eks-cluster-sg-{cluster}-")
    assert (group["VpcId"], found["resourcesVpcConfig"]["vpcId"]) == (place.vpc, place.vpc)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({}, "Only one type of update is allowed per call", id="none"),
        pytest.param(
            {"deletionProtection": True, "upgradePolicy": {"supportType": "STANDARD"}},
            "Only one type of update is allowed per call",
            id="two-at-once",
        ),
        pytest.param(
            {"resourcesVpcConfig": {"endpointPublicAccess": False}},
            "Both private and public endpoint access cannot be false",
            id="nobody-reaches-it",
        ),
        pytest.param(
            {"resourcesVpcConfig": {"endpointPublicAccess": True}},
            "Cluster is already at the desired configuration with endpointPrivateAccess: false , endpointPublicAccess: "
            "true, and Public Endpoint Restrictions: [0.0.0.0/0]",
            id="nothing-changes",
        ),
        pytest.param(
            {"logging": {"clusterLogging": [{"types": ["api"], "enabled": False}]}},
            "No changes needed for the logging config provided",
            id="no-other-logs",
        ),
        pytest.param(
            {"accessConfig": {"authenticationMode": "CONFIG_MAP"}},
            "Unsupported authentication mode update from CONFIG_MAP to CONFIG_MAP",
            id="same-way-in",
        ),
    ],
)
def test_changes_that_eks_refuses(place, cluster, changes, words):
    assert refused(place, "update_cluster_config", {"name": cluster, **changes}) == (PARAMETER, words)


def test_changes_one_after_the_other(place, cluster):
    private = change(place, cluster, resourcesVpcConfig={"endpointPublicAccess": False, "endpointPrivateAccess": True})
    assert private["resourcesVpcConfig"]["endpointPublicAccess"] is False
    fewer = change(place, cluster, resourcesVpcConfig={"subnetIds": list(place.subnets.values())[:2]})
    assert len(fewer["resourcesVpcConfig"]["subnetIds"]) == 2
    assert fewer["resourcesVpcConfig"]["endpointPrivateAccess"] is True

    logs = [{"types": ["api", "audit"], "enabled": True}]
    assert change(place, cluster, logging={"clusterLogging": logs})["logging"]["clusterLogging"] == logs
    off = change(place, cluster, logging={"clusterLogging": [{"types": ["audit"], "enabled": False}]})
    assert off["logging"]["clusterLogging"] == [{"types": ["api"], "enabled": True}]

    assert change(place, cluster, accessConfig={"authenticationMode": "API"})["accessConfig"] == {
        "authenticationMode": "API"
    }
    with pytest.raises(AwsError, match="Unsupported authentication mode update from API to CONFIG_MAP"):
        change(place, cluster, accessConfig={"authenticationMode": "CONFIG_MAP"})


def test_subnets_stay_in_the_vpc(place, cluster):
    aws = place.aws
    other = aws.call("ec2", "create_vpc", CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    elsewhere = [
        aws.call("ec2", "create_subnet", VpcId=other, CidrBlock=f"10.9.{index}.0/24", AvailabilityZone=zone)["Subnet"][
            "SubnetId"
        ]
        for index, zone in enumerate(place.subnets)
    ]

    assert refused(
        place, "update_cluster_config", {"name": cluster, "resourcesVpcConfig": {"subnetIds": elsewhere}}
    ) == (
        PARAMETER,
        f"Subnets specified must be in the VPC {place.vpc}",
    )


@pytest.mark.parametrize(
    ("version", "words"),
    [
        pytest.param("1.37", "Unsupported Kubernetes minor version update from 1.35 to 1.37", id="two-steps"),
        pytest.param("1.35", "Unsupported Kubernetes minor version update from 1.35 to 1.35", id="no-step"),
        pytest.param("1.34", "Unsupported Kubernetes minor version update from 1.35 to 1.34", id="back"),
        pytest.param("1.38", "unsupported Kubernetes version 1.38", id="not-out-yet"),
    ],
)
def test_versions_that_eks_refuses(place, cluster, version, words):
    assert refused(place, "update_cluster_version", {"name": cluster, "version": version}) == (PARAMETER, words)


def test_a_cluster_with_node_groups_stays(place):
    place.create()
    assert refused(place, "delete_cluster", {"name": CLUSTER}) == (
        "ResourceInUseException",
        "Cluster has nodegroups attached",
    )
    place.delete()


def test_a_protected_cluster_stays(place, cluster):
    change(place, cluster, deletionProtection=True)

    assert refused(place, "delete_cluster", {"name": cluster}) == (
        REQUEST,
        "The cluster has deletion protection enabled",
    )


def test_a_cluster_takes_its_security_group_along(place):
    group = make(place, name="short-lived")["resourcesVpcConfig"]["clusterSecurityGroupId"]
    place.aws.call("eks", "delete_cluster", name="short-lived")

    assert refused(place, "describe_cluster", {"name": "short-lived"}) == (
        "ResourceNotFoundException",
        "No cluster found for name: short-lived.",
    )
    assert refused(place, "describe_security_groups", {"GroupIds": [group]}, "ec2")[0] == "InvalidGroup.NotFound"


def nodes(place, **changes):
    """Describe the node group after changes of its configuration."""
    place.aws.call("eks", "update_nodegroup_config", **GROUP, **changes)
    return place.group()


TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}


def test_configuration_of_nodes_changes_in_place(place):
    made = place.create(labels={"team": "ml", "old": "yes"}, taints=[TAINT])
    instances = [instance.id for instance in place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances]

    labelled = nodes(place, labels={"addOrUpdateLabels": {"team": "ai", "new": "yes"}, "removeLabels": ["old"]})
    assert labelled["labels"] == {"team": "ai", "new": "yes"}
    retainted = nodes(place, taints={"addOrUpdateTaints": [{**TAINT, "value": "present"}]})
    assert retainted["taints"] == [{**TAINT, "value": "present"}]
    assert nodes(place, taints={"removeTaints": [{**TAINT, "value": "present"}]})["taints"] == []
    assert nodes(place, scalingConfig={"desiredSize": 2})["scalingConfig"] == {
        **made["scalingConfig"],
        "desiredSize": 2,
    }
    assert nodes(place, updateConfig={"maxUnavailable": 1})["updateConfig"] == {"maxUnavailable": 1}
    now = [instance.id for instance in place.aws.state.clusters[CLUSTER].node_groups["gpu"].scaling.instances]
    assert now[:1] == instances
    place.delete()


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        pytest.param({"minSize": 2}, "Minimum capacity 2 can't be greater than desired size 1", id="facts-67-min"),
        pytest.param({"desiredSize": 3}, "Desired size 3 can't be greater than maximum capacity 2", id="facts-67-max"),
    ],
)
def test_sizes_that_do_not_fit_change_nothing_else(place, sizes, words):
    place.create()
    wanted = {**GROUP, "scalingConfig": sizes, "labels": {"addOrUpdateLabels": {"team": "ml"}}}

    assert refused(place, "update_nodegroup_config", wanted) == (PARAMETER, words)
    place.delete()


ADDON = {"clusterName": CLUSTER, "addonName": "coredns"}


def addon(place, operation, **changes):
    place.aws.call("eks", operation, **ADDON, **changes)
    return place.aws.call("eks", "describe_addon", **ADDON)["addon"]


def test_an_addon_with_pods_waits_for_a_node_without_taints(place):
    assert addon(place, "create_addon")["status"] == "DEGRADED"
    place.create(taints=[TAINT])
    degraded = place.aws.call("eks", "describe_addon", **ADDON)["addon"]
    assert degraded["health"]["issues"] == [
        {
            "code": "InsufficientNumberOfReplicas",
            "message": "The add-on is unhealthy because it has no running replica",
        }
    ]

    place.create(nodegroupName="system", instanceTypes=["m7i.large"], amiType="AL2023_x86_64_STANDARD")
    assert addon(place, "update_addon", configurationValues='{"replicaCount": 3}') | {"addonArn": ""} == {
        "addonName": "coredns",
        "clusterName": CLUSTER,
        "addonVersion": addon_versions.default("coredns", VERSION),
        "addonArn": "",
        "configurationValues": '{"replicaCount": 3}',
        "podIdentityAssociations": [],
        "tags": {},
        "status": "ACTIVE",
        "health": {"issues": []},
    }
    for name in ("gpu", "system"):
        place.delete(name)
    place.aws.call("eks", "delete_addon", **ADDON)


@pytest.mark.parametrize(
    ("operation", "parameters", "code", "words"),
    [
        pytest.param(
            "create_addon",
            {"addonName": "vpc-cni"},
            "ResourceInUseException",
            "Addon already exists.",
            id="there-already",
        ),
        pytest.param(
            "describe_addon",
            {"addonName": "coredns"},
            "ResourceNotFoundException",
            "No addon: coredns found in cluster: ml",
            id="not-there",
        ),
        pytest.param(
            "create_addon",
            {
                "addonName": "coredns",
                "podIdentityAssociations": [{"serviceAccount": "coredns", "roleArn": "arn:aws:iam::1:role/nobody"}],
            },
            PARAMETER,
            "Role arn:aws:iam::1:role/nobody does not exist",
            id="role-of-nobody",
        ),
        pytest.param(
            "associate_access_policy",
            {"principalArn": "nobody", "policyArn": "AmazonEKSViewPolicy", "accessScope": {"type": "cluster"}},
            "ResourceNotFoundException",
            "The specified principalArn could not be found.",
            id="policy-for-nobody",
        ),
    ],
)
def test_what_eks_refuses_of_addons_and_access(place, operation, parameters, code, words):
    assert refused(place, operation, {"clusterName": CLUSTER, **parameters}) == (code, words)


def test_entries_and_their_policies(place):
    aws, person = place.aws, role(place.aws, "person", "ec2.amazonaws.com")
    entry = {"clusterName": CLUSTER, "principalArn": person}
    aws.call("eks", "create_access_entry", **entry)
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    scope = {"type": "namespace", "namespaces": ["llm"]}
    aws.call("eks", "associate_access_policy", **entry, policyArn=policy, accessScope=scope)

    assert aws.call("eks", "list_associated_access_policies", **entry)["associatedAccessPolicies"] == [
        {"policyArn": policy, "accessScope": scope}
    ]
    assert refused(place, "create_access_entry", entry) == (
        "ResourceInUseException",
        "The specified access entry resource is already in use.",
    )
    unknown = {**entry, "policyArn": policy.replace("View", "Look"), "accessScope": {"type": "cluster"}}
    assert refused(place, "associate_access_policy", unknown) == (
        "ResourceNotFoundException",
        f"The policy {policy.replace('View', 'Look')} does not exist",
    )
    nowhere = {**entry, "policyArn": policy, "accessScope": {"type": "namespace"}}
    assert refused(place, "associate_access_policy", nowhere)[0] == PARAMETER
    aws.call("eks", "delete_access_entry", **entry)
    assert refused(place, "list_associated_access_policies", entry)[0] == "ResourceNotFoundException"


def test_a_cluster_of_config_maps_takes_no_entries(place, cluster):
    entry = {"clusterName": cluster, "principalArn": place.role}

    assert refused(place, "create_access_entry", entry) == (
        REQUEST,
        "The cluster's authentication mode must be set to API",
    )


def test_tags_of_all_that_is_in_eks(place):
    made = place.create(tags={"owner": "me"})
    arn = made["nodegroupArn"]
    place.aws.call("eks", "tag_resource", resourceArn=arn, tags={"team": "ml"})
    place.aws.call("eks", "untag_resource", resourceArn=arn, tagKeys=["owner", "never-there"])

    assert place.group()["tags"] == {"team": "ml"}
    assert (
        refused(place, "tag_resource", {"resourceArn": "arn:aws:eks:::nothing", "tags": {}})[0] == "NotFoundException"
    )
    place.delete()
