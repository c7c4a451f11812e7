"""What is made of the jobs that the package writes, and what follows when they end, well or not."""

import pytest

from eks_accelerators.components import JobSetController, KubeflowTrainer, KubeRayOperator, LeaderWorkerSetController
from eks_accelerators.simulator.kubernetes import charts
from eks_accelerators.simulator.kubernetes.controllers import CONTROLLERS, job_sets, ray_jobs, train_jobs
from tests.components.examples import deployed
from tests.components.training.test_engines import of
from tests.simulator.kubernetes.objects_in_memory import ObjectsInMemory

RELEASED = (LeaderWorkerSetController, JobSetController, KubeflowTrainer, KubeRayOperator)
RESTARTS = 3
"""As often as the example may begin anew."""

JOB = "llama-workers-0"


def written(controller):
    """What the package writes of a training job, of kinds that are not Kubernetes' own."""
    sent = (resource.inputs for resource in of(controller, {"max_restarts": RESTARTS}).resources)
    return ObjectsInMemory(*(each for each in sent if "." in each.get("apiVersion", "")))


def end(job, how, reason=""):
    """As the controller of Jobs does."""
    job["status"] = {"conditions": [{"type": how, "status": "True", "reason": reason}]}


def names(objects, kind):
    return [each["metadata"]["name"] for each in objects.all(kind)]


def outline(obj):
    """An object without what pods have as the package wrote it."""
    if isinstance(obj, list):
        return [outline(each) for each in obj]
    if not isinstance(obj, dict):
        return obj
    if "containers" in obj:
        return {key: [each["name"] for each in obj.get(key, ())] for key in ("containers", "initContainers", "volumes")}
    return {key: outline(value) for key, value in obj.items()}


def given(controller, kind):
    return of(controller, {"max_restarts": RESTARTS}).one(kind).inputs["spec"]


class TestJobSet:
    @pytest.fixture
    def objects(self):
        objects = written("jobSet")
        job_sets.sync(objects)
        return objects

    def test_one_job_of_all_nodes_and_a_service(self, objects, snapshot):
        assert [outline(objects.one(kind)) for kind in ("Job", "Service")] == snapshot

    def test_pods_are_as_they_were_written(self, objects):
        (replicated,) = given("jobSet", "JobSet")["replicatedJobs"]
        written = replicated["template"]["spec"]["template"]["spec"]

        assert objects.one("Job")["spec"]["template"]["spec"] == {**written, "subdomain": "llama"}

    @pytest.mark.parametrize(("reason", "counted"), [("BackoffLimitExceeded", 1), ("PodFailurePolicy", None)])
    def test_where_a_job_fails_all_are_made_anew(self, objects, reason, counted):
        """A node that is taken away is no fault of the program."""
        first = objects.one("Job")["metadata"]["uid"]
        end(objects.one("Job"), "Failed", reason)
        for _ in range(3):  # it counts, it deletes, and makes anew when all are gone
            job_sets.sync(objects)

        assert objects.one("Job")["metadata"]["uid"] != first
        status = objects.one("JobSet")["status"]
        assert (status["restarts"], status.get("restartsCountTowardsMax")) == (1, counted)

    def test_too_many_faults_are_the_end(self, objects):
        for _ in range(RESTARTS + 1):
            end(objects.one("Job"), "Failed", "BackoffLimitExceeded")
            for _ in range(3):
                job_sets.sync(objects)

        (condition,) = objects.one("JobSet")["status"]["conditions"]
        assert (condition["type"], condition["reason"]) == ("Failed", "ReachedMaxRestarts")

    def test_it_waits_for_a_job_of_its_name_that_another_has_left(self):
        objects = written("jobSet")
        left = objects.create(
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": JOB, "namespace": "llama"}}
        )
        job_sets.sync(objects)
        assert objects.all("Job") == [left]

        objects.delete("batch/v1", "Job", JOB, "llama")
        job_sets.sync(objects)
        assert objects.one("Job")["metadata"]["ownerReferences"][0]["kind"] == "JobSet"

    def test_it_is_complete_with_its_last_job(self, objects):
        end(objects.one("Job"), "Complete")
        job_sets.sync(objects)

        (condition,) = objects.one("JobSet")["status"]["conditions"]
        assert (condition["type"], condition["reason"]) == ("Completed", "AllJobsCompleted")


class TestTrainJob:
    @pytest.fixture
    def objects(self):
        objects = written("trainJob")
        train_jobs.sync(objects)
        return objects

    def test_a_job_set_of_the_runtime_with_what_torchrun_reads(self, objects, snapshot):
        job_set = objects.one("JobSet")
        (container,) = job_set["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]["containers"]

        assert {"set": outline(job_set), "env": container["env"], "ports": container["ports"]} == snapshot

    @pytest.mark.parametrize(("ended", "said"), [("Complete", "Complete"), ("Failed", "Failed")])
    def test_it_ends_as_its_job_set_does(self, objects, ended, said):
        for attempt in range(RESTARTS + 1 if ended == "Failed" else 1):
            job_sets.sync(objects)
            assert objects.one("JobSet").get("status", {}).get("restarts", 0) == attempt
            end(objects.one("Job"), ended, "BackoffLimitExceeded")
            for _ in range(2):
                job_sets.sync(objects)
        train_jobs.sync(objects)

        assert [each["type"] for each in objects.one("TrainJob")["status"]["conditions"]] == [said]


class TestRayJob:
    @pytest.fixture
    def objects(self):
        objects = written("rayJob")
        for _ in range(3):
            ray_jobs.sync(objects)
        return objects

    def ready(self, objects):
        for pod in objects.all("Pod"):
            pod["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        for _ in range(3):
            ray_jobs.sync(objects)

    def test_a_cluster_first(self, objects, snapshot):
        assert outline([*objects.all("Pod"), *objects.all("Service")]) == snapshot
        assert objects.all("Job") == []

    def test_its_pods_may_run_where_they_were_meant_to(self, objects):
        """With the accelerators, the selector and the tolerations that were written, and nothing that only system nodes have."""
        spec = given("rayJob", "RayJob")["rayClusterSpec"]
        (workers,) = spec["workerGroupSpecs"]
        for pattern, template in (("*-head", spec["headGroupSpec"]["template"]), ("*-worker-*", workers["template"])):
            for pod in objects.all("Pod", pattern):
                written, made = template["spec"], pod["spec"]
                assert {**made, "containers": 0, "volumes": 0} == {
                    **written,
                    "containers": 0,
                    "volumes": 0,
                    **({"initContainers": made["initContainers"]} if pattern == "*-worker-*" else {}),
                }
                assert made["containers"][0]["resources"] == written["containers"][0]["resources"]

    def test_the_program_is_submitted_when_all_are_ready(self, objects, snapshot):
        self.ready(objects)

        assert outline(objects.one("Job")) == snapshot
        assert objects.one("RayJob")["status"]["jobDeploymentStatus"] == "Running"

    def test_the_cluster_goes_when_the_program_has_ended(self, objects):
        self.ready(objects)
        end(objects.one("Job"), "Complete")
        for _ in range(2):
            ray_jobs.sync(objects)

        status = objects.one("RayJob")["status"]
        assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
        assert [names(objects, kind) for kind in ("RayCluster", "Pod", "Service")] == [[], [], []]

    def test_a_fault_has_another_cluster_and_too_many_are_the_end(self, objects):
        clusters = names(objects, "RayCluster")
        for _ in range(RESTARTS + 1):
            self.ready(objects)
            end(objects.one("Job"), "Failed")
            for _ in range(5):
                ray_jobs.sync(objects)
            clusters += names(objects, "RayCluster")

        assert len(set(clusters)) == RESTARTS + 1
        assert objects.one("RayJob")["status"]["jobDeploymentStatus"] == "Failed"

    def test_a_worker_that_is_lost_is_made_anew(self, objects):
        self.ready(objects)
        lost, *others = objects.all("Pod", "*-worker-*")
        objects.delete("v1", "Pod", lost["metadata"]["name"], lost["metadata"]["namespace"])
        ray_jobs.sync(objects)

        assert len(objects.all("Pod", "*-worker-*")) == len(others) + 1


@pytest.mark.parametrize("controller", CONTROLLERS, ids=lambda each: each.name)
def test_a_controller_is_found_by_the_label_of_its_chart_s_deployment(controller):
    made = [each for component in RELEASED for each in chart_of(component) if each["kind"] == "Deployment"]
    found = [each for each in made if each["metadata"]["labels"].get("app.kubernetes.io/name") == controller.name]

    assert len(found) == 1


def chart_of(component):
    sent = deployed(component).one("Release").inputs
    return charts.manifests(
        sent["chart"], version=sent["version"], release="r", namespace="n", values=sent.get("values", {})
    )
