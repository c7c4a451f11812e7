"""What a simulation holds: its account, its cluster and the engine's state, so that two of them can be compared.

Names and IDs that are made up stand for what they belong to: `<aws:ec2/vpc:Vpc eks-accelerators-prod>`.
"""

import base64
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.kubernetes.api import Api
from eks_accelerators.simulator.providers.aws_provider import identity
from eks_accelerators.simulator.providers.wire import SIGNATURE
from eks_accelerators.simulator.simulation import Simulation
from tests.simulator.crashes.stacks import PROJECT, STACK

Contents = dict[str, list[str]]
"""Descriptions by kind of thing, sorted; the same twice is two of them."""

_OWN_NAMES = ("name", "namePrefix", "nodeGroupName", "arn", "publicIp", "latestVersion")
_GENERATED = re.compile(
    r"\b(acl|dopt|eipassoc|eni|i|igw|lt|nat|pg|pl|rtb|rtbassoc|sg|sgr|subnet|terraform|vpc|vpce)-[0-9a-f]{8,32}\b"
)
_UID = re.compile(r'(-uid": )"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"')
"""By which a Job knows its pods."""
_VERSION = re.compile(
    r'("(?:DefaultVersion|DefaultVersionNumber|LatestVersionNumber|VersionNumber|version)": |>\.v)'
    r'(?:"\d+"|\d+|true|false)(?![\w.])'
)
_VOLATILE = frozenset(
    {
        "AlarmConfigurationUpdatedTimestamp",
        "AssociationId",
        "CreateDate",
        "CreateTime",
        "CreationTimestamp",
        "DryRun",
        "LastLaunch",
        "NetworkInterfaceIds",
        "PrivateIp",
        "PrivateIpAddress",
        "PublicIp",
        "RoleId",
        "RoleLastUsed",
        "StateReasonData",
        "StateTransitionedTimestamp",
        "StateUpdatedTimestamp",
        "activities",
        "instances",
        "launched",
    }
)
_METADATA = ("creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid")
_BY_OTHERS = frozenset(
    {"ControllerRevision", "Endpoints", "EndpointSlice", "Event", "IPAddress", "Lease", "Node", "Pod", "ReplicaSet"}
    | {"PersistentVolume", "VolumeAttachment"}
)
"""Kinds that controllers write at their leisure. Nodes are counted with the instances of the account."""
_OF_EVERY_CLUSTER = ("kube-root-ca.crt", "kubernetes", "extension-apiserver-authentication")
_ADDRESSES = ("clusterIP", "clusterIPs")


def contents(simulation: Simulation) -> Contents:
    """Everything that a run could leave otherwise than another."""
    deployment = simulation.engine.state(PROJECT, STACK)
    names = _Names(deployment, simulation.account)
    found: dict[str, list[Any]] = {f"state {key}": value for key, value in _state(deployment).items()}
    found |= _account(simulation.account)
    if simulation.kubelets:
        simulation.settle()
        found |= _cluster(simulation.cluster.api)
    return {kind: sorted(names.said(each) for each in listed) for kind, listed in found.items() if listed}


def differences(one: Contents, other: Contents) -> list[str]:
    """What one of them has more of, line by line."""
    lines = []
    for kind in sorted({*one, *other}):
        mine, theirs = list(one.get(kind, [])), list(other.get(kind, []))
        for each in list(mine):
            if each in theirs:
                mine.remove(each)
                theirs.remove(each)
        lines += [f"- {kind}: {each}" for each in mine] + [f"+ {kind}: {each}" for each in theirs]
    return lines


def but_for_versions(there: Contents) -> Contents:
    """Without the numbers of versions: what is changed twice alike has one more of them."""
    return {kind: sorted({_VERSION.sub(r"\1<number>", line) for line in listed}) for kind, listed in there.items()}


def pending(simulation: Simulation) -> list[tuple[str, str]]:
    """What the engine knows as begun and not as ended: kind of operation and URN."""
    operations = simulation.engine.state(PROJECT, STACK).get("pending_operations") or []
    return [(each["type"], each["resource"]["urn"]) for each in operations]


class _Names:
    """What generated names and IDs stand for."""

    def __init__(self, deployment: Mapping[str, Any], account: Account) -> None:
        known: dict[str, str] = {}
        for resource in sorted(
            deployment.get("resources", []), key=lambda each: (each["urn"], each.get("delete", False))
        ):
            if not resource.get("custom"):
                continue
            what = " ".join(identity(resource["urn"]))
            for part in _own(resource):
                known.setdefault(part, f"<{what}>")
        for group in account.state.scaling_groups():
            known[group.name] = f"<scaling group of {group.name.rsplit('-', 5)[0]}>"
        # The longest first: an ARN holds a name.
        self._known = sorted(known.items(), key=lambda item: -len(item[0]))

    def said(self, what: Any) -> str:
        """A description with the names replaced."""
        text = json.dumps(what, sort_keys=True, default=str)
        for made_up, meant in self._known:
            text = text.replace(made_up, meant)
        text = _UID.sub(r'\1"<some UID>"', _GENERATED.sub(r"<some \1>", text))
        return json.dumps(_in_order(json.loads(text)), sort_keys=True)


def _own(resource: Mapping[str, Any]) -> Iterator[str]:
    """Names that were made up for the resource: its ID, and what has digits of its own in it."""
    name = resource["urn"].rpartition("::")[2]
    candidates = [resource.get("id"), *(resource.get("outputs", {}).get(key) for key in _OWN_NAMES)]
    metadata = resource.get("inputs", {}).get("metadata")
    candidates.append(metadata.get("name") if isinstance(metadata, dict) else None)
    for each in candidates:
        if isinstance(each, str) and len(each) > 7 and re.search(r"[0-9a-f]{7}|[0-9.]{7}", each) and each != name:
            yield each


def _state(deployment: Mapping[str, Any]) -> dict[str, list[Any]]:
    kept = (
        "urn",
        "custom",
        "type",
        "inputs",
        "parent",
        "dependencies",
        "provider",
        "protect",
        "delete",
        "retainOnDelete",
    )
    resources = []
    for resource in deployment.get("resources", []):
        described = {key: resource[key] for key in kept if resource.get(key)}
        described["dependencies"] = sorted(resource.get("dependencies") or [])
        resources.append(_without_ciphers(described))
    return {"resources": resources}


def _without_ciphers(value: Any) -> Any:
    if isinstance(value, dict):
        return "<secret>" if SIGNATURE in value else {key: _without_ciphers(item) for key, item in value.items()}
    return [_without_ciphers(item) for item in value] if isinstance(value, list) else value


def _account(account: Account) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {**_network(account), **_eks(account), **_rest(account)}
    return {kind: [_plain(each) for each in listed] for kind, listed in found.items()}


def _network(account: Account) -> dict[str, list[Any]]:
    ec2 = account.backend.client("ec2")
    vpcs = [each for each in ec2.describe_vpcs()["Vpcs"] if not each["IsDefault"]]
    ours = {each["VpcId"] for each in vpcs}
    of_ours = [{"Name": "vpc-id", "Values": sorted(ours) or ["none"]}]
    groups = ec2.describe_security_groups(Filters=of_ours)["SecurityGroups"]
    templates = ec2.describe_launch_templates()["LaunchTemplates"]
    return {
        "vpc": vpcs,
        "subnet": ec2.describe_subnets(Filters=of_ours)["Subnets"],
        "route table": ec2.describe_route_tables(Filters=of_ours)["RouteTables"],
        "internet gateway": ec2.describe_internet_gateways()["InternetGateways"],
        "nat gateway": [each for each in ec2.describe_nat_gateways()["NatGateways"] if each["State"] != "deleted"],
        "address": ec2.describe_addresses()["Addresses"],
        "vpc endpoint": [
            each for each in ec2.describe_vpc_endpoints()["VpcEndpoints"] if each["State"].lower() != "deleted"
        ],
        "security group": groups,
        "launch template": templates,
        "launch template version": [
            version
            for template in templates
            for version in ec2.describe_launch_template_versions(LaunchTemplateId=template["LaunchTemplateId"])[
                "LaunchTemplateVersions"
            ]
        ],
    }


def _eks(account: Account) -> dict[str, list[Any]]:
    clusters = account.state.clusters.values()
    groups = [group for cluster in clusters for group in cluster.node_groups.values()]
    return {
        "cluster": [cluster.described for cluster in clusters],
        "cluster of moto": account.backend.client("eks").list_clusters()["clusters"],
        "add-on": [addon for cluster in clusters for addon in cluster.addons.values()],
        "access entry": [entry for cluster in clusters for entry in cluster.access_entries.values()],
        "access policy": [
            {"principal": principal, **policy}
            for cluster in clusters
            for principal, policies in cluster.policies.items()
            for policy in policies.values()
        ],
        "node group": [group.described for group in groups],
        "scaling group": [asdict(group.scaling) for group in groups],
        "instance": [
            {"group": group.scaling.name, "type": instance.instance_type, "zone": instance.zone}
            for group in groups
            for instance in group.scaling.instances
        ],
    }


def _rest(account: Account) -> dict[str, list[Any]]:
    iam, sns, events, cloudwatch = (account.backend.client(each) for each in ("iam", "sns", "events", "cloudwatch"))
    roles = iam.list_roles()["Roles"]
    topics = [each["TopicArn"] for each in sns.list_topics()["Topics"]]
    rules = events.list_rules()["Rules"]
    return {
        "role": [iam.get_role(RoleName=each["RoleName"])["Role"] for each in roles],
        "policy of a role": [
            {"role": each["RoleName"], **policy}
            for each in roles
            for policy in iam.list_attached_role_policies(RoleName=each["RoleName"])["AttachedPolicies"]
        ],
        "topic": [
            {
                **sns.get_topic_attributes(TopicArn=topic)["Attributes"],
                "tags": sns.list_tags_for_resource(ResourceArn=topic)["Tags"],
            }
            for topic in topics
        ],
        "subscription": sns.list_subscriptions()["Subscriptions"],
        "rule": [{**each, "tags": events.list_tags_for_resource(ResourceARN=each["Arn"])["Tags"]} for each in rules],
        "target": [target for each in rules for target in events.list_targets_by_rule(Rule=each["Name"])["Targets"]],
        "alarm": [
            {**each, "tags": cloudwatch.list_tags_for_resource(ResourceARN=each["AlarmArn"])["Tags"]}
            for each in cloudwatch.describe_alarms()["MetricAlarms"]
        ],
        "capacity block": [asdict(block) for block in account.state.blocks.values()],
        "offering": [asdict(offer) for offer in account.state.offerings.values()],
        "placement group": list(account.state.placement_groups.values()),
    }


def _plain(value: Any) -> Any:
    """Without what differs from run to run."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in _VOLATILE}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _in_order(value: Any) -> Any:
    """Lists of objects have no order in AWS."""
    if isinstance(value, dict):
        return {key: _in_order(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    items = [_in_order(item) for item in value]
    return (
        sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
        if isinstance((items or [0])[0], dict)
        else items
    )


def _cluster(api: Api) -> dict[str, list[Any]]:
    return {f"Kubernetes {kind}": listed for kind, listed in _objects(api)}


def _objects(api: Api) -> Iterable[tuple[str, list[Any]]]:
    for api_version, kind in api.kinds():
        if kind not in _BY_OTHERS:
            listed = api.list(api_version, kind)
            yield kind, [_object(each) for each in listed if not _is_of_others(each["metadata"])]


def _is_of_others(metadata: dict[str, Any]) -> bool:
    """Whether every cluster has the object, or it belongs to another one, whose controller makes it."""
    return metadata["name"] in _OF_EVERY_CLUSTER or "ownerReferences" in metadata


def _object(live: dict[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in live["metadata"].items() if key not in _METADATA}
    described = {**{key: value for key, value in live.items() if key != "status"}, "metadata": metadata}
    if live["kind"] == "Service":
        described["spec"] = {key: value for key, value in live["spec"].items() if key not in _ADDRESSES}
    if live.get("type") == "helm.sh/release.v1":
        packed = base64.b64decode(base64.b64decode(live["data"]["release"]))
        described["data"] = json.loads(gzip.decompress(packed))
    return described
