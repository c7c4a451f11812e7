"""Controllers that charts bring, each simulated while its stand-in runs. A further one is a module here and an entry in `CONTROLLERS`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus

from eks_accelerators.simulator.kubernetes import leader_worker_sets
from eks_accelerators.simulator.kubernetes.api import Api, ApiError
from eks_accelerators.simulator.kubernetes.controllers import job_sets, ray_clusters, ray_jobs, train_jobs

_LABEL = "app.kubernetes.io/name"


@dataclass(frozen=True)
class Controller:
    """One controller.

    ``name`` is what its Deployment has as `app.kubernetes.io/name`, whatever the release is called. ``watched`` are the kinds that
    it follows, each with its API version; pods are watched for all. ``sync`` is one pass over its objects.
    """

    name: str
    watched: tuple[tuple[str, str], ...]
    sync: Callable[[Api], None]


CONTROLLERS = (
    Controller("lws", ((leader_worker_sets.API_VERSION, leader_worker_sets.KIND),), leader_worker_sets.sync),
    Controller(
        "kubeflow-trainer",
        ((train_jobs.API_VERSION, train_jobs.KIND), (job_sets.API_VERSION, job_sets.KIND)),
        train_jobs.sync,
    ),
    Controller("jobset", ((job_sets.API_VERSION, job_sets.KIND), ("batch/v1", "Job")), job_sets.sync),
    Controller(
        "kuberay-operator",
        ((ray_jobs.API_VERSION, ray_jobs.KIND), (ray_clusters.API_VERSION, ray_clusters.KIND), ("batch/v1", "Job")),
        ray_jobs.sync,
    ),
)


def running(api: Api) -> tuple[Controller, ...]:
    """Those that are there and ready."""
    names = ",".join(each.name for each in CONTROLLERS)
    found = api.list("apps/v1", "Deployment", None, f"{_LABEL} in ({names})", remembered=True)
    ready = {each["metadata"]["labels"][_LABEL] for each in found if each.get("status", {}).get("readyReplicas")}
    return tuple(each for each in CONTROLLERS if each.name in ready)


def versions(api: Api, controllers: Iterable[Controller]) -> tuple[str, ...]:
    """Others after every change of what controllers watch; empty of a kind that is gone."""
    kinds = sorted({kind for each in controllers for kind in each.watched})
    return tuple(_version(api, *kind) for kind in kinds)


def sync(api: Api, controllers: Iterable[Controller]) -> None:
    """One pass of each whose kinds are there."""
    for each in controllers:
        if all(_version(api, *kind) for kind in each.watched):
            each.sync(api)


def _version(api: Api, api_version: str, kind: str) -> str:
    try:
        return api.version(api_version, kind)
    except ApiError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return ""
