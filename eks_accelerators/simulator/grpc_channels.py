"""Connections to an engine that know nothing of the engines before.

gRPC keeps the connections of a process by address, and remembers for up to two minutes that nobody answered at one. An
engine that is given the port of one that was killed would be taken for dead. Source: gRPC Core,
`grpc.use_local_subchannel_pool` and connection backoff, read 2026-11-21.
"""

import grpc
from pulumi.runtime import _grpc_settings

_OWN_CONNECTIONS = ("grpc.use_local_subchannel_pool", 1)


def channel(address: str) -> grpc.Channel:
    """A channel that shares its connection with no other."""
    return grpc.insecure_channel(address, options=[_OWN_CONNECTIONS])


def separate_those_of_the_sdk() -> None:
    """The same for the channels that the SDK opens for a program. It has no setting for that, and one list of options."""
    if _OWN_CONNECTIONS not in _grpc_settings._GRPC_CHANNEL_OPTIONS:
        _grpc_settings._GRPC_CHANNEL_OPTIONS.append(_OWN_CONNECTIONS)
