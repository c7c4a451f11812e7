"""Compiles a model for Neuron devices without serving it: what the engine does at its start, with the server's own arguments.

The environment says that there is no device, for which hardware to compile, and where the programs go.
"""

import importlib
import json
import os


def main() -> None:
    """Start the engine of the arguments in the environment, and end."""
    importlib.import_module("vllm").LLM(**json.loads(os.environ["ENGINE_ARGUMENTS"]))


if __name__ == "__main__":
    main()
