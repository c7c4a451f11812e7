"""The gRPC servers of the providers, all in this process."""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
from pulumi.runtime.proto import provider_pb2_grpc

from eks_accelerators.simulator.providers.server import ProviderServer

_WORKERS = 64
_GRACE_SECONDS = 1
_LARGEST_MESSAGE = 400 * 1024 * 1024
"""As the engine's own limit. Source: Pulumi SDK `runtime/settings.py`."""


@contextmanager
def serving(providers: Mapping[str, ProviderServer]) -> Iterator[str]:
    """Inside, the providers listen on free ports of 127.0.0.1; gives the value of PULUMI_DEBUG_PROVIDERS."""
    pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="provider")
    servers, listening = [], []
    try:
        for name, provider in providers.items():
            server = grpc.server(
                pool,
                options=[
                    ("grpc.max_receive_message_length", _LARGEST_MESSAGE),
                    ("grpc.max_send_message_length", _LARGEST_MESSAGE),
                    ("grpc.so_reuseport", 0),
                ],
            )
            provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server)
            port = server.add_insecure_port("127.0.0.1:0")
            server.start()
            servers.append(server)
            listening.append(f"{name}:{port}")
        yield ",".join(listening)
    finally:
        for server in servers:
            server.stop(_GRACE_SECONDS)
        pool.shutdown(wait=False, cancel_futures=True)
