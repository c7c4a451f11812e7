"""Training jobs, tests of collective communication, and the programs that they run."""
