"""A whole stack: what its settings ask for, part by part, in the order in which one part needs another.

For `__main__.py`. Programs that use single components need none of it.
"""
