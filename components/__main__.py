"""Serves the components to Pulumi programs in any language: `pulumi package add <this folder>`."""

import sys
from pathlib import Path

# Pulumi runs this folder by its path, and the floors below lie beside it.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

if __name__ == "__main__":
    from pulumi.provider.experimental import component_provider_host

    from eks_accelerators.components import ALL

    component_provider_host(list(ALL), "eks-accelerators")
