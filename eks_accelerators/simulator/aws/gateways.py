"""Gateways of a VPC, where moto lets happen what AWS refuses, or keeps what AWS gives back.

Source: EC2 API (botocore 1.44.5); the refusals in AWS's words: binlab/terraform-aws-vault-ha-raft issue 54 (a second
internet gateway), eksctl-io/eksctl issue 2510 (a second gateway endpoint); read 2026-11-21.
"""

from typing import Any

from eks_accelerators.simulator.aws.backend import Backend
from eks_accelerators.simulator.aws.errors import AwsError
from eks_accelerators.simulator.aws.operations import operation


@operation("ec2", "attach_internet_gateway")
def attach_internet_gateway(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Attach it to a VPC that has none yet."""
    vpc = parameters["VpcId"]
    filters = [{"Name": "attachment.vpc-id", "Values": [vpc]}]
    if account.moto("ec2", "describe_internet_gateways", {"Filters": filters})["InternetGateways"]:
        raise AwsError("InvalidParameterValue", f"Network {vpc} already has an internet gateway attached")
    return account.moto("ec2", "attach_internet_gateway", parameters)


@operation("ec2", "create_vpc_endpoint")
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
                raise AwsError(
                    "RouteAlreadyExists",
                    f"route table {table['RouteTableId']} already has a route with destination-prefix-list-id "
                    f"{route['DestinationPrefixListId']}",
                )
    return account.moto("ec2", "create_vpc_endpoint", parameters)


@operation("ec2", "create_nat_gateway")
def create_nat_gateway(account: Backend, parameters: dict[str, Any]) -> dict[str, Any]:
    """Create it with an address that is free. AWS says otherwise a little later, and has a failed gateway for an hour."""
    listed = [parameters["AllocationId"]] if "AllocationId" in parameters else []
    for taken in account.moto("ec2", "describe_addresses", {"AllocationIds": listed})["Addresses"] if listed else []:
        if "AssociationId" in taken:
            raise AwsError(
                "Resource.AlreadyAssociated", f"Elastic IP address [{taken['AllocationId']}] is already associated"
            )
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
