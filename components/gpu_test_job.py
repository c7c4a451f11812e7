"""How a component makes the Job of a test or a load, and the namespace where it has none."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.base import Component
from components.charts import name_of
from components.charts import namespace as secured_namespace
from components.gpu_test_pod import labels
from components.resource_claims import claims_of, with_claims
from settings.resolved import ResolvedNodeGroup

_PATIENCE_SECONDS = 1800
"""For a node and a device plugin that are new, and the pull of the image."""

POD_SECURITY = "baseline"
POD_SECURITY_REASON = "NVIDIA's images run as root; everything else of the restricted profile holds"


def add_job(
    component: Component,
    program: str,
    name: str,
    args: Mapping[str, Any],
    spec: Any,
    group: ResolvedNodeGroup,
    gpus: int,
    *,
    waits: bool,
) -> dict[str, pulumi.Output[str]]:
    """The Job, and a namespace called ``name`` where ``args`` name none; returns the component's outputs.

    Each pod claims ``gpus`` where those of ``group`` are claimed. With ``waits`` a deployment waits until all pods have
    ended well, and fails where one does not.
    """
    space = None
    if "namespace" in args:
        namespace = pulumi.Output.from_input(args["namespace"])
    else:
        space = secured_namespace(component, name, pod_security=POD_SECURITY, reason=POD_SECURITY_REASON)
        namespace = name_of(space)
    depends_on: list[pulumi.Resource] = [space] if space else []
    claims = claims_of(component, f"{name}-gpus", group, gpus, namespace, depends_on=depends_on)
    pod = with_claims(spec["template"]["spec"], claims)
    # Typed as Any: mypy compares dictionaries with all shapes of the SDK, which takes it more memory than machines have.
    whole: Any = {**spec, "template": {**spec["template"], "spec": pod}}
    metadata: Any = {"name": name, "namespace": namespace, "labels": labels(program, name)}
    metadata["annotations"] = {} if waits else {"pulumi.com/skipAwait": "true"}
    job = k8s.batch.v1.Job(
        name,
        metadata=metadata,
        spec=whole,
        opts=component.child(
            depends_on=depends_on,
            custom_timeouts=pulumi.CustomTimeouts(create=f"{_PATIENCE_SECONDS}s", update=f"{_PATIENCE_SECONDS}s"),
        ),
    )
    return {"job_name": name_of(job), "namespace_name": namespace}
