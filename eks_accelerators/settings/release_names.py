"""Names of the releases that more than one module names."""

KARPENTER, KEDA = "karpenter", "keda"
EXTERNAL_SECRETS, RELOADER = "external-secrets", "reloader"
JOB_SET, LEADER_WORKER_SET = "jobset", "lws"
KUBEFLOW_TRAINER, KUBERAY = "kubeflow-trainer", "kuberay-operator"
