"""A certificate authority for one rehearsal: the template's policies reject requests without TLS."""  # noqa: INP001

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import certifi
import trustme

LIFETIME: Final = timedelta(days=1)


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
    authority = trustme.CA()
    server = authority.issue_cert("127.0.0.1", *names, not_after=datetime.now(UTC) + LIFETIME)
    root = authority.cert_pem.bytes()
    files = Certificate(folder / "chain.pem", folder / "key.pem", folder / "trusted.pem")
    files.chain.write_bytes(b"".join(pem.bytes() for pem in server.cert_chain_pems) + root)
    files.key.write_bytes(server.private_key_pem.bytes())
    files.trusted.write_bytes(Path(certifi.where()).read_bytes() + root)
    return files
