"""What a storage was ordered to do, in MiB/s.

Source: AWS, FSx for Lustre user guide, "Performance" (200 MB/s for each TiB of SCRATCH_2; PERSISTENT_2 as ordered), EFS user guide,
"Throughput modes"; read 2026-11-22.
"""

from eks_accelerators.settings.model.storage import Efs, EfsThroughput, FsxLustre, LustreDeployment, Storage

_SCRATCH_MIBPS_PER_TIB = 200


def ordered_mibps(storage: Storage) -> float | None:
    """Throughput of all clients together; None of a storage whose throughput nobody orders."""
    if isinstance(storage, FsxLustre):
        is_scratch = storage.deployment_type is LustreDeployment.SCRATCH_2
        per_tib = _SCRATCH_MIBPS_PER_TIB if is_scratch else storage.throughput_mibps_per_tib
        return None if per_tib is None else per_tib * storage.capacity_gib / 1024
    if isinstance(storage, Efs) and storage.throughput is EfsThroughput.PROVISIONED:
        return storage.provisioned_mibps
    return None
