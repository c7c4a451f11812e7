"""Every command that prints a report, and the model of it."""

from collections.abc import Mapping

from pydantic import JsonValue
from pydantic.json_schema import GenerateJsonSchema

from eks_accelerators.accel.reports import blocks, facts
from eks_accelerators.accel.reports.base import Report
from eks_accelerators.accel.reports.check import CheckReport
from eks_accelerators.accel.reports.dashboards import DashboardsReport
from eks_accelerators.accel.reports.facts_refresh import FactsRefreshReport
from eks_accelerators.accel.reports.fit import FitReport
from eks_accelerators.accel.reports.images import ImagesReport
from eks_accelerators.accel.reports.load import LoadReport
from eks_accelerators.accel.reports.mig import MigReport
from eks_accelerators.accel.reports.plan import PlanReport
from eks_accelerators.accel.reports.policy import PolicyReport
from eks_accelerators.accel.reports.preflight import PreflightReport
from eks_accelerators.accel.reports.sharing import SharingReport
from eks_accelerators.accel.reports.simulate import SimulateReport
from eks_accelerators.accel.reports.verify import VerifyReport

REPORTS: Mapping[str, type[Report]] = {
    "check": CheckReport,
    "plan": PlanReport,
    "preflight": PreflightReport,
    "verify": VerifyReport,
    "policy": PolicyReport,
    "simulate": SimulateReport,
    "simulate load": LoadReport,
    "fit": FitReport,
    "images": ImagesReport,
    "sharing check": SharingReport,
    "mig check": MigReport,
    "monitoring dashboards": DashboardsReport,
    "blocks search": blocks.SearchReport,
    "blocks buy": blocks.BuyReport,
    "blocks list": blocks.ListReport,
    "blocks show": blocks.ShowReport,
    "blocks extend": blocks.ExtendReport,
    "blocks status": blocks.StatusReport,
    "blocks watch": blocks.WatchReport,
    "blocks calendar": blocks.CalendarReport,
    "blocks clear": blocks.ClearReport,
    "facts list": facts.FactsListReport,
    "facts show": facts.FactsShowReport,
    "facts add": facts.FactsAddReport,
    "facts remove": facts.FactsRemoveReport,
}

"""By the words of the command, after `accel`."""

OF_SCRIPTS: Mapping[str, type[Report]] = {"tools/refresh_facts.py": FactsRefreshReport}
"""Those of scripts of the repository, by their path: they are no command, as a package that is installed has none of its files."""


class _Untitled(GenerateJsonSchema):
    """Keys need no titles: they would be the keys in other letters."""

    def field_title_should_be_set(self, _schema: object) -> bool:
        """Whether a key has a title in the schema: it never has."""
        return False


def schema_of(command: str) -> dict[str, JsonValue]:
    """The JSON Schema of what a command prints, or a script. Raises `KeyError`."""
    report = OF_SCRIPTS.get(command) or REPORTS[command]
    schema = report.model_json_schema(mode="serialization", schema_generator=_Untitled)
    title = command if command in OF_SCRIPTS else f"accel {command}"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
