"""The first token of an administrator: issued by the person who has the stack's store, and kept in a file."""

from datetime import timedelta
from pathlib import Path

from storage.actors import Actor
from storage.audit import Action, AuditTrail
from storage.gateway.table import Table
from storage.players.issuer import TokenIssuer
from storage.players.players import Account, PlayerStore
from storage.players.tokens import Scope, TokenStore, hash_secret
from storage.submissions.models import Player, PlayerKind

PLAYER = "operator"
"""Whose token it is."""


def keep_admin_token(
    file: Path, access: Table, trail: AuditTrail, actor: Actor, *, lasts: timedelta | None = None, replace: bool = False
) -> str:
    """Return the token in a file; issue one and write it if there is none that holds.

    Args:
        file: Only this user can read it.
        access: The access table.
        trail: What is done is added to it first.
        actor: The person who issues it.
        lasts: How long a new token holds; None: without end.
        replace: Whether one that holds is revoked, and another one issued.
    """
    issuer, now = TokenIssuer(PlayerStore(access), TokenStore(access)), trail.clock()
    kept = file.read_text(encoding="utf-8").strip() if file.exists() else ""
    token = issuer.tokens.find(kept)
    if token is not None and token.holds_at(now):
        if not replace:
            return kept
        trail.add(actor, Action.REVOKE_TOKEN, subject=token.id)
        issuer.tokens.revoke_hashed(hash_secret(kept), token, now=now)
    player = Player(PLAYER, PLAYER, PlayerKind.HUMAN, verified=True)
    account = issuer.players.find(PLAYER) or Account(player, None, now)
    secret, _ = issuer.issue_new(account, trail, actor, scopes=[Scope.ADMIN], lasts=lasts)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.chmod(0o600)  # of one that was there
    file.write_text(f"{secret}\n", encoding="utf-8")
    return secret
