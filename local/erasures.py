"""Erases again, at the start of a store that was restored, who was erased after the backup was made."""

from datetime import datetime

from api.players.own_data import PlayerEraser
from engine.cloud import Engine
from handlers.http.benchmarks import list_published
from local.data import ERASE
from local.template import Template
from storage.benchmarks.store import BenchmarkStore
from storage.gateway.bucket import Bucket
from storage.gateway.table import Table
from storage.keys import utc_now
from storage.players.invitations import InvitationStore
from storage.players.issuer import TokenIssuer
from storage.players.players import GuestNameStore, PlayerStore
from storage.players.tokens import TokenStore
from storage.submissions.decisions import WithdrawalStore
from storage.submissions.models import Player, PlayerKind


def erase_again(engine: Engine, template: Template) -> None:
    """Erase whom a restore noted, as of then; a repeat does what is left.

    Their lines of the audit trail were restored with the note. Raises StoreError.
    """
    notes = engine.store.read("SELECT name, text FROM notes WHERE name LIKE 'erase %'")
    names = template.resources
    access, submissions = (Table(engine.tables, names[f"{each}Table"].name) for each in ("Access", "Submissions"))
    results = Bucket(engine.objects, names["ResultsBucket"].name)
    benchmarks = list_published(BenchmarkStore(results, utc_now), archived=True, unlisted=True) if notes else []
    players, withdrawals = PlayerStore(access), WithdrawalStore(submissions)
    issuer = TokenIssuer(players, TokenStore(access))
    eraser = PlayerEraser(players, GuestNameStore(access), InvitationStore(access), issuer, withdrawals)
    for note, at in notes:
        player_id = note.removeprefix(ERASE)
        account = players.find(player_id)
        (shown,) = players.name([Player(player_id, player_id, PlayerKind.HUMAN)])
        guest = Player(player_id, shown.name.partition(" ·")[0], shown.kind)  # its number is no part of the name
        eraser.erase(account.player if account else guest, benchmarks, now=datetime.fromisoformat(at))
        engine.store.put_note(note, None)
