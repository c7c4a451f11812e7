"""Capacity Blocks: found, bought once, extended, and seen over time."""
