"""An engine on the port of one that was killed is heard at once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc
from pulumi.runtime.settings import Settings

from eks_accelerators.simulator import grpc_channels
from tests.ports import nobody_listens


class Heard(engine_pb2_grpc.EngineServicer):
    """An engine that takes every message."""

    def Log(self, request, context):  # noqa: N802  (as the protocol calls it)
        return empty_pb2.Empty()


def by_the_sdk(address):
    grpc_channels.separate_those_of_the_sdk()
    return Settings("project", "stack", engine=address).engine


def by_ourselves(address):
    return engine_pb2_grpc.EngineStub(grpc_channels.channel(address))


@pytest.mark.parametrize("connected", [by_the_sdk, by_ourselves])
def test_an_engine_on_the_port_of_a_dead_one_is_heard(connected):
    message = engine_pb2.LogRequest(message="Hello")
    with nobody_listens(shared=True) as address:
        dead = connected(address)
        with suppress(grpc.RpcError):
            dead.Log(message)

        engine = grpc.server(ThreadPoolExecutor(1))
        engine_pb2_grpc.add_EngineServicer_to_server(Heard(), engine)
        engine.add_insecure_port(address)
        engine.start()
        try:
            assert connected(address).Log(message) == empty_pb2.Empty()
        finally:
            engine.stop(None)
