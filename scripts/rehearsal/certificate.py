# ruff: noqa: INP001  # scripts are no package
"""A certificate authority for one rehearsal: the template's policies reject requests without TLS."""

import ipaddress
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import certifi
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.x509.oid import NameOID

LIFETIME: Final = timedelta(days=1)
_AUTHORITY: Final = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Laurel rehearsal")])


class Certificate(NamedTuple):
    """Files in PEM.

    Args:
        chain: The server's certificate, and its authority's.
        key: The server's private key.
        trusted: The public authorities' certificates and this one's.
    """

    chain: Path
    key: Path
    trusted: Path


def make_certificate(folder: Path, names: Sequence[str]) -> Certificate:
    """Create an authority, whose key is not kept, and a certificate for this machine.

    Args:
        folder: Where the files are written.
        names: Hosts of the certificate in addition to 127.0.0.1; `*.` stands for one label.
    """
    authority_key, key = generate_private_key(SECP256R1()), generate_private_key(SECP256R1())
    authority = _sign(
        _begin(_AUTHORITY, authority_key, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_USE_OF_AUTHORITY, critical=True),
        authority_key,
    )
    hosts = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), *map(x509.DNSName, names)]
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    server = _sign(
        _begin(subject, key, authority_key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False),
        authority_key,
    )
    files = Certificate(folder / "chain.pem", folder / "key.pem", folder / "trusted.pem")
    files.chain.write_bytes(server + authority)
    files.key.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    files.trusted.write_bytes(Path(certifi.where()).read_bytes() + authority)
    return files


_USE_OF_AUTHORITY: Final = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


def _begin(
    subject: x509.Name, key: EllipticCurvePrivateKey, authority_key: EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(_AUTHORITY)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + LIFETIME)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()), critical=False)
    )


def _sign(builder: x509.CertificateBuilder, key: EllipticCurvePrivateKey) -> bytes:
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
