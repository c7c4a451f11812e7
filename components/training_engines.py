"""How each engine of a training job is deployed: one entry for each in `eks_accelerators.settings.model.training_engines`."""

from eks_accelerators.components import indexed_job, job_set, ray_job, train_job
from eks_accelerators.components.training_gang import DeployedEngine
from eks_accelerators.settings.model.training_engines import TrainingController

DEPLOYED: dict[TrainingController, DeployedEngine] = {
    TrainingController.JOB: indexed_job.ENGINE,
    TrainingController.JOB_SET: job_set.ENGINE,
    TrainingController.TRAIN_JOB: train_job.ENGINE,
    TrainingController.RAY_JOB: ray_job.ENGINE,
}
"""Every engine, by its `controller`."""
