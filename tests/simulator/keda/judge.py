"""Whether Kubernetes and KEDA take a ScaledObject: the schema of its kind, KEDA's admission, and KEDA at work.

The fixtures `admitted` and `made_of` in `tests/simulator/conftest.py` ask them; they skip a test where KEDA is missing.
"""

from eks_accelerators.simulator.keda.scaled_objects import API_VERSION, KIND
from eks_accelerators.simulator.kubernetes.api import ApiError
from tests.polls import until


class Admission:
    """Asks the API server, whose schema has KEDA's kinds and which asks KEDA's webhooks: nothing is written."""

    def __init__(self, api):
        self._api = api

    def __call__(self, scaled_object):
        """What the API server makes of it; raises `ApiError` in its words, or those of KEDA, where it is refused."""
        made = {**scaled_object, "metadata": {**scaled_object["metadata"], "namespace": "default"}}
        return self._api.apply(made, dry_run=True)


class Scaler:
    """Gives ScaledObjects to a running KEDA, whose operator makes HorizontalPodAutoscalers of them."""

    def __init__(self, api):
        self._api = api

    def __call__(self, scaled_object, deployment):
        """The HorizontalPodAutoscaler; raises `ApiError` with KEDA's words where it makes none.

        Both objects are in a namespace that is there.
        """
        for obj in (deployment, scaled_object):
            self._api.apply(obj)
        namespace, name = scaled_object["metadata"]["namespace"], scaled_object["metadata"]["name"]

        def autoscaler():
            found = self._api.get(API_VERSION, KIND, name, namespace)
            ready = condition(found, "Ready")
            made = found.get("status", {}).get("hpaName")
            if ready["status"] == "False":
                raise ApiError(0, ready["reason"], ready["message"])
            return made and self._api.get("autoscaling/v2", "HorizontalPodAutoscaler", made, namespace)

        return until(autoscaler, why=lambda: f"KEDA has made nothing of {name}")


def condition(obj, kind):
    """A condition of an object; unknown where it has none of this kind."""
    found = (one for one in obj.get("status", {}).get("conditions") or [] if one["type"] == kind)
    return next(found, {"status": "Unknown", "reason": "", "message": ""})
