from tests.settings.rules.case import Case

TOKEN = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ"
JOB = "workloads.pytorchJob.train"


def job(**more: object) -> dict[str, object]:
    return {"nodeGroup": "gpu", "nodes": 1, "acceleratorsPerNode": 1, "program": "train.py", **more}


CASES = [
    Case(
        "secret-in-text",
        "variable",
        {"workloads": {"pytorchJob": {"train": job(env={"HF_TOKEN": TOKEN})}}},
        f"{JOB}.env.HF_TOKEN",
        near={"workloads": {"pytorchJob": {"train": job(env={"HF_HOME": "/data/hf_datasets", "SORT_KEY": "name"})}}},
    ),
    Case(
        "secret-in-text",
        "variable-that-is-called-a-key",
        {
            "workloads": {
                "pytorchJob": {"train": job(env={"WANDB_API_KEY": "0123456789abcdef0123456789abcdef01234567"})}
            }
        },
        f"{JOB}.env.WANDB_API_KEY",
        near={"workloads": {"pytorchJob": {"train": job(env={"COMMIT": "0123456789abcdef0123456789abcdef01234567"})}}},
    ),
    Case(
        "secret-in-text",
        "argument",
        {"workloads": {"pytorchJob": {"train": job(arguments=["--epochs=3", f"--token={TOKEN}"])}}},
        f"{JOB}.arguments[1]",
        near={"workloads": {"pytorchJob": {"train": job(arguments=["--epochs=3"])}}},
    ),
    Case(
        "secret-in-text",
        "tag",
        {"tags": {"note": "AKIAIOSFODNN7EXAMPLE"}},
        "tags.note",
        near={"tags": {"note": "AKIA"}},
    ),
]
