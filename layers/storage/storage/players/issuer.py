"""Issues tokens: for operators, for invitations, and for whatever else lets somebody in, by one function."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.gateway.errors import NotFound
from storage.gateway.table import Write, retry_on_conflict
from storage.players.players import Account, PlayerStore
from storage.players.secret_lists import SecretLists
from storage.players.tokens import TOKEN_PREFIX, Scope, Token, TokenStore, hash_secret, token_id_of
from storage.submissions.models import Player

MAX_TOKENS = 50
"""Tokens of a player that hold: its own and its members'."""


class TokenIssuer(NamedTuple):
    """Issues the tokens of players, lists them and revokes them."""

    players: PlayerStore
    tokens: TokenStore

    def issue_new(
        self,
        account: Account,
        trail: AuditTrail,
        actor: Actor,
        *,
        scopes: Collection[Scope],
        benchmarks: Collection[str] = (),
        lasts: timedelta | None = None,
        detail: Mapping[str, str] | None = None,
    ) -> tuple[str, Token]:
        """Issue a token as an operator; return its secret and the token.

        The secret is stored nowhere. The trail says it first, with more `detail`. Without `lasts` it does not end.
        Raises as `issue` does.
        """
        now, secret = trail.clock(), TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = Token(
            id=token_id_of(secret),
            player=account.player.id,
            scopes=frozenset(scopes),
            benchmarks=tuple(sorted(set(benchmarks))),
            created_at=now,
            ends_at=now + lasts if lasts else None,
        )
        about = {"player": token.player, "scopes": ", ".join(sorted(token.scopes))}
        about |= {"benchmarks": ", ".join(token.benchmarks) or "every benchmark", **(detail or {})}
        trail.add(actor, Action.CREATE_TOKEN, subject=token.id, detail=about)
        retry_on_conflict(lambda: self.issue(secret, token, account), what=f"a token of {token.player}")
        return secret, token

    def issue(
        self, secret: str, token: Token, account: Account, *, is_new: bool = False, beside: Sequence[Write] = ()
    ) -> None:
        """Store a token, its player, and what is written beside them, or nothing of it.

        With `is_new` the player may be a guest, but has no account yet.

        Raises:
            NameTaken: Another player has the name, or one that looks like it.
            TooManyListed: The player has MAX_TOKENS.
            Conflict: Somebody else was first: the token or account exists, or a condition of `beside` did not hold.
            Busy: Too many wrote at once.
        """

        def find_ended(hashes: frozenset[str]) -> frozenset[str]:
            stored = self.tokens.find_many(hashes)
            return hashes - {sha256 for sha256, each in stored.items() if each.holds_at(token.created_at)}

        name, sha256 = _list_of(token.player), hash_secret(secret)
        listed = self._lists.plan_add(name, frozenset({sha256}), limit=MAX_TOKENS, find_ended=find_ended)
        self.tokens.table.transact(
            [*self.players.plan(account, is_new=is_new), self.tokens.plan(secret, token), listed, *beside]
        )

    def list_of(self, player: str) -> dict[str, Token]:
        """Return hash → token, of all that a player has (consistent). Raises Busy."""
        return self.tokens.find_many(self._lists.read(_list_of(player)))

    def revoke(self, player: str, token_id: str, *, now: datetime) -> Token:
        """Revoke a token of a player for good; a repeat changes nothing. Raises NotFound."""
        for sha256, token in self.list_of(player).items():
            if token.id == token_id:
                return self.tokens.revoke_hashed(sha256, token, now=now)
        raise NotFound(f"there is no token {token_id!r}")

    def erase(self, player: Player, *, now: datetime) -> None:
        """Erase a player's account and its members' tokens, whose names go with them.

        A member who joins meanwhile changes the list, and is seen. Raises Busy.
        """

        def attempt() -> None:
            listed = self._lists.plan_same(_list_of(player.id))
            for sha256, token in self.list_of(player.id).items():
                if token.member is not None:
                    self.tokens.revoke_hashed(sha256, token, now=now)
            self.players.erase(player, now=now, beside=listed)

        retry_on_conflict(attempt, what=f"account of {player.id}")

    @property
    def _lists(self) -> SecretLists:
        return SecretLists(self.tokens.table)


def _list_of(player: str) -> str:
    return f"tokens#{player}"
