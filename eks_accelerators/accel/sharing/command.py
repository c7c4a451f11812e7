"""`accel sharing check`: what the device plugin makes of a configuration file, or a chart of its values."""

from collections.abc import Mapping

from eks_accelerators.accel.reports.sharing import EffectiveConfiguration, SharingReport
from eks_accelerators.accel.sharing.question import SharingQuestion, node_of
from eks_accelerators.accel.sharing.words import Chart
from eks_accelerators.accelerators import device_plugin, gpu_operator
from eks_accelerators.accelerators.device_plugin import ChartJudgement, ChartValues, Effective, Judgement, Node
from eks_accelerators.accelerators.findings import Finding
from eks_accelerators.accelerators.sharing import NVIDIA_GPU, device_memory_mib


def check(question: SharingQuestion) -> SharingReport:
    """The report of a file, for the nodes that the question names."""
    try:
        content = question.file.read_bytes()
    except OSError as error:
        return _refused(question, Finding("unreadable-file", "", f"{question.file}: {error.strerror}"))
    node, problems = node_of(question)
    if problems:
        return _refused(question, *problems)
    if question.chart is None:
        judgement = device_plugin.judge(content, node)
        judgement = device_plugin.judge_for_nodes(judgement, question.nodes.value, node)
        return _report(question, node, judgement, judgement.effective, {})
    values = ChartValues.of_text(content)
    if isinstance(values, Finding):
        return _refused(question, values)
    judged = _judge_values(question, values, node)
    return _report(question, node, judged, judged.effective, judged.configurations)


def _judge_values(question: SharingQuestion, values: ChartValues, node: Node | None) -> ChartJudgement:
    if question.chart is Chart.PLUGIN:
        return device_plugin.judge_plugin_chart(values, question.namespace, question.nodes.value, node)
    return gpu_operator.judge_operator_chart(values, question.nodes.value, node)


def _refused(question: SharingQuestion, *problems: Finding) -> SharingReport:
    return _report(question, None, Judgement(problems), None, {})


def _report(
    question: SharingQuestion,
    node: Node | None,
    judged: Judgement | ChartJudgement,
    effective: Effective | None,
    configurations: Mapping[str, Judgement],
) -> SharingReport:
    return SharingReport(
        verdict=judged.verdict,
        chart=question.chart,
        nodes=question.nodes,
        instance_type=node.instance_type.name if node else None,
        problems=judged.problems,
        ignored=judged.ignored,
        effective=_effective(node, effective) if effective else None,
        configurations={
            key: _effective(node, one.effective) if one.effective else None for key, one in configurations.items()
        },
    )


def _effective(node: Node | None, effective: Effective) -> EffectiveConfiguration:
    counts = effective.advertised
    return EffectiveConfiguration(
        strategy=effective.strategy,
        mig_strategy=effective.mig_strategy,
        rename_by_default=effective.rename_by_default,
        fail_requests_greater_than_one=effective.fail_requests_greater_than_one,
        shared_devices_allocation_policy=effective.allocation_policy,
        resources=effective.resources,
        advertised=counts,
        largest_request={name: effective.largest_request(name) for name in counts or {}},
        memory_mib_per_share=_memory_per_share(node, effective) if node else None,
    )


def _memory_per_share(node: Node, effective: Effective) -> int | None:
    """Memory of a GPU by its shares: MPS holds pods to it, time-slicing does not."""
    memory = device_memory_mib(node.instance_type)
    shares = [one.replicas for one in effective.resources if one.name == NVIDIA_GPU]
    return memory // max(shares) if memory and shares and not node.in_mig_mode else None
