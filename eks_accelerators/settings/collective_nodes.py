"""Between which nodes collective communication of Neuron devices can be measured.

Source: AWS Neuron documentation, NCCOM-TEST user guide (Trn1, Trn2 and Trn3; of Inf2 one instance); read 2026-11-22.
"""

from eks_accelerators.settings.resolved_node_group import ResolvedNodeGroup


def why_not_between(group: ResolvedNodeGroup) -> str | None:
    """Why `nccom-test` cannot measure between nodes of ``group``, which has Neuron devices; None where it can."""
    if not group.type.family.startswith("trn"):
        return f"nccom-test measures one node of {group.type.name}: between nodes Trainium alone"
    if not group.has_efa:
        return f"Neuron devices exchange data between nodes over EFA, which nodes of {group.name} do not have"
    return None
