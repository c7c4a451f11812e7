"""The report of `accel sharing check` for a terminal."""

from collections.abc import Iterator

from eks_accelerators.accel.reports.sharing import EffectiveConfiguration, SharingReport


def lines(report: SharingReport) -> Iterator[str]:
    """The verdict, what is wrong, and what a node advertises."""
    ignored = report.ignored
    count = f"{len(ignored)} {'property' if len(ignored) == 1 else 'properties'}"
    what = f" {'the whole file' if '' in ignored else count}" if ignored else ""
    yield {"accepted-but-ignores": f"accepted, but ignores{what}"}.get(report.verdict, report.verdict)
    for problem in report.problems:
        line = f"line {problem.line}" if problem.line else ""
        where = f"{problem.path} ({line})" if problem.path and line else problem.path or line
        yield f"  {problem.severity}: {where}{': ' if where else ''}{problem.message} [{problem.code}]"
    if report.chart:
        for key, effective in report.configurations.items():
            yield f"nodes with the label nvidia.com/device-plugin.config={key}"
            if effective is None:
                yield "  advertise nothing: the configuration is refused"
            else:
                yield from (f"  {line}" for line in _effect(effective, report.instance_type))
    elif report.effective:
        yield from _effect(report.effective, report.instance_type)


def _effect(effective: EffectiveConfiguration, instance_type: str | None) -> Iterator[str]:
    yield f"sharing: {effective.strategy}, MIG strategy {effective.mig_strategy}"
    for one in effective.resources:
        renamed = f" as {one.advertised_as}" if one.advertised_as != one.name else ""
        yield f"  each {one.name} counts {one.replicas} times{renamed}"
    if effective.memory_mib_per_share:
        held = "MPS holds each to" if effective.strategy == "mps" else "nothing holds any to"
        yield f"  {held} its {effective.memory_mib_per_share:,} MiB of memory"
    if effective.advertised is not None:
        yield f"a node of {instance_type} advertises"
        for name, count in effective.advertised.items():
            most = effective.largest_request[name]
            yield f"  {name}: {count}" + (f", a pod may ask for {most}" if most != count else "")
