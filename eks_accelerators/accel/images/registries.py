"""Which versions a registry has: OCI registries by the distribution API, Helm repositories by their index.

Sources: OCI distribution specification 1.1, "Listing tags"; Docker's token authentication, which OCI registries share;
helm.sh, "The chart repository guide". Read 2026-11-22.
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote, urlencode, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
import yaml

from eks_accelerators.accel.images.pins import Pin
from eks_accelerators.accelerators import yaml_limits

_HOSTS = {"docker.io": "registry-1.docker.io"}
"""Hosts that answer under another name than that of their images."""

_MOST_PAGES = 50
_PAGE = 1000
_TIMEOUT = urllib3.Timeout(connect=5, read=20)
_RETRIES = urllib3.Retry(2, connect=1, read=0, redirect=3, backoff_factor=0.5)
_Index = Mapping[str, Mapping[str, Sequence[Mapping[str, str]]]]
"""`entries` of a Helm repository: by chart, what is said of each version."""
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')


class RegistryError(Exception):
    """A registry that does not say which versions it has; the message says why, in one line."""


class SilentRegistryError(RegistryError):
    """It does not answer at all."""


class Registries:
    """Asks registries. ``addresses`` are those of hosts that have another than `https://` and their name."""

    def __init__(self, addresses: Mapping[str, str] | None = None) -> None:
        self._addresses = addresses or {}
        self._indexes: dict[str, _Index] = {}
        self._connections: dict[str | None, urllib3.PoolManager] = {}

    def versions(self, pin: Pin) -> Sequence[str]:
        """All versions of what is pinned. Raises `RegistryError`."""
        try:
            return self._charts(pin) if pin.is_helm_repository else self._tags(pin)
        except urllib3.exceptions.HTTPError as error:
            raise SilentRegistryError(f"{pin.registry} does not answer: {_reason(error)}") from None
        except (ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError):
            raise RegistryError(f"{pin.registry} answers with something that lists no versions of {pin.path}") from None

    def _charts(self, pin: Pin) -> list[str]:
        if pin.registry not in self._indexes:
            address = self._addresses.get(pin.registry, pin.registry)
            answer = self._get(f"{address}/index.yaml", {})
            self._indexes[pin.registry] = yaml_limits.load(answer.data.decode("utf-8"))
        return [str(each["version"]) for each in self._indexes[pin.registry]["entries"][pin.path]]

    def _tags(self, pin: Pin) -> list[str]:
        base = self._addresses.get(pin.registry) or f"https://{_HOSTS.get(pin.registry, pin.registry)}"
        url: str | None = f"{base}/v2/{pin.path}/tags/list?n={_PAGE}"
        headers: dict[str, str] = {}
        tags: list[str] = []
        for _ in range(_MOST_PAGES):
            if url is None:
                break
            answer = self._ask(url, headers)
            if answer.status == 401 and not headers:
                headers = {"Authorization": f"Bearer {self._token(answer.headers.get('WWW-Authenticate', ''))}"}
                answer = self._ask(url, headers)
            _refuse_failure(answer, url)
            tags += [str(tag) for tag in answer.json()["tags"]]
            url = _next(url, answer.headers.get("Link", ""))
        return tags

    def _token(self, challenge: str) -> str:
        """A token that everybody gets, from where the registry says."""
        asked = dict(_CHALLENGE.findall(challenge))
        realm = asked.pop("realm")
        answer = self._get(f"{realm}?{urlencode(asked)}", {})
        given = answer.json()
        return str(given.get("token") or given["access_token"])

    def _get(self, url: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        answer = self._ask(url, headers)
        _refuse_failure(answer, url)
        return answer

    def _ask(self, url: str, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        proxy = _proxy_of(url)
        if proxy not in self._connections:
            self._connections[proxy] = _connections(proxy)
        return self._connections[proxy].request("GET", url, headers=headers)


def _proxy_of(url: str) -> str | None:
    """The address of the proxy that the environment names for ``url``; None where it is asked directly."""
    asked = urlsplit(url)
    proxy = None if proxy_bypass(asked.netloc) else getproxies().get(asked.scheme)
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _connections(proxy: str | None) -> urllib3.PoolManager:
    if proxy is None:
        return urllib3.PoolManager(timeout=_TIMEOUT, retries=_RETRIES)
    user = urllib3.util.parse_url(proxy).auth
    headers = urllib3.make_headers(proxy_basic_auth=unquote(user)) if user else None
    return urllib3.ProxyManager(proxy, timeout=_TIMEOUT, retries=_RETRIES, proxy_headers=headers)


def _refuse_failure(answer: urllib3.BaseHTTPResponse, url: str) -> None:
    if answer.status != 200:
        raise RegistryError(f"{url.partition('?')[0]} answers with status {answer.status}")


def _next(url: str, link: str) -> str | None:
    """The next page, from the header `Link: </v2/...>; rel="next"`."""
    found = re.search(r'<([^>]*)>\s*;\s*rel="?next', link)
    return urljoin(url, found.group(1)) if found else None


def _reason(error: urllib3.exceptions.HTTPError) -> str:
    inner = getattr(error, "reason", None) or error
    if isinstance(inner, urllib3.exceptions.ProxyError):
        return f"the proxy of the environment cannot be used, {str(inner.original_error).rpartition(': ')[2]}"
    return str(inner).rpartition(": ")[2] or type(inner).__name__
