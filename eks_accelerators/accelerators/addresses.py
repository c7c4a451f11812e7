"""Ranges of addresses from which nobody comes."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_EXAMPLES = [ip_network(r) for r in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")]
"""Source: RFC 5737, RFC 3849."""
_INSIDE = [
    ip_network(r)
    for r in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16")
] + [ip_network(r) for r in ("fc00::/7", "fe80::/10", "::1/128")]
"""Source: RFC 1918, RFC 6598, RFC 1122, RFC 3927, RFC 4193, RFC 4291."""


def is_for_examples(network: Network) -> bool:
    """Whether all of ``network`` is reserved for documentation."""
    return any(network.version == each.version and network.subnet_of(each) for each in _EXAMPLES)  # type: ignore[arg-type]


def is_inside(address: Address) -> bool:
    """Whether ``address`` is that of a network's inside, which the internet never sees."""
    return any(address in each for each in _INSIDE)
