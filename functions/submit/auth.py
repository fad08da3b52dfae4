"""Who calls: a player with a token, the holder of a receipt, or a guest at an address."""

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from storage.access.players import Account, PlayerStore
from storage.access.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, hash_secret
from storage.audit import Actor, Role
from storage.ids import Clock
from storage.submissions.models import Player, Submission
from submit.credentials import RECEIPT_PREFIX
from submit.problems import Problem, forbidden, unauthorized

ORIGIN_HEADER = "x-origin-secret"
ADDRESS_HEADER = "x-viewer-address"
_SHARED_PREFIX = 64
"""Of an IPv6 address: who has one has all that share these bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls.

    Args:
        origin: Tells the guests of one address from those of another; a keyed hash, which does not tell the address.
        account: The player that a token names; None: a guest.
        token: That token.
        receipt_sha256: Hash of the receipt that was shown instead of a token.
    """

    origin: str
    account: Account | None = None
    token: Token | None = None
    receipt_sha256: str | None = None

    def may(self, scope: Scope, benchmark: str) -> bool:
        """Tell whether the token allows this on a benchmark."""
        return self.token is not None and self.token.allows(scope, benchmark)

    def find_player(self, benchmark: str) -> Player | None:
        """Give the player who hands in by token; None: a guest. Raises Problem 403, it does not cover the benchmark."""
        if self.account is None:
            return None
        if not self.may(Scope.SUBMIT, benchmark):
            raise forbidden("not-covered", f"Authorization: this token does not hand in results of {benchmark}")
        return self.account.player

    def find_owner(self, benchmark: str) -> Actor | None:
        """Tell who owns a benchmark by token, and as what; None: the caller does not."""
        if self.account is None or not self.may(Scope.OWN, benchmark):
            return None
        return Actor(id=self.account.player.id, role=Role.ADMIN if self.may(Scope.ADMIN, benchmark) else Role.OWNER)

    def made(self, submission: Submission) -> bool:
        """Tell whether the caller handed this submission in: its player, or whoever has its receipt."""
        if self.receipt_sha256 is not None and submission.receipt_sha256 is not None:
            return hmac.compare_digest(self.receipt_sha256, submission.receipt_sha256)
        player = submission.player
        return (
            player.verified
            and self.account is not None
            and self.account.player.id == player.id
            and self.may(Scope.SUBMIT, submission.benchmark)
        )


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Tells who calls, and keeps out whoever does not come through the site's host.

    Args:
        tokens: The tokens.
        players: The verified players.
        clock: Tells whether a token still holds.
        origin_secret: What the site's host says in `x-origin-secret`; addresses are hashed with it, too.
    """

    tokens: TokenStore
    players: PlayerStore
    clock: Clock
    origin_secret: str

    def admit(self, headers: Mapping[str, str]) -> None:
        """Let a request in that came through the site's host.

        Args:
            headers: Names in lower case.

        Raises:
            Problem: 403, it did not.
        """
        said = headers.get(ORIGIN_HEADER, "").encode("utf-8", "surrogatepass")
        if not hmac.compare_digest(said, self.origin_secret.encode()):
            raise Problem(HTTPStatus.FORBIDDEN, "not-this-host", "this host answers only the site; call the site's own")

    def identify(self, headers: Mapping[str, str]) -> Caller:
        """Tell who calls.

        Args:
            headers: Names in lower case, of a request that was admitted: what they say of the address is true.

        Raises:
            Problem: 401, the credentials are no credentials, or name nobody any more.
        """
        origin = self._hash_address(headers.get(ADDRESS_HEADER, ""))
        if "authorization" not in headers:
            return Caller(origin=origin)
        scheme, _, secret = headers["authorization"].partition(" ")
        secret = secret.strip()
        if scheme.lower() != "bearer":
            raise unauthorized("malformed-authorization", "Authorization: expected `Bearer` and a token or a receipt")
        if secret.startswith(RECEIPT_PREFIX):
            return Caller(origin=origin, receipt_sha256=hash_secret(secret))
        if not secret.startswith(TOKEN_PREFIX):
            expected = f"`{TOKEN_PREFIX}…` or `{RECEIPT_PREFIX}…`"
            raise unauthorized("malformed-authorization", f"Authorization: expected {expected} behind `Bearer`")
        account, token = self.verify(secret)
        return Caller(origin=origin, account=account, token=token)

    def verify(self, secret: str) -> tuple[Account, Token]:
        """Give the player whom a token names. Raises Problem, 401: it is unknown, revoked or has expired."""
        return self.verify_hashed(hash_secret(secret), shown_as="Authorization")

    def verify_hashed(self, sha256: str, *, shown_as: str) -> tuple[Account, Token]:
        """Give the player whom the token with this hash names.

        Args:
            sha256: Of the token.
            shown_as: What in the request stands for the token, for the message.

        Raises:
            Problem: 401, it is unknown, revoked or has expired.
        """
        token = self.tokens.find_hashed(sha256)
        account = self.players.find(token.player) if token else None
        if token is None or account is None:
            raise unauthorized("unknown-token", f"{shown_as}: this token is not known")
        if token.revoked_at is not None:
            raise unauthorized("revoked-token", f"{shown_as}: this token was revoked at {token.revoked_at:%FT%TZ}")
        if not token.holds_at(self.clock()):
            raise unauthorized("expired-token", f"{shown_as}: this token expired at {token.ends_at:%FT%TZ}")
        return account, token

    def _hash_address(self, text: str) -> str:
        """Hash an address with the stack's secret: without it, all addresses could be tried in minutes."""
        address = f"address\0{_shared_address(text)}".encode("utf-8", "surrogatepass")
        return hmac.digest(self.origin_secret.encode(), address, hashlib.sha256).hex()


def _shared_address(text: str) -> str:
    """Give the address by which guests are told apart; as it is where it is none."""
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return text[:64]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _SHARED_PREFIX), strict=False).network_address)
