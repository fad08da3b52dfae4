"""Authenticates callers: a player with a token, the holder of a receipt, or a guest at an address."""

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from handlers.http.dependencies import HttpServices
from handlers.http.problems import RECEIPT_PREFIX, Problem, forbidden, unauthorized
from storage.players.players import Account
from storage.players.tokens import TOKEN_PREFIX, Scope, Token, hash_secret
from storage.submissions.models import Player

if TYPE_CHECKING:
    from storage.actors import Actor
    from storage.benchmarks.owners import OwnerStore

ORIGIN_HEADER = "x-origin-secret"
ADDRESS_HEADER = "x-viewer-address"
PLAYER_KEY_HEADER = "laurel-player-key"
_SHARED_PREFIX = 64
"""Prefix length by which IPv6 guests are grouped; one customer usually controls the whole /64."""


class Caller(NamedTuple):
    """The sender of a request.

    Args:
        origin: Keyed hash of the address: separates guests without revealing where they are.
        account: The player of the token; None for a guest.
        token: The token, if one was sent.
        receipt_sha256: Hash of the receipt, if one was sent instead of a token.
        owners: The players who created benchmarks; None if no token was sent.
        player_key: The player key that was sent instead of both.
    """

    origin: str
    account: Account | None = None
    token: Token | None = None
    receipt_sha256: str | None = None
    owners: "OwnerStore | None" = None
    player_key: str | None = None

    def may(self, scope: Scope, benchmark: str) -> bool:
        """Return whether the token has a scope on a benchmark."""
        return self.token is not None and self.token.allows(scope, benchmark)

    def is_player(self, player: str, benchmark: str) -> bool:
        """Return whether the token is a player's, and submits to a benchmark."""
        return self.account is not None and self.account.player.id == player and self.may(Scope.SUBMIT, benchmark)

    def check_token(self, expected: str = "expected a token") -> tuple[Account, Token]:
        """Return player and token of the request. Raises Problem 401."""
        if self.account is None or self.token is None:
            raise unauthorized("token-needed", f"Authorization: {expected}")
        return self.account, self.token

    def check_player(self, benchmark: str, expected: str = "expected a token") -> Player:
        """Return the player of the token, who submits.

        Raises Problem 401 without a token, 403 if it does not cover the benchmark.
        """
        account, _ = self.check_token(expected)
        if not self.may(Scope.SUBMIT, benchmark):
            raise forbidden("not-covered", f"Authorization: this token does not allow submissions to {benchmark}")
        return account.player

    def owns(self, benchmark: str) -> bool:
        """Return whether the token is an owner's, or created the benchmark."""
        if self.may(Scope.OWN, benchmark):
            return True
        if self.owners is None or self.account is None or self.token is None or not self.token.organises:
            return False
        return self.owners.find(benchmark) == self.account.player.id

    def find_owner(self, benchmark: str) -> "Actor | None":
        """Return the caller as owner or administrator of a benchmark; None if neither."""
        if self.account is None or not self.owns(benchmark):
            return None
        return _act(self.account, as_admin=self.may(Scope.ADMIN, benchmark))

    def list_owned(self, benchmarks: Sequence[str]) -> list[str]:
        """Return those of these benchmarks that `owns` is true of, in one read.

        Raises Problem 401 without a token.
        """
        account, token = self.check_token()
        created = self.owners.find_all(benchmarks) if self.owners and token.organises else {}
        return [each for each in benchmarks if self.may(Scope.OWN, each) or created.get(each) == account.player.id]

    def check_publisher(self, benchmark: str, *, is_new: bool) -> "Actor":
        """Return who may publish: the owner, or who may create a new benchmark.

        Raises Problem 401 without a token, 403 if it does not allow it.
        """
        if is_new and self.account is not None and self.token is not None and self.token.organises:
            return _act(self.account, as_admin=False)
        return self.check_owner(benchmark)

    def check_owner(self, benchmark: str) -> "Actor":
        """Return the owner or administrator of a benchmark that the token names.

        Raises Problem 401 without a token, 403 if it does not allow it. Benchmarks are public, so nothing is hidden.
        """
        owner = self.find_owner(benchmark)
        if owner is not None:
            return owner
        expected = f"expected a token with the scope `own` on {benchmark}, `organise` if it created that, or `admin`"
        self.check_token(expected)
        raise forbidden("not-the-owner", f"Authorization: {expected}")

    def check_admin(self) -> "Actor":
        """Return the administrator who sends the request. Raises Problem 401, 403."""
        expected = "expected a token with the scope `admin`"
        account, token = self.check_token(expected)
        if Scope.ADMIN not in token.scopes:
            scopes = ", ".join(sorted(token.scopes))
            raise forbidden("not-an-administrator", f"Authorization: {expected}, found one with {scopes}")
        return _act(account, as_admin=True)


def _act(account: Account, *, as_admin: bool) -> "Actor":
    from storage.actors import Actor, Role  # noqa: PLC0415  # who submits a result acts in neither role

    return Actor(id=account.player.id, role=Role.ADMIN if as_admin else Role.OWNER)


def check_origin(http: HttpServices, headers: Mapping[str, str]) -> None:
    """Check that a request came through the site's host. Raises Problem 403.

    That host sends `origin_secret` as `x-origin-secret`; it is also the key for hashing addresses.
    """
    secret = headers.get(ORIGIN_HEADER, "").encode("utf-8", "surrogatepass")
    if not hmac.compare_digest(secret, http.origin_secret.encode()):
        raise Problem(HTTPStatus.FORBIDDEN, "not-this-host", "this host accepts requests only through the site")


def identify(http: HttpServices, headers: Mapping[str, str]) -> Caller:
    """Return who sends a request whose headers `check_origin` accepted.

    Raises Problem 401 if the credentials are malformed, unknown, revoked or expired.
    """
    origin = _hash_address(http, headers.get(ADDRESS_HEADER, ""))
    if "authorization" not in headers:
        return Caller(origin=origin, player_key=headers.get(PLAYER_KEY_HEADER))
    scheme, _, secret = headers["authorization"].partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer":
        raise unauthorized("malformed-authorization", "Authorization: expected `Bearer` and a token or a receipt")
    if secret.startswith(RECEIPT_PREFIX):
        return Caller(origin=origin, receipt_sha256=hash_secret(secret))
    if not secret.startswith(TOKEN_PREFIX):
        expected = f"`{TOKEN_PREFIX}…` or `{RECEIPT_PREFIX}…`"
        raise unauthorized("malformed-authorization", f"Authorization: expected {expected} after `Bearer`")
    account, token = verify(http, hash_secret(secret), source="Authorization")
    return Caller(origin=origin, account=account, token=token, owners=http.owners)


def verify(http: HttpServices, token_sha256: str, *, source: str) -> tuple[Account, Token]:
    """Return a token by its hash, and its player; `source` is for the message.

    Raises Problem 401 if it is unknown, revoked or expired.
    """
    token = http.tokens.find_hashed(token_sha256)
    account = http.players.find(token.player) if token else None
    if token is None or account is None:
        raise unauthorized("unknown-token", f"{source}: this token is not known")
    if token.revoked_at is not None:
        raise unauthorized("revoked-token", f"{source}: this token was revoked at {token.revoked_at:%FT%TZ}")
    if not token.holds_at(http.clock()):
        raise unauthorized("expired-token", f"{source}: this token expired at {token.ends_at:%FT%TZ}")
    return account, token


def _hash_address(http: HttpServices, text: str) -> str:
    """Hash an address with a secret: else trying all addresses takes minutes."""
    address = f"address\0{_shared_address(text)}".encode("utf-8", "surrogatepass")
    return hmac.digest(http.origin_secret.encode(), address, hashlib.sha256).hex()


def _shared_address(text: str) -> str:
    """Return the address by which guests are grouped; text that is no address, cut."""
    try:
        address = ipaddress.ip_address(text.strip())
    except ValueError:
        return text[:64]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, _SHARED_PREFIX), strict=False).network_address)
