"""Who asks, and whether the region is open to them."""

from collections.abc import Iterator

from eks_accelerators.accelerators.partitions import partition_of
from eks_accelerators.capacity.aws_calls import Call
from eks_accelerators.capacity.aws_calls.call import PascalCase
from eks_accelerators.capacity.preflight.inquiry import Inquiry
from eks_accelerators.capacity.preflight.registry import check
from eks_accelerators.capacity.preflight.result import CheckFinding, ok, problem, warning


class Region(PascalCase):
    """A region and whether the account has opted into it."""

    region_name: str
    opt_in_status: str


def caller(region: str) -> Call[str]:
    """The call `GetCallerIdentity`, of whose answer the ARN is read."""
    return Call("sts", "get_caller_identity", region, "Arn", str)


_HOMES = {"aws-us-gov": "us-gov-west-1", "aws-cn": "cn-north-1"}


def _regions(region: str) -> Call[list[Region]]:
    # Asked where every account may ask: a region that is not enabled answers nobody.
    home = _HOMES.get(partition_of(region), "us-east-1")
    return Call("ec2", "describe_regions", home, "Regions", list[Region], {"AllRegions": True, "RegionNames": [region]})


@check("caller-identity", "aws:region")
def caller_identity(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The credentials are valid, and belong to somebody. Source: STS GetCallerIdentity, which needs no permission."""
    answer = inquiry.aws.ask(caller(inquiry.region))
    yield ok("aws:region", f"you are {answer.value}", answer)


@check("region-enabled", "aws:region")
def region_enabled(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """The account may use the region. Source: `OptInStatus` of DescribeRegions."""
    answer = inquiry.aws.ask(_regions(inquiry.region))
    if answer.refusal == "InvalidParameterValue" or (answer.failure is None and not answer.value):
        yield problem("aws:region", f"there is no region {inquiry.region}", "name another region", answer)
        return
    status = answer.value[0].opt_in_status
    if status == "not-opted-in":
        fix = f"aws account enable-region --region-name {inquiry.region}, which takes minutes to hours"
        yield problem("aws:region", f"{inquiry.region} is not enabled in this account", fix, answer)
    else:
        yield ok("aws:region", f"{inquiry.region} is enabled ({status})", answer)


@check("zone-exists", "network")
def zone_exists(inquiry: Inquiry) -> Iterator[CheckFinding]:
    """Every zone of the network is there for this account, and in order. Source: DescribeAvailabilityZones."""
    answer = inquiry.zones()
    named = {name: zone for zone in answer.value for name in (zone.zone_name, zone.zone_id)}
    path = "network.create.zones" if inquiry.settings.network.create else "network.existing.privateSubnets"
    for name in inquiry.settings.network.zones:
        zone = named.get(name)
        if zone is None:
            there = ", ".join(f"{each.zone_name} ({each.zone_id})" for each in answer.value)
            yield problem(path, f"this account has no zone {name}", f"use some of {there}", answer)
        elif zone.state in ("impaired", "unavailable", "constrained"):
            yield warning(path, f"{zone.zone_name} ({zone.zone_id}) is {zone.state}", "use another zone", answer)
        else:
            yield ok(path, f"{zone.zone_name} is {zone.zone_id}", answer)
