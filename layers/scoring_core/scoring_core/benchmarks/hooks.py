"""Hooks: addresses of a channel, or of an owner's own server, that get what the owner is mailed."""

import base64
import hashlib
import re
from binascii import Error as NotBase64
from enum import StrEnum
from typing import Final, NamedTuple

MAX_HOOKS: Final = 3
MAX_LENGTH: Final = 500
EXPECTED: Final = (
    "an address https://discord.com/api/webhooks/…, https://hooks.slack.com/services/…, "
    "or https://HOST/PATH#whsec_SECRET of a public host"
)
_PRIVATE_ENDINGS: Final = frozenset({"arpa", "internal", "invalid", "lan", "local", "localhost", "onion", "test"})


class HookKind(StrEnum):
    """What reads the messages of a hook."""

    DISCORD = "discord"
    SLACK = "slack"
    SERVER = "server"


# Groups: host, target of the request, secret. Nothing that they match has a user, another port, an address of numbers,
# because the last label begins with a letter, or the end of a line.
_DISCORD: Final = re.compile(
    r"https://(discord\.com)(/api/webhooks/\d{5,20}/[\w-]{20,120}(?:\?thread_id=\d{5,20})?)()", re.ASCII
)
_SLACK: Final = re.compile(r"https://(hooks\.slack\.com)(/services/[A-Z0-9]+/[A-Z0-9]+/[A-Za-z0-9]+)()")
_SERVER: Final = re.compile(
    r"https://((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62})(?::443)?(/[\w/.~%?&=+-]*)"
    r"#whsec_([A-Za-z0-9+/]{32,88}={0,2})",
    re.ASCII,
)
_ADDRESSES: Final = {HookKind.DISCORD: _DISCORD, HookKind.SLACK: _SLACK, HookKind.SERVER: _SERVER}


class Hook(NamedTuple):
    """Where a message goes: a POST of `target` to `host`.

    `id` is a hash of the address, which is a secret. `secret` is what messages to a server are signed with.
    """

    id: str
    kind: HookKind
    host: str
    target: str
    secret: bytes

    def __repr__(self) -> str:
        """Return what is no secret."""
        return f"Hook({self.id!r}, {self.kind.value!r}, {self.host!r})"


def read_hook(address: str) -> Hook | None:
    """Read the address of a hook; None if it is none, or its name is private.

    >>> read_hook("https://discord.com/api/webhooks/12345/abcdefghijklmnopqrst").host
    'discord.com'
    >>> read_hook("https://10.0.0.1/hook#whsec_" + "a" * 32) is None
    True
    """
    for kind, pattern in _ADDRESSES.items():
        match = pattern.fullmatch(address) if len(address) <= MAX_LENGTH else None
        if match is None or match[1].rpartition(".")[2] in _PRIVATE_ENDINGS:
            continue
        try:
            secret = base64.b64decode(match[3], validate=True)
        except NotBase64:
            return None
        return Hook(hashlib.sha256(address.encode()).hexdigest()[:16], kind, match[1], match[2], secret)
    return None


def check_hooks(value: object) -> tuple[str, ...]:
    """Return the addresses of hooks. Raises ValueError, which repeats no address."""
    if not isinstance(value, list | tuple) or len(value) > MAX_HOOKS:
        raise ValueError(f"expected a list of at most {MAX_HOOKS} addresses")
    for number, address in enumerate(value, 1):
        if not isinstance(address, str) or read_hook(address) is None:
            raise ValueError(f"the address number {number}: expected {EXPECTED}")
    return tuple(value)
