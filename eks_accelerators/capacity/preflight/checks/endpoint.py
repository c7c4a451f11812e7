"""The Kubernetes API: whether it can be reached from where this runs."""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from eks_accelerators.accelerators.addresses import is_for_examples
from eks_accelerators.capacity.aws_calls import Answer, Call
from eks_accelerators.capacity.aws_calls.call import CamelCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, not_known, ok, problem, warning
from eks_accelerators.settings.model.cluster import EndpointSettings

_PATH = "cluster.endpoint.publicAccessCidrs"
_WAITS = "`pulumi up` would wait minutes for it, and then fail to create what is in Kubernetes"
_FROM_INSIDE = (
    "run `pulumi up` inside the VPC or in a network that is connected with it, or write the range that you come from"
)


class Authority(CamelCase):
    """The certificate authority of a cluster, in Base64."""

    data: str


class Access(CamelCase):
    """Who reaches the Kubernetes API: `resourcesVpcConfig` of `DescribeCluster`."""

    endpoint_public_access: bool
    endpoint_private_access: bool
    public_access_cidrs: list[str] = []


class ClusterAnswer(CamelCase):
    """A cluster; one that is still being made has no endpoint."""

    endpoint: str | None = None
    certificate_authority: Authority | None = None
    resources_vpc_config: Access


def described(region: str, name: str) -> Call[ClusterAnswer]:
    """The call `DescribeCluster` for the cluster called ``name``."""
    return Call("eks", "describe_cluster", region, "cluster", ClusterAnswer, {"name": name})


@check("api-reachable", _PATH)
def api_reachable(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The Kubernetes API answers where this runs, or will do so once the cluster is there.

    From elsewhere `pulumi up` waits for it for minutes, and then everything in Kubernetes fails. A cluster that is there is
    tried: it answers, under a certificate that its own authority vouches for. For one that is yet to come, or gets other
    ranges, the caller's address is compared with the ranges: that of `--my-address`, or on EC2 the one in the instance
    metadata. AWS has no call that tells it, and nobody else is asked. An API without public access answers only inside its
    VPC and networks that are connected with it. Sources: EKS user guide `cluster-endpoint`; EKS DescribeCluster.
    """
    answer = inquiry.aws.ask(described(inquiry.region, inquiry.cluster_name))
    cluster = None if answer.refusal == "ResourceNotFoundException" else answer.value
    wanted = inquiry.settings.cluster.endpoint
    if cluster and cluster.endpoint and inquiry.reach and _is_as_wanted(cluster.resources_vpc_config, wanted):
        authority = cluster.certificate_authority.data if cluster.certificate_authority else ""
        yield _tried(cluster, inquiry.reach(cluster.endpoint, authority), answer)
    else:
        yield _compared(inquiry, wanted, answer)


def _is_as_wanted(access: Access, wanted: EndpointSettings) -> bool:
    """Whether the deployment leaves the cluster's access as it is."""
    public = set(access.public_access_cidrs) if access.endpoint_public_access else set()
    return (access.endpoint_private_access, public) == (wanted.private_access, set(wanted.public_access_cidrs))


def _tried(cluster: ClusterAnswer, why_not: str | None, answer: Answer[ClusterAnswer]) -> CheckFinding:
    host = urlsplit(cluster.endpoint or "").hostname
    if why_not is None:
        return ok(_PATH, f"the API answers here: {host}", answer)
    ranges = (
        cluster.resources_vpc_config.public_access_cidrs if cluster.resources_vpc_config.endpoint_public_access else []
    )
    found = f"the API does not answer here: {why_not} ({host}, open to {', '.join(ranges) or 'its VPC only'}); {_WAITS}"
    return problem(_PATH, found, "add the range that you come from" if ranges else _FROM_INSIDE, answer)


def _compared(inquiry: Inquiry, wanted: EndpointSettings, answer: Answer[ClusterAnswer]) -> CheckFinding:
    ranges, existing = wanted.public_access_cidrs, inquiry.settings.network.existing
    networks = [ip_network(each, strict=False) for each in ranges]
    here = inquiry.here
    if wanted.private_access and existing and here.vpc_id == existing.vpc_id:
        return ok(_PATH, f"you are in {existing.vpc_id}, where the API answers", answer)
    if not ranges:
        where = existing.vpc_id if existing else "the VPC that this deployment makes"
        return warning(_PATH, f"the API answers inside {where} only; from elsewhere {_WAITS}", _FROM_INSIDE, answer)
    if any(each.prefixlen == 0 for each in networks):
        return ok(_PATH, "the API is open to every address", answer)
    if all(map(is_for_examples, networks)):
        found = f"nobody comes from {', '.join(ranges)}, reserved for examples; {_WAITS}"
        return warning(_PATH, found, "write the range that you come from", answer)
    if here.address is None:
        found = f"the API answers to {', '.join(ranges)} only, and from which address you come is not known"
        fix = "add --my-address with the address that the internet sees: `curl https://checkip.amazonaws.com` prints it"
        return not_known(_PATH, found, fix, answer)
    if any(ip_address(here.address) in each for each in networks):
        return ok(_PATH, f"you come from {here.address} ({here.said_by}), to which the API answers", answer)
    found = f"you come from {here.address} ({here.said_by}), and the API answers to {', '.join(ranges)} only; {_WAITS}"
    return problem(_PATH, found, f"add {here.address}/{ip_address(here.address).max_prefixlen}, or its range", answer)
