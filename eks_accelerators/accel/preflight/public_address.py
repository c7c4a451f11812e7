"""The option `--my-address` of `accel preflight`."""

from ipaddress import ip_address

import typer

from eks_accelerators.accelerators.addresses import is_inside


def public_address(address: str | None) -> str | None:
    """The address where it is one; raises `BadParameter` where it is none, or none that the internet sees."""
    if address is None:
        return None
    try:
        found = ip_address(address)
    except ValueError:
        raise typer.BadParameter(f"{address!r} is no IP address", param_hint="--my-address") from None
    if is_inside(found):
        message = f"{address} is an address inside your network; give the one that the internet sees"
        raise typer.BadParameter(message, param_hint="--my-address")
    return address
