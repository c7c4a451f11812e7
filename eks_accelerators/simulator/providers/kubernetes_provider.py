"""The `kubernetes` provider over the real API server of the simulated cluster.

Source of what it does as the real one does (names, server-side apply, waiting): pulumi-kubernetes 4.34,
documentation and `provider/pkg`, read 2026-11-21.
"""

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from eks_accelerators.accelerators import kubernetes_versions
from eks_accelerators.accelerators.replacement import replaces
from eks_accelerators.simulator.aws.account import Account
from eks_accelerators.simulator.aws.errors import NotSimulatedError
from eks_accelerators.simulator.aws.model import ClusterRecord
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.charts.with_helm import Helm
from eks_accelerators.simulator.kubernetes.readiness import LONGEST_SECONDS, wait_until_ready
from eks_accelerators.simulator.processes import ServerError
from eks_accelerators.simulator.providers import helm_release, karpenter_pools, kubernetes_inputs
from eks_accelerators.simulator.providers.aws_provider import Done, identity
from eks_accelerators.simulator.providers.differences import differences
from eks_accelerators.simulator.providers.faults import Faults
from eks_accelerators.simulator.providers.ignored_changes import left_to_others
from eks_accelerators.simulator.providers.kind import Created, PartlyCreatedError
from eks_accelerators.simulator.providers.server import ProviderServer, answered, checked, diffed
from eks_accelerators.simulator.providers.values import has_unknown, to_python, to_struct

_GONE_SECONDS = 120
"""Patience for what finalizers hold, such as a namespace's content: seconds on a machine that has time, as kubelets end the pods of
nodes that are gone.
"""


class KubernetesProvider(ProviderServer):
    """Applies typed resources to the API server and plays Helm releases."""

    version = "4.34.2"

    def __init__(
        self,
        account: Account,
        api: Callable[[], Api],
        faults: Faults,
        done: Callable[[Done], None],
        helm: Path | None = None,
    ) -> None:
        self._helm = helm
        self._account, self._get_api, self._faults, self._done = account, api, faults, done
        self._configuration: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._cancelled = threading.Event()
        self.waits: dict[str, float] = {}
        """Seconds that the provider would have waited on real AWS for what never became ready, by URN."""

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:
        self._cancelled.set()
        return super().Cancel(request, context)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        with self._lock:
            self._configuration = to_python(request.args)
        return super().Configure(request, context)

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        inputs, old = to_python(request.news), to_python(request.olds)
        seed = request.randomSeed or name.encode()
        if token == helm_release.TOKEN:
            return checked(*helm_release.check(inputs, old, name, seed))
        if not all(key in inputs for key in ("apiVersion", "kind")):
            return checked(inputs, [("", f"the simulation does not know the resource type {token}")])
        return checked(kubernetes_inputs.named(inputs, old, name, seed), [])

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, _ = identity(request.urn)
        old, new = to_python(request.old_inputs), to_python(request.news)
        # Two objects of one name cannot be there at once.
        same_name = not kubernetes_inputs.is_autonamed(new) and token != helm_release.TOKEN
        return diffed(differences(old, new), lambda path: replaces(token, path), delete_first=same_name)

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        inputs = to_python(request.properties)
        if request.preview:
            return answered(context, lambda: self._preview(request, token, inputs))

        def work() -> Any:
            self._faults.check("create", token, name)
            api = self._reachable()
            if token == helm_release.TOKEN:
                created = helm_release.install(api, inputs, self._helm_here())
            else:
                created = self._create(api, inputs, request)
            self._done(Done("create", token, name, request.urn, created.id))
            return provider_pb2.CreateResponse(id=created.id, properties=to_struct({**inputs, **created.outputs}))

        return answered(context, _in_words(work), request.properties)

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, _ = identity(request.urn)
        state, inputs = to_python(request.properties), to_python(request.inputs)

        def work() -> Any:
            api = self._reachable()
            if token == helm_release.TOKEN:
                found = helm_release.read(api, inputs)
            else:
                live = self._live(api, inputs)
                found = kubernetes_inputs.seen(inputs, live) if live else None
            if found is None:
                return provider_pb2.ReadResponse()
            return provider_pb2.ReadResponse(
                id=request.id, properties=to_struct({**state, **found}), inputs=to_struct(found)
            )

        return answered(context, _in_words(work))

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        old, new, state = to_python(request.old_inputs), to_python(request.news), to_python(request.olds)
        kept = {key: value for key, value in state.items() if key not in old}
        if request.preview:
            return provider_pb2.UpdateResponse(properties=to_struct({**kept, **new}))

        def work() -> Any:
            self._faults.check("update", token, name)
            api = self._reachable()
            if token == helm_release.TOKEN:
                outputs = helm_release.upgrade(api, old, new, self._helm_here())
            else:
                applied = left_to_others(new, self._live(api, new), request.ignoreChanges)
                self._awaited(api, api.apply(applied), new, request)
                outputs = {}
            self._done(Done("update", token, name, request.urn, request.id))
            return provider_pb2.UpdateResponse(properties=to_struct({**kept, **new, **outputs}))

        return answered(context, _in_words(work), request.news)

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        token, name = identity(request.urn)
        inputs = to_python(request.old_inputs) or to_python(request.properties)

        def work() -> Any:
            self._faults.check("delete", token, name)
            api = self._reachable()
            if token == helm_release.TOKEN:
                helm_release.uninstall(api, inputs, self._helm_here())
            else:
                metadata = inputs["metadata"]
                api.delete(
                    inputs["apiVersion"],
                    inputs["kind"],
                    metadata["name"],
                    metadata.get("namespace"),
                    wait_seconds=_GONE_SECONDS,
                )
                karpenter_pools.take_away_what_it_made(inputs, self._account)
            self._done(Done("delete", token, name, request.urn, request.id))
            return empty_pb2.Empty()

        return answered(context, _in_words(work))

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        def work() -> Any:
            raise NotSimulatedError(f"the simulation does not know the look-up {request.tok}")

        return answered(context, work)

    def _preview(self, request: Any, token: str, inputs: dict[str, Any]) -> Any:
        """A dry run where the cluster is there and everything is known; else what the program says."""
        if token != helm_release.TOKEN and not has_unknown(inputs) and self._is_reachable():
            try:
                self._get_api().apply(inputs, dry_run=True)
            except ApiError as error:
                if error.status != 404:  # its namespace, or its kind, comes with this deployment
                    raise NotSimulatedError(str(error)) from None
        return provider_pb2.CreateResponse(properties=request.properties)

    def _create(self, api: Api, inputs: dict[str, Any], request: Any) -> Created:
        if self._live(api, inputs) is not None:
            raise ApiError(
                409,
                "AlreadyExists",
                f"resource {kubernetes_inputs.identifier(inputs)} was not successfully created by the Kubernetes API "
                f"server: {inputs['kind']} already exists",
            )
        self._awaited(api, api.apply(inputs), inputs, request)
        return Created(kubernetes_inputs.identifier(inputs))

    def _awaited(self, api: Api, live: dict[str, Any], inputs: dict[str, Any], request: Any) -> None:
        annotations = inputs["metadata"].get("annotations") or {}
        if annotations.get(kubernetes_inputs.SKIP_AWAIT) == "true":
            return
        if reason := wait_until_ready(api, live, cancelled=self._cancelled):
            if not self._cancelled.is_set():
                self.waits[request.urn] = request.timeout or kubernetes_inputs.timeout(annotations) or LONGEST_SECONDS
            raise PartlyCreatedError(Created(kubernetes_inputs.identifier(inputs)), reason)

    @staticmethod
    def _live(api: Api, inputs: dict[str, Any]) -> dict[str, Any] | None:
        metadata = inputs["metadata"]
        return api.get(inputs["apiVersion"], inputs["kind"], metadata["name"], metadata.get("namespace"))

    def _is_reachable(self) -> bool:
        return self._unreachable() is None

    def _reachable(self) -> Api:
        if reason := self._unreachable():
            raise NotSimulatedError(reason)
        return self._get_api()

    def _unreachable(self) -> str | None:
        """Why the kubeconfig leads nowhere; None where it leads to the account's cluster."""
        if server := self._server():
            reached = self._cluster_at(server)
            return None if reached else f"configured Kubernetes cluster is unreachable: {server}: no such host"
        context = self._configuration.get("context", "")
        known = context in self._account.state.contexts
        return None if known else f"configured Kubernetes cluster is unreachable: no context {context!r}"

    def _server(self) -> str:
        """The address in the kubeconfig; empty where a context names the cluster."""
        kubeconfig: str = self._configuration.get("kubeconfig") or ""
        if not kubeconfig.startswith("{"):
            return kubeconfig
        server: str = json.loads(kubeconfig)["clusters"][0]["cluster"]["server"]
        return server

    def _cluster_at(self, server: str) -> ClusterRecord | None:
        clusters = self._account.state.clusters.values()
        return next((cluster for cluster in clusters if cluster.described["endpoint"] == server), None)

    def _helm_here(self) -> Helm | None:
        """Helm for the cluster that is reached; a context is that of the only one."""
        if self._helm is None:
            return None
        cluster = self._cluster_at(self._server()) or next(iter(self._account.state.clusters.values()), None)
        return Helm(self._helm, cluster.described["version"] if cluster else kubernetes_versions.default())


def _in_words(work: Callable[[], Any]) -> Callable[[], Any]:
    """What the API server refuses, in its own words."""

    def run() -> Any:
        try:
            return work()
        except (ApiError, ServerError) as error:
            raise NotSimulatedError(str(error)) from None

    return run
