"""The command line: what a stack would create, what it costs and what is wrong with it."""
