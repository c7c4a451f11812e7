"""The terms by which EC2 Capacity Blocks are extended.

Source: AWS EC2 User Guide `capacity-blocks-extend`, read 2026-11-20.
"""

from datetime import timedelta

MAXIMUM_HOURS = 182 * 24
"""Of a block, its extensions included."""
OPENS, CLOSES = timedelta(days=56), timedelta(hours=1)
"""Before the end of a block: between these it can be extended."""
