"""Keys, certificates and tokens of one control plane: files in its folder, made once and then kept.

The certificate authority is kept as well: the kubeconfig that a Pulumi stack exports holds it, and would differ after
every start. Only the certificates that servers show are made anew each time.
"""

import base64
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from eks_accelerators.simulator.files import write

USER = "simulator"
"""Who the bearer token belongs to: an administrator, like the identity that creates an EKS cluster."""

FRONT_PROXY = "front-proxy-client"
"""Whom extension servers take the API server for: it tells them on whose behalf it asks."""

_VALID = timedelta(days=3650)
_CLOCKS = timedelta(hours=1)
"""A clock may be set back a little between two starts."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """Paths of all files, and the bearer token."""

    ca_file: Path
    serving_certificate: Path
    serving_key: Path
    proxy_certificate: Path
    proxy_key: Path
    service_account_key: Path
    encryption_config: Path
    token_file: Path
    token: str


def ensure(folder: Path) -> Credentials:
    """The credentials in ``folder``; what is missing is made, readable by the user alone."""
    ca_file, ca_key = _authority(folder)
    serving_certificate, serving_key = _signed(folder, "apiserver", "kube-apiserver", (), (ca_file, ca_key))
    proxy_certificate, proxy_key = _signed(folder, FRONT_PROXY, FRONT_PROXY, (), (ca_file, ca_key))
    token = _once(folder / "token", lambda: secrets.token_hex(32).encode()).read_text(encoding="utf-8")
    return Credentials(
        ca_file=ca_file,
        serving_certificate=serving_certificate,
        serving_key=serving_key,
        proxy_certificate=proxy_certificate,
        proxy_key=proxy_key,
        service_account_key=_once(folder / "service-account.key", lambda: _pem(_key())),
        encryption_config=_once(folder / "encryption.json", _encryption_config),
        token_file=_once(folder / "tokens.csv", f'{token},{USER},{USER},"system:masters"\n'.encode),
        token=token,
    )


def _once(path: Path, make: Callable[[], bytes]) -> Path:
    return path if path.exists() else write(path, make())


def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )


def _authority(folder: Path) -> tuple[Path, ec.EllipticCurvePrivateKey]:
    """The certificate authority; made where there is none, or half of one."""
    certificate_file, key_file = folder / "ca.crt", folder / "ca.key"
    if not (certificate_file.exists() and key_file.exists()):
        key = _key()
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "simulated EKS")])
        certificate = (
            _certificate(name, name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        write(key_file, _pem(key))
        write(certificate_file, certificate.public_bytes(serialization.Encoding.PEM))
    loaded = serialization.load_pem_private_key(key_file.read_bytes(), password=None)
    assert isinstance(loaded, ec.EllipticCurvePrivateKey)  # as it was written here
    return certificate_file, loaded


def certificate(authority: Path, folder: Path, file: str, dns_names: Sequence[str]) -> tuple[Path, Path]:
    """A certificate and its key, `<file>.crt` and `<file>.key` in ``folder``: for a server with ``dns_names`` here.

    ``authority`` is the folder of a control plane, whose authority signs it.
    """
    return _signed(folder, file, dns_names[0], dns_names, _authority(authority))


def _signed(
    folder: Path,
    file: str,
    common_name: str,
    dns_names: Sequence[str],
    authority: tuple[Path, ec.EllipticCurvePrivateKey],
) -> tuple[Path, Path]:
    """A certificate for a program on this machine, as server and as client."""
    ca_file, ca_key = authority
    issuer = x509.load_pem_x509_certificate(ca_file.read_bytes()).subject
    key = _key()
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    names = [x509.IPAddress(IPv4Address("127.0.0.1")), *map(x509.DNSName, ("localhost", *dns_names))]
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    signed = (
        _certificate(subject, issuer, key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    return (
        write(folder / f"{file}.crt", signed.public_bytes(serialization.Encoding.PEM)),
        write(folder / f"{file}.key", _pem(key)),
    )


def _certificate(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCKS)
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _encryption_config() -> bytes:
    """Secrets lie encrypted in etcd; values from before this configuration stay readable.

    EKS encrypts with KMS. Here the key lies beside the data: that shows the path, and keeps nothing secret.
    """
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    providers = [{"secretbox": {"keys": [{"name": "simulated", "secret": key}]}}, {"identity": {}}]
    config = {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [{"resources": ["secrets"], "providers": providers}],
    }
    return json.dumps(config, indent=2).encode()
