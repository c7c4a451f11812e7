"""GPUs that MIG divides, on groups in place of the one of the base."""

from tests.settings.rules.case import Case
from tests.settings.rules.sharing import BOTTLEROCKET, HALVES, KIND, P5, SHARING, divided

B300 = {KIND: "p6-b300.48xlarge", "nodeGroups.gpu.zones": ["us-west-2a"], "workloads": {}}

CASES = [
    Case(
        "mig-not-capable",
        "l4",
        {SHARING: {"strategy": "mig"}},
        f"{SHARING}.strategy",
        near={KIND: "p4d.24xlarge", SHARING: {"strategy": "mig"}},
    ),
    Case("mig-layout-missing", "nothing", {**P5, SHARING: {"strategy": "mig"}}, f"{SHARING}.mig", near=HALVES),
    Case(
        "mig-layout-missing",
        "both",
        divided(layout={"3g.40gb": 2}, layouts=[{}] * 8),
        f"{SHARING}.mig.layouts",
        near=HALVES,
    ),
    Case(
        "mig-layout-missing",
        "too-few",
        divided(layouts=[{"3g.40gb": 2}] * 7),
        f"{SHARING}.mig.layouts",
        near=divided(layouts=[{"3g.40gb": 2}] * 7 + [{}]),
    ),
    Case("mig-layout", "profile", divided(layout={"3g.20gb": 2}), f"{SHARING}.mig.layout", near=HALVES),
    Case(
        "mig-layout",
        "no-place",
        divided(layout={"3g.40gb": 2, "1g.10gb": 1}),
        f"{SHARING}.mig.layout",
        near=divided(layout={"3g.40gb": 1, "1g.10gb": 4}),
    ),
    Case(
        "mig-layout",
        "of-one-gpu",
        divided(layouts=[{"7g.80gb": 1}] * 7 + [{"1g.10gb": 8}]),
        f"{SHARING}.mig.layouts[7]",
        near=divided(layouts=[{"7g.80gb": 1}] * 7 + [{"1g.10gb": 7}]),
    ),
    Case(
        "mig-single-profile",
        "two",
        divided(strategy="single", layout={"3g.40gb": 1, "1g.10gb": 4}),
        f"{SHARING}.mig.strategy",
        near=divided(layout={"3g.40gb": 1, "1g.10gb": 4}),
    ),
    Case(
        "mig-single-profile",
        "whole-gpus",
        divided(strategy="single", layouts=[{"3g.40gb": 2}] * 7 + [{}]),
        f"{SHARING}.mig.strategy",
        near=divided(strategy="single", layouts=[{"3g.40gb": 2}] * 8),
    ),
    Case(
        "mig-on-bottlerocket",
        "mixed",
        {**HALVES, **BOTTLEROCKET},
        f"{SHARING}.mig.strategy",
        near={**divided(strategy="single", layout={"3g.40gb": 2}), **BOTTLEROCKET},
    ),
    Case(
        "mig-on-bottlerocket",
        "not-full",
        {**divided(strategy="single", layout={"3g.40gb": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near=divided(strategy="single", layout={"3g.40gb": 1}),
    ),
    Case(
        "mig-on-bottlerocket",
        "refused-by-its-settings",
        {**divided(strategy="single", layout={"1g.10gb+me": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near={**divided(strategy="single", layout={"1g.10gb": 7}), **BOTTLEROCKET},
    ),
    Case(
        "mig-on-bottlerocket",
        "taken-for-the-whole-gpu",
        {**divided(strategy="single", layout={"4g.40gb": 1}), **BOTTLEROCKET},
        f"{SHARING}.mig",
        near={
            **B300,
            SHARING: {"strategy": "mig", "mig": {"strategy": "single", "layout": {"4g.135gb": 1}}},
            **BOTTLEROCKET,
        },
    ),
    Case(
        "mig-time-sliced",
        "two-each",
        {**HALVES, f"{SHARING}.replicas": 2},
        f"{SHARING}.replicas",
        near=HALVES,
        severity="warning",
    ),
]
