"""The kubeconfig that the component `eks.Cluster` gives: a login by the AWS CLI."""

import json
from collections.abc import Mapping
from typing import Any

from eks_accelerators.simulator.providers.values import UNKNOWN, has_unknown


def kubeconfig(cluster: Mapping[str, Any], profile: str | None) -> str:
    """The kubeconfig in JSON, of the ``cluster`` as its state is; `UNKNOWN` as long as that has no endpoint."""
    if any(key not in cluster for key in ("endpoint", "certificateAuthority", "arn")) or has_unknown(
        cluster["endpoint"]
    ):
        return UNKNOWN
    region = cluster["arn"].split(":")[3]
    arguments = ["--region", region, "eks", "get-token", "--cluster-name", cluster["name"], "--output", "json"]
    if profile:
        arguments += ["--profile", profile]
    login = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "aws",
        "args": arguments,
        "env": [
            {
                "name": "KUBERNETES_EXEC_INFO",
                "value": '{"apiVersion": "client.authentication.k8s.io/v1beta1"}',
            }
        ],
    }
    server = {
        "server": cluster["endpoint"],
        "certificate-authority-data": cluster["certificateAuthority"]["data"],
    }
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "kubernetes", "cluster": server}],
            "users": [{"name": "aws", "user": {"exec": login}}],
            "contexts": [{"name": "aws", "context": {"cluster": "kubernetes", "user": "aws"}}],
            "current-context": "aws",
        }
    )
