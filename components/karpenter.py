"""Karpenter: makes nodes for pods that wait, and hears of interruptions by a queue."""

import json
from typing import Any

import pulumi
import pulumi_aws as aws

from eks_accelerators.accelerators import karpenter as facts
from eks_accelerators.components.arguments import KarpenterArgs
from eks_accelerators.components.base import Component
from eks_accelerators.components.charts import release
from eks_accelerators.components.pod_identity import Wired, cluster_ref, pod_identity
from eks_accelerators.components.validation import release_inputs
from eks_accelerators.settings.release_inputs import KarpenterInputs

_NAMESPACE, _ACCOUNT = "kube-system", "karpenter"


class Karpenter(Component[Wired[KarpenterInputs]]):
    """Queue with its rules, role, and two Helm releases: the kinds, and the program. What nodes it makes is said by
    `KarpenterNodePool`.

    Providers: AWS, Kubernetes.

    Alone: For any cluster with the add-on `eks-pod-identity-agent` and nodes that are not Karpenter's; see
    `docs/autoscaling-nodes.md`.
    """

    release_name: pulumi.Output[str]
    """Name of the Helm release of the program."""
    queue_name: pulumi.Output[str]
    """Name of the queue of interruptions."""

    def __init__(self, name: str, args: KarpenterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        self._create(name, Wired(release_inputs(KarpenterInputs, args), cluster_ref(args)), opts)

    def _create(self, name: str, inputs: Wired[KarpenterInputs], opts: pulumi.ResourceOptions | None) -> None:
        self._register(name, opts)
        cluster = inputs.cluster
        if cluster.node_role_arn is None:
            raise ValueError("Karpenter needs the role of the nodes that it makes")
        queue = self._queue(f"{cluster.role_prefix}{name}", cluster.tags)
        policies = pulumi.Output.all(cluster.name, cluster.region, cluster.node_role_arn, queue.arn).apply(
            lambda known: facts.policies(*map(str, known))
        )
        rights = pod_identity(
            self,
            name,
            cluster,
            namespace=_NAMESPACE,
            service_account=_ACCOUNT,
            policies={subject: policies[subject] for subject in facts.SUBJECTS},
        )
        kinds = release(self, f"{name}-crd", "karpenter-crd", namespace=_NAMESPACE, values={})
        program = release(
            self,
            name,
            "karpenter",
            namespace=_NAMESPACE,
            values={
                "replicas": inputs.inputs.replicas,
                "settings": {"clusterName": cluster.name, "interruptionQueue": queue.name},
                "serviceMonitor": {
                    "enabled": inputs.inputs.service_monitor,
                    "additionalLabels": inputs.inputs.service_monitor_labels,
                },
            },
            depends_on=[*rights, kinds],
        )
        self.release_name, self.queue_name = program.name.apply(str), queue.name
        self.register_outputs({"release_name": self.release_name, "queue_name": self.queue_name})

    def _queue(self, name: str, tags: dict[str, str]) -> "aws.sqs.Queue":
        """The queue, and a rule for each kind of event that a node may end by."""
        queue = aws.sqs.Queue(
            name,
            message_retention_seconds=facts.QUEUE_RETENTION_SECONDS,
            sqs_managed_sse_enabled=True,
            tags=tags,
            opts=self.child(),
        )
        rules = []
        for subject, (source, kind) in facts.INTERRUPTIONS.items():
            rule = aws.cloudwatch.EventRule(
                f"{name}-{subject}",
                description=f"{kind}: Karpenter drains the node",
                event_pattern=json.dumps({"source": [source], "detail-type": [kind]}),
                tags=tags,
                opts=self.child(),
            )
            aws.cloudwatch.EventTarget(
                f"{name}-{subject}", rule=rule.name, arn=queue.arn, target_id=_ACCOUNT, opts=self.child()
            )
            rules.append(rule)
        aws.sqs.QueuePolicy(
            name,
            queue_url=queue.url,
            policy=pulumi.Output.all(queue.arn, *[rule.arn for rule in rules]).apply(_queue_policy),
            opts=self.child(),
        )
        return queue


def _queue_policy(arns: list[Any]) -> str:
    return json.dumps(facts.queue_policy(arns[0], arns[1:]))
