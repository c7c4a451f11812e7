"""Device plugins. Each is installed where a node group needs it."""

from eks_accelerators.settings.model.base import Model
from eks_accelerators.settings.model.node_groups import TolerationSettings


class DevicePlugin(Model):
    """What every device plugin has in common."""

    enabled: bool = True
    """Install the plugin where a node group needs it."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node groups' taints."""


class NvidiaDevicePluginSettings(DevicePlugin):
    """NVIDIA device plugin with GPU and node feature discovery."""

    mofed_enabled: bool = False
    """Let the plugin hand out Mellanox devices. It would take the EFA devices."""


class EfaDevicePluginSettings(DevicePlugin):
    """AWS EFA device plugin."""

    image_repository: str | None = None
    """Image, for partitions and regions that pull from another registry account."""


class DraDriverSettings(Model):
    """NVIDIA's driver for Dynamic Resource Allocation."""

    enabled: bool = True
    """Install the driver where a node group needs it."""
    tolerations: tuple[TolerationSettings, ...] | None = None
    """Tolerations of its own; by default those of the node groups' taints."""


class Plugins(Model):
    """Device plugins."""

    nvidia_device_plugin: NvidiaDevicePluginSettings = NvidiaDevicePluginSettings()
    """NVIDIA device plugin."""
    neuron_device_plugin: DevicePlugin = DevicePlugin()
    """Neuron device plugin."""
    efa_device_plugin: EfaDevicePluginSettings = EfaDevicePluginSettings()
    """EFA device plugin."""
    dra_driver: DraDriverSettings = DraDriverSettings()
    """NVIDIA's driver for Dynamic Resource Allocation."""
