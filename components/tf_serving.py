"""A model served by TensorFlow Serving on the GPUs of one node group.

Sources: TensorFlow Serving 2.19, `tensorflow_model_server --help`, `api_rest` and `monitoring_config`; read 2026-11-22.
"""

from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from eks_accelerators.components.arguments import TfServingArgs
from eks_accelerators.components.charts import catalogue, name_of
from eks_accelerators.components.model_server import ModelServer
from eks_accelerators.components.server_inputs import ServerInputs, of_every_server
from eks_accelerators.components.server_pod import ServerDescription, ServerPort
from eks_accelerators.components.validation import resolve_workload
from eks_accelerators.components.workload_component import Surroundings
from eks_accelerators.settings.draining import MARGIN_SECONDS, PAUSE_SECONDS
from eks_accelerators.settings.model.tf_serving import TfServingWorkload
from eks_accelerators.settings.resolved_stack import PlacedWorkload
from eks_accelerators.settings.server_kinds import TF_SERVING_PATH
from eks_accelerators.settings.tf_serving import TfServingFit, tf_serving_fit

REST, GRPC = 8501, 8500
_REQUEST_SECONDS = 30
"""For requests that are under way when a server has to go. It does not hear SIGTERM, and works on until it is killed. Source:
tensorflow/serving issue 1853, and kserve issue 394, which saw it; read 2026-11-22.
"""
_MONITORING_FOLDER, _MONITORING = "/etc/tf-serving", "monitoring.config"


@dataclass(frozen=True, slots=True)
class TfServingInputs(ServerInputs):
    """A server of TensorFlow Serving, with its part of the GPU's memory."""

    workload: TfServingWorkload
    fit: TfServingFit


class TfServing(ModelServer[TfServingInputs]):
    """Namespace, ConfigMap, Deployment, Service, PodDisruptionBudget. Each server is told which part of its GPU's
    memory it may take.

    Providers: Kubernetes.

    Alone: One model on a volume that is there, on a node group that is described by `serves_on`.
    """

    service_name: pulumi.Output[str]
    """Name of the Service: port 80 is REST, 8500 gRPC."""
    namespace_name: pulumi.Output[str]
    """Namespace of all objects of the server."""
    example_request: pulumi.Output[str]
    """Commands that ask a server something, through `kubectl port-forward`."""

    POD_SECURITY = "baseline"
    POD_SECURITY_REASON = (
        "the image of TensorFlow Serving runs as root; everything else of the restricted profile holds"
    )

    def __init__(self, name: str, args: TfServingArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        self.refuse_wrong_keys(args)
        serves_on = args["serves_on"]
        group, workload = resolve_workload(TfServingWorkload, name, args, serves_on)
        inputs = TfServingInputs(
            workload,
            group,
            tf_serving_fit(workload, group),
            namespace=args.get("namespace"),
            waits=args.get("wait_for_pods", True),
            node_selector=serves_on.get("node_selector"),
        )
        self._create(name, inputs, opts)

    @classmethod
    def inputs_of(cls, placed: PlacedWorkload, around: Surroundings) -> TfServingInputs:
        """It downloads nothing, and needs no token."""
        return TfServingInputs(**of_every_server(placed, around))

    def _described(self, inputs: TfServingInputs) -> ServerDescription:
        workload = inputs.workload
        return ServerDescription(
            volumes=({"name": "monitoring", "configMap": {"name": self._monitoring()}},),
            container=_container(workload, inputs.fit, workload.image or catalogue()["tensorflow-serving"]["image"]),
            ports=(ServerPort("http", REST, 80), ServerPort("grpc", GRPC, GRPC)),
            grace_seconds=PAUSE_SECONDS + _REQUEST_SECONDS + MARGIN_SECONDS,
            request=f"$URL/v1/models/{workload.model_name}",
        )

    def _monitoring(self) -> pulumi.Output[str]:
        """The name of the ConfigMap that has the server show its metrics: by itself it shows none."""
        metadata: Any = {"namespace": self.namespace_name}
        made = k8s.core.v1.ConfigMap(
            f"{self._name}-monitoring",
            metadata=metadata,
            immutable=True,
            data={_MONITORING: f'prometheus_config {{ enable: true path: "{TF_SERVING_PATH}" }}\n'},
            opts=self.child(depends_on=self._space),
        )
        return name_of(made)


def _container(workload: TfServingWorkload, fit: TfServingFit, image: str) -> dict[str, Any]:
    loaded = {"httpGet": {"path": f"/v1/models/{workload.model_name}", "port": REST}}
    return {
        "image": image,
        "command": ["tensorflow_model_server"],
        "args": [
            f"--port={GRPC}",
            f"--rest_api_port={REST}",
            f"--model_name={workload.model_name}",
            f"--model_base_path={workload.model_path}",
            # Without it the first server of a GPU takes all of its memory, and the others find none.
            f"--per_process_gpu_memory_fraction={fit.memory_fraction:.2f}",
            f"--monitoring_config_file={_MONITORING_FOLDER}/{_MONITORING}",
        ],
        "volumeMounts": [{"name": "monitoring", "mountPath": _MONITORING_FOLDER, "readOnly": True}],
        "startupProbe": {**loaded, "periodSeconds": 5, "failureThreshold": -(-workload.start_seconds // 5)},
        "readinessProbe": {**loaded, "periodSeconds": 5},
        "livenessProbe": {"tcpSocket": {"port": GRPC}, "periodSeconds": 10, "failureThreshold": 3},
    }
