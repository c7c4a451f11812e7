import pytest

from eks_accelerators.accelerators.endpoint_services import gateway_service, interface_service


@pytest.mark.parametrize(
    ("region", "service", "name"),
    [
        pytest.param("us-east-2", "ecr.api", "com.amazonaws.us-east-2.ecr.api", id="first-partition"),
        pytest.param("us-gov-west-1", "sts", "com.amazonaws.us-gov-west-1.sts", id="gov-cloud"),
        pytest.param("cn-north-1", "ecr.api", "cn.com.amazonaws.cn-north-1.ecr.api", id="china"),
        pytest.param("cn-northwest-1", "logs", "com.amazonaws.cn-northwest-1.logs", id="china-without-its-prefix"),
        pytest.param("eusc-de-east-1", "ecr.dkr", "eu.amazonaws.eusc-de-east-1.ecr.dkr", id="sovereign-cloud"),
    ],
)
def test_an_interface_endpoint_names_its_service_as_the_partition_does(region, service, name):
    assert interface_service(region, service) == name


def test_a_gateway_endpoint_has_one_name_everywhere():
    """S3 has both kinds, with different names in China."""
    assert gateway_service("cn-north-1", "s3") == "com.amazonaws.cn-north-1.s3"
    assert interface_service("cn-north-1", "s3") == "cn.com.amazonaws.cn-north-1.s3"
