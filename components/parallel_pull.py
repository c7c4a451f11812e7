"""Images pulled and unpacked in parallel, by SOCI's snapshotter: how each family of images is told.

The numbers are those that nodeadm writes on AL2023, so that both families pull alike. Sources: awslabs/amazon-eks-ami at 81fec2e,
`nodeadm/internal/containerd/snapshotter/soci-snapshotter.config.toml`; Bottlerocket 1.53, settings `container-runtime` and
`container-runtime-plugins`; read 2026-11-22.
"""

NODEADM_FEATURES = {"FastImagePull": True}
"""`featureGates` of nodeadm's NodeConfig that pull images in parallel."""

BOTTLEROCKET_SETTINGS = """\
[settings.container-runtime]
snapshotter = "soci"

[settings.container-runtime-plugins.soci-snapshotter]
pull-mode = "parallel-pull-unpack"

[settings.container-runtime-plugins.soci-snapshotter.parallel-pull-unpack]
concurrent-download-chunk-size = "16mb"
discard-unpacked-layers = true
max-concurrent-downloads-per-image = 20
max-concurrent-unpacks-per-image = 12
"""
"""Settings of Bottlerocket, in TOML, that pull images in parallel by its SOCI snapshotter."""
