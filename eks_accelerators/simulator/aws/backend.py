"""What operations of ours work on: our own records, and moto for the rest."""

from collections.abc import Mapping
from typing import Any, cast

from eks_accelerators.accelerators import instance_types
from eks_accelerators.simulator.aws.model import State
from eks_accelerators.simulator.aws.moto_backend import Moto
from eks_accelerators.simulator.aws.refusals import ApiRefusal

READS = ("describe_", "get_", "list_")
"""How operations begin that change nothing."""

INVALID_ZONE = ApiRefusal("InvalidParameterValue", "Invalid availability zone: [{zone}]")


class Backend:
    """``state`` is ours; everything else is in moto.

    The random numbers of a call follow from its place in the journal, whatever else moto draws at its leisure: the same
    calls have the same answers when they are made again.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self._moto = Moto(state.region)
        self._place, self._inner = 0, 0
        self._offered: dict[str, frozenset[str]] = {}

    def begin(self, place: int) -> None:
        """What follows is done at this place in the journal."""
        self._place, self._inner = place, 0

    def wake(self) -> None:
        """Have moto make the records with which every account begins."""
        self._moto.wake()

    def moto(self, service: str, name: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Make the call through boto3 to moto."""
        seed = f"{self._place}/{self._inner}"
        self._inner += not name.startswith(READS)
        return self._moto.call(service, name, parameters, seed=seed)

    def validate(self, service: str, name: str, parameters: dict[str, Any]) -> None:
        """Refuse what botocore would not send."""
        self._moto.validate(service, name, parameters)

    def api_name(self, service: str, name: str) -> str:
        """The operation as the API calls it."""
        return self._moto.api_name(service, name)

    def client(self, service: str) -> Any:
        """A boto3 client that reaches moto, and nothing else."""
        return self._moto.client(service)

    def zone_id(self, zone: str) -> str:
        """ID of the zone called ``zone``; a zone that is not there is refused as EC2 does."""
        return self.zone(zone)[1]

    def zone(self, zone: str) -> tuple[str, str]:
        """Name and ID of the zone that has either of them; a zone that is not there is refused as EC2 does."""
        for found in self.zones():
            if zone in (found["ZoneName"], found["ZoneId"]):
                return str(found["ZoneName"]), str(found["ZoneId"])
        refused = INVALID_ZONE(zone=zone)
        refused.operation = "DescribeAvailabilityZones"
        raise refused

    def zones(self) -> list[dict[str, Any]]:
        """The zones of the region."""
        return cast("list[dict[str, Any]]", self.client("ec2").describe_availability_zones()["AvailabilityZones"])

    def offered_zones(self, instance_type: str) -> frozenset[str]:
        """The zones of the region in which EC2 offers the type. Asked once: the answer is long, and does not change.

        A type that the package lacks, and moto with it, is where the user's own facts have it; in every zone of a region
        whose zones are not known.
        """
        known = instance_types.find(instance_type)
        if known and not instance_types.is_shipped(instance_type):
            zones = [zone for zone in self.zones() if zone["RegionName"] in known.offered_regions]
            ids = {zone_id for there in known.offered_zone_ids.values() for zone_id in there}
            told = [zone for zone in zones if zone["ZoneId"] in ids]
            return frozenset(zone["ZoneName"] for zone in told or zones)
        if instance_type not in self._offered:
            filters = [{"Name": "instance-type", "Values": [instance_type]}]
            parameters = {"LocationType": "availability-zone", "Filters": filters}
            found = self.moto("ec2", "describe_instance_type_offerings", parameters)["InstanceTypeOfferings"]
            self._offered[instance_type] = frozenset(offer["Location"] for offer in found)
        return self._offered[instance_type]
