"""The report of `accel mig check` for a terminal."""

from eks_accelerators.accel.reports.mig import MigReport, PlacedInstance


def lines(report: MigReport) -> list[str]:
    """Whether it can be had, and what follows."""
    if report.advertised is None:
        told = [f"error: {problem.message} [{problem.code}]" for problem in report.problems]
        if report.nearest:
            told += ["nearest that can be had:", *(f"  {layout}" for layout in report.nearest)]
        return told
    count, gpu = report.gpus_per_node or 0, report.gpu
    mixed, single = report.advertised.mixed, report.advertised.single
    which = f"each of the {count} {gpu}" if count > 1 else f"the {gpu}"
    return [
        f"valid: {which} of {report.instance_type} can be divided so, for example",
        *(_place(instance) for instance in report.placement),
        "a node advertises",
        f"  migStrategy mixed   {_resources(mixed) if mixed else 'refused: the device plugin of the image knows single only'}",
        f"  migStrategy single  {_resources(single) if single else 'refused: more than one profile'}",
    ]


def _place(instance: PlacedInstance) -> str:
    first, last = instance.start, instance.start + instance.size - 1
    where = f"memory slice {first}" if first == last else f"memory slices {first} to {last}"
    return f"  {instance.profile:<12} {where}"


def _resources(resources: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in resources.items())
