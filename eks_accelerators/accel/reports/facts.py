"""What the commands of `accel facts` find out."""

from typing import TYPE_CHECKING, Any

from pydantic import Field

from eks_accelerators.accel.detail import Detail
from eks_accelerators.accel.reports.base import Properties, ReportPart, VersionedReport

if TYPE_CHECKING:
    from rich.console import Console


class KnownType(ReportPart):
    """An instance type whose facts are known."""

    name: str = Field(description="EC2 instance type")
    own: bool = Field(description="It is the project's, not the package's")
    source: str = Field(description="Where its facts are from")


class FactsListReport(VersionedReport):
    """`accel facts list --json`: every instance type that is known."""

    instance_types: tuple[KnownType, ...] = Field(description="One for each, in the order of the table")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One type a line."""
        width = max(len(each.name) for each in self.instance_types)
        for each in self.instance_types:
            out.print(f"{each.name:<{width}}  {'own  ' if each.own else '     '}{each.source}", soft_wrap=True)


class FactsShowReport(VersionedReport, KnownType):
    """`accel facts show TYPE --json`: what is known of one. The exit status is 2 where the type is not known."""

    facts: Properties = Field(
        description="What is known, by the names of `eks_accelerators/accelerators/instance_type.py`; null is unknown"
    )

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """One fact a line; what is not known is unknown."""
        out.print(f"{self.name}: {self.source}", soft_wrap=True)
        for key, value in self.facts.items():
            out.print(f"  {key}: {_value(value)}", soft_wrap=True)


class FactsAddReport(VersionedReport):
    """`accel facts add TYPE --json`: what AWS told. The exit status is 2 where the type is the package's already, is none
    that is served or is not there, and 3 where AWS could not be asked.
    """

    file: str = Field(description="The file that was written")
    instance_type: Properties = Field(
        description="The row that was written, by the keys of `eks_accelerators/accelerators/data/instance-types.json`"
    )
    unknown: tuple[str, ...] = Field(description="What stays unknown, and why")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """What is known, what stays unknown, and where it was written."""
        row: Any = self.instance_type
        chip, network, prices = row["accelerator"], row["network"], row["on_demand_usd_per_hour"]
        lines = [
            f"{row['instance_type']}: {row['source']}",
            f"  {chip['logical_count']} x {chip['manufacturer']} {chip['name']} of {chip['memory_mib']:,} MiB",
            f"  {row['vcpus']} vCPUs ({row['architecture']}), {row['memory_mib']:,} MiB, {row['local_nvme_gb']:,} GB of local disks",
            f"  {network['max_network_cards']} network cards, EFA on {len(network['efa_card_indexes'])} of them",
            f"  sold as {', '.join(row['usage_classes'])}; {', '.join(f'{usd} USD per hour in {where}' for where, usd in prices.items()) or 'price unknown'}",
            f"  images {', '.join(row['eks_ami_types'])}; resource {row['k8s_resource']}",
            *(f"  unknown: {line}" for line in self.unknown),
            f"written to {self.file}",
        ]
        out.print("\n".join(lines), soft_wrap=True)


class FactsRemoveReport(VersionedReport):
    """`accel facts remove TYPE --json`: what was forgotten. The exit status is 2 where the type was not added."""

    removed: str = Field(description="EC2 instance type")

    def print_text(self, out: "Console", _detail: Detail) -> None:
        """What was forgotten."""
        out.print(f"{self.removed} is forgotten", soft_wrap=True)


def _value(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_value(each)}" for key, each in value.items()) or "none"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
