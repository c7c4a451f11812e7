"""Ranges of addresses in CIDR notation."""

import ipaddress


def enclosing(text: str) -> str | None:
    """The range that ``text`` lies in, with the network's own address: `10.0.0.0/16` for `10.0.1.0/16`; None for no range."""
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return None
