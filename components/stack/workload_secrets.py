"""The secrets of AWS Secrets Manager that a workload of a stack reads."""

from collections.abc import Mapping

import pulumi

from eks_accelerators.components.stack.chart_releases import after
from eks_accelerators.components.synced_secret import SyncedSecret, SyncedSecretArgs
from eks_accelerators.settings.release_names import EXTERNAL_SECRETS
from eks_accelerators.settings.resolved_stack import PlacedWorkload


def synced_secrets(
    placed: PlacedWorkload,
    region: str,
    namespace: pulumi.Output[str],
    opts: pulumi.ResourceOptions,
    released: Mapping[str, pulumi.Resource],
) -> list[pulumi.Resource]:
    """The secrets of AWS Secrets Manager that a workload reads, in its namespace."""
    made: list[pulumi.Resource] = []
    for suffix, secret in placed.workload.synced_secrets.items():
        args: SyncedSecretArgs = {
            "region": region,
            "namespace": namespace,
            "secret": secret.source.name,
        }
        if secret.source.key:
            args["property"] = secret.source.key
        if secret.registry:
            args |= {"registry": secret.registry.host, "registry_user": secret.registry.user}
        else:
            args["key"] = secret.key
        waits = after(opts, [released[EXTERNAL_SECRETS]])
        made.append(SyncedSecret.of(f"{placed.name}-{suffix}", args, waits))
    return made
