"""Which causes of the table a loop strikes: by the faults that it is told."""


def struck_by(faults):
    """What is struck, as the table writes it: without where and when."""
    return {text.partition("@")[0].partition(":")[0] for text in faults}
