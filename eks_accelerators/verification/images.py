"""Images of the pods that check, by their names in `charts-values/charts.yaml`."""

CUDA_IMAGE, DCGM_IMAGE, NEURON_IMAGE = "cuda-vectoradd", "dcgm", "neuron-monitor"
"""That the last has `neuron-ls` is believed: both are of `aws-neuronx-tools`."""

PYTORCH_IMAGE, NEURON_TOOLS_IMAGE = "pytorch", "pytorch-neuron"
"""Those that have `fi_info`, of AWS's EFA installer; workloads between nodes run the same."""
