"""Nodes that are older than their cluster lets anybody write.

Cluster Autoscaler takes a node for one that still starts until it is 15 minutes old, by the wall clock and whatever the pace:
kubernetes/autoscaler `cluster-autoscaler/clusterstate`, `MaxNodeStartupTime`. Nobody but the store itself can say that it is older.
"""

import base64
import http.client
import json
import re
import socket
import time
from calendar import timegm

NODES = b"/registry/minions/"
_SECONDS = 5
"""Bytes of a moment of our days, in seconds, as protobuf writes it."""
_CREATED = re.compile(rb"\x42\x08\x08([\x80-\xff]{4}[\x00-\x7f])\x10\x00", re.DOTALL)
"""`ObjectMeta.creationTimestamp`, the first `Time` of a stored object: field 8, with `seconds` and no `nanos`."""


class _Socket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(str(self._path))


def age(cluster, seconds):
    """Let all nodes of a control plane be older by so many seconds; returns their names."""
    store = _Socket(cluster.servers.folder / "etcd")
    end = NODES[:-1] + b"0"
    found = _ask(store, "range", key=NODES, range_end=end).get("kvs", [])
    for each in found:
        value = base64.b64decode(each["value"])
        older, count = _CREATED.subn(lambda created: _earlier(created, seconds), value, count=1)
        assert count == 1
        _ask(store, "put", key=base64.b64decode(each["key"]), value=older)
    store.close()
    names = [base64.b64decode(each["key"]).removeprefix(NODES).decode() for each in found]
    for node in cluster.api.list("v1", "Node"):
        moment = time.strptime(node["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
        assert timegm(moment) <= time.time() - seconds
    return names


def _ask(store, what, **parts):
    body = {name: base64.b64encode(value).decode() for name, value in parts.items()}
    store.request("POST", f"/v3/kv/{what}", json.dumps(body), {"Content-Type": "application/json"})
    with store.getresponse() as answer:
        said = answer.read()
        assert answer.status == 200, said
    return json.loads(said)


def _earlier(created, seconds):
    moment = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(created[1])) - seconds
    places = [moment >> 7 * place & 0x7F | (0x80 if place < _SECONDS - 1 else 0) for place in range(_SECONDS)]
    return created[0].replace(created[1], bytes(places))
