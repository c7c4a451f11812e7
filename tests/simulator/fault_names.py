"""Faults that a loop is told, by the names that the table of causes has for them."""


def fault_names(faults):
    """``faults`` as the table writes them: without where and when."""
    return {text.partition("@")[0].partition(":")[0] for text in faults}
