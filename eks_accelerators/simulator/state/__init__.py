"""The state of a simulation's engine: a state service on 127.0.0.1, to which the engine sends a journal, and what it writes."""
