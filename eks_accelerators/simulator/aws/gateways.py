"""Gateways of a VPC, where moto lets happen what AWS refuses, or keeps what AWS gives back."""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.operations import operations_of
from eks_accelerators.simulator.aws.refusals import ApiRefusal
from eks_accelerators.simulator.chapters import Chapter

operation = operations_of(
    Chapter(
        __doc__,
        source=(
            "EC2 API (botocore 1.44.5); the refusals in AWS's words: binlab/terraform-aws-vault-ha-raft issue 54 (a "
            "second internet gateway), eksctl-io/eksctl issue 2510 (a second gateway endpoint); read 2026-11-21."
        ),
    )
)

SECOND_GATEWAY = ApiRefusal("InvalidParameterValue", "Network {vpc} already has an internet gateway attached")
SECOND_ROUTE = ApiRefusal(
    "RouteAlreadyExists", "route table {table} already has a route with destination-prefix-list-id {prefix_list}"
)
ADDRESS_TAKEN = ApiRefusal("Resource.AlreadyAssociated", "Elastic IP address [{address}] is already associated")


@operation("ec2", "attach_internet_gateway", refusals=(SECOND_GATEWAY,))
def attach_internet_gateway(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Attach it to a VPC that has none yet."""
    vpc = parameters["VpcId"]
    filters = [{"Name": "attachment.vpc-id", "Values": [vpc]}]
    if account.moto("ec2", "describe_internet_gateways", {"Filters": filters})["InternetGateways"]:
        raise SECOND_GATEWAY(vpc=vpc)
    return account.moto("ec2", "attach_internet_gateway", parameters)


@operation("ec2", "create_vpc_endpoint", refusals=(SECOND_ROUTE,))
def create_vpc_endpoint(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create it; a route table leads to a service by one gateway endpoint."""
    filters = [{"Name": "service-name", "Values": [parameters["ServiceName"]]}]
    made = account.moto("ec2", "describe_vpc_endpoints", {"Filters": filters})["VpcEndpoints"]
    there = {each["VpcEndpointId"] for each in made if each["State"] != "deleted"}
    tables = parameters.get("RouteTableIds", [])
    found = account.moto("ec2", "describe_route_tables", {"RouteTableIds": tables})["RouteTables"] if tables else []
    for table in found:
        for route in table["Routes"]:
            if route.get("GatewayId") in there:
                raise SECOND_ROUTE(table=table["RouteTableId"], prefix_list=route["DestinationPrefixListId"])
    return account.moto("ec2", "create_vpc_endpoint", parameters)


@operation("ec2", "create_nat_gateway", refusals=(ADDRESS_TAKEN,))
def create_nat_gateway(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create it with an address that is free. AWS says otherwise a little later, and has a failed gateway for an hour."""
    listed = [parameters["AllocationId"]] if "AllocationId" in parameters else []
    for taken in account.moto("ec2", "describe_addresses", {"AllocationIds": listed})["Addresses"] if listed else []:
        if "AssociationId" in taken:
            raise ADDRESS_TAKEN(address=taken["AllocationId"])
    return account.moto("ec2", "create_nat_gateway", parameters)


@operation("ec2", "delete_nat_gateway")
def delete_nat_gateway(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Delete it, and leave its address to the next."""
    found = account.moto("ec2", "describe_nat_gateways", {"NatGatewayIds": [parameters["NatGatewayId"]]})
    lives = [gateway for gateway in found["NatGateways"] if gateway["State"] != "deleted"]
    answer = account.moto("ec2", "delete_nat_gateway", parameters)
    for address in (address for gateway in lives for address in gateway["NatGatewayAddresses"]):
        taken = account.moto("ec2", "describe_addresses", {"AllocationIds": [address["AllocationId"]]})["Addresses"]
        for each in taken:
            account.moto("ec2", "disassociate_address", {"AssociationId": each["AssociationId"]})
        account.moto("ec2", "delete_network_interface", {"NetworkInterfaceId": address["NetworkInterfaceId"]})
    return answer
