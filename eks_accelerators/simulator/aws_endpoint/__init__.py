"""The open simulated account behind a port of this machine, for programs with an AWS SDK of their own."""

from eks_accelerators.simulator.aws_endpoint.server import AwsEndpoint

__all__ = ["AwsEndpoint"]
