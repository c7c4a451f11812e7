"""Where a secret comes from: never the secret itself."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import StringConstraints

from eks_accelerators.settings.model.base import ConfigSecret, Model, NoSecret

HUGGING_FACE = "hugging-face"
"""What follows a server's name in that of the Secret with its token."""

SecretName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"), NoSecret]
"""The name of a Kubernetes Secret."""


class SecretsManagerSecret(Model):
    """A secret of AWS Secrets Manager, in the region of the stack."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9/_+=.@-]{1,512}$"), NoSecret]
    """Its name, without the six characters that its ARN ends with."""
    key: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,253}$")] | None = None
    """Key of the JSON object that it holds; by default it is the value itself."""


@dataclass(frozen=True, slots=True)
class ImageRegistry:
    """A registry of images, and the user whom it knows a key by."""

    host: str
    user: str


@dataclass(frozen=True, slots=True)
class BroughtSecret:
    """A secret of AWS Secrets Manager as a Kubernetes Secret: under which key, or as what pulls images of ``registry``."""

    source: SecretsManagerSecret
    key: str = "token"
    registry: ImageRegistry | None = None

    @property
    def is_read(self) -> bool:
        """Whether containers read it, at their start; images are pulled by the kubelet, which looks each time."""
        return self.registry is None


class SecretsSettings(Model):
    """What becomes of servers whose secrets change."""

    roll_servers: bool = True
    """Install Reloader where servers read secrets of AWS Secrets Manager: it replaces their pods, one at a time, when a secret
    has changed. Jobs are left alone."""


class SecretSource(Model):
    """Where a secret comes from: never the secret itself. One of the three."""

    config_secret: ConfigSecret | None = None
    """Name of a Pulumi secret: `pulumi config set --secret <name>`."""
    existing_secret: SecretName | None = None
    """Name of a Kubernetes Secret with the key `token`, there already."""
    secrets_manager: SecretsManagerSecret | None = None
    """A secret of AWS Secrets Manager, which External Secrets brings into the cluster, and keeps up to date there."""

    @property
    def given(self) -> tuple[str, ...]:
        """The sources that are written, by their keys; exactly one is allowed."""
        return tuple(
            str(info.alias) for name, info in type(self).model_fields.items() if getattr(self, name) is not None
        )
