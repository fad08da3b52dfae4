"""Routes of invitations, which issue tokens, and of these tokens.

A GET changes nothing, so a messenger's preview of a link uses nothing up. A use of an invitation and its token are one
transaction. The token is derived from the code and the request's Idempotency-Key, so a repeat after a lost answer finds
the token that was stored and returns it: no use is lost, and nothing that opens anything is kept. The code alone does
not yield another's token.

A guest with a player key who joins with it is the same player from then on, with the same id.
"""

import base64
import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from api.benchmarks.rescores import check_not_archived
from api.dependencies import ApiServices, find_published, identify, logger, make_router, read_headers, services
from api.players.invitations import views
from api.players.invitations.addresses import Listed, read_addresses
from api.players.invitations.views import MailedState
from handlers.http import paths
from handlers.http.auth import PLAYER_KEY_HEADER, Caller
from handlers.http.benchmarks import find_benchmark
from handlers.http.problems import Problem, forbidden, not_found, unauthorized, unprocessable
from handlers.http.quotas import quota_problem
from handlers.http.submitters import check_guest_name, find_guest, find_name, invalid_player_key, own_rows, read_owner
from storage.actors import Actor, Role
from storage.audit import Action
from storage.gateway.clients import run_at_once
from storage.gateway.errors import NotFound
from storage.gateway.table import Write, retry_on_conflict
from storage.mail.models import DigestKey, DigestKind, MailState, PendingMail, to_seconds
from storage.players.invitations import (
    CODE_BYTES,
    Invitation,
    InvitationState,
    holder_of_benchmark,
    holder_of_player,
)
from storage.players.names import InvalidName
from storage.players.players import Account, is_player_id, make_player_id
from storage.players.quotas import QuotaExceeded, QuotaKey, QuotaKind
from storage.players.tokens import CODE_PREFIX, TOKEN_PREFIX, Scope, Token, hash_secret, plan_revoked, token_id_of
from storage.submissions.models import Player, PlayerKind

router = make_router()
Holder = Annotated[str | None, Query(description="Whose tokens, for administrators; default: your player's.")]
KEY_HEADER = "idempotency-key"
_IS_KEY = re.compile(r"[\x21-\x7e]{32,255}")
"""As long as 128 random bits in hexadecimal: who guesses the key of another's request gets that token."""
MAILS_PER_DAY = 200
MAILS_TO_ONE_PER_DAY = 3
"""To one address, by the owners of all benchmarks: it may be a stranger's."""
_QUOTA = "@invitations"
"""In the place of a benchmark's id, which none can be."""
_ENDED = {
    InvitationState.USED_UP: "this link was used as often as it may be; ask for a new one",
    InvitationState.EXPIRED: "this link has expired; ask for a new one",
    InvitationState.REVOKED: "this link was taken back by its maker",
}
_STATES: Mapping[MailState | None, MailedState] = {
    MailState.PENDING: MailedState.WAITING,
    MailState.SENT: MailedState.SENT,
    MailState.REFUSED: MailedState.REFUSED,
    None: MailedState.UNKNOWN,
}


@router.post(paths.INVITE, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_invitation(benchmark: str, request: views.InvitationRequest) -> views.InvitationMade:
    """Make a link by which others join, for owners; its code is shown once.

    Raises Problem 401 or 403 if the caller does not own the benchmark, 404 if the player did not come by an
    invitation to it, 409 if there are too many, or it is archived.
    """
    api, caller, owner = _check_inviter(benchmark)
    player = request.player
    claims = player is not None and api.players.find(player) is None and _find_account(api, player, (benchmark,))
    claims = claims or (player is not None and owner.role is Role.ADMIN and api.players.find(player))
    if player is not None and not claims and not _find_invited(api, player, benchmark):
        raise not_found(f"no player {player} came by an invitation to this benchmark, or has rows of an earlier board")
    detail = {"allows": ", ".join(sorted(set(request.allows))), "uses": str(request.uses)}
    detail |= {"player": request.player} if request.player else {}
    holder, scopes = holder_of_benchmark(benchmark), frozenset[Scope](request.allows)
    code, made = _make(api, request, caller, holder, scopes, benchmarks=(benchmark,), player=request.player)
    api.trail.add(owner, Action.INVITE, benchmark=benchmark, subject=made.id, detail=detail)
    view = _put_one(api, code, made)
    if owner.role is Role.ADMIN and player is not None and request.mail:
        api.outbox.add(_plan_mail(made, code))
    return view


@router.post(paths.INVITE_BY_MAIL, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_invitations_by_mail(benchmark: str, request: views.MailRequest) -> views.InvitationsMailed:
    """Mail each address a link of its own, for owners; if one is wrong, none.

    An address that has an open link by mail gets no other one, so a repeat mails nobody twice. Raises Problem 422 if an
    address is wrong, 401 or 403 if the caller does not own the benchmark, 409 if it is archived, or there are too many
    invitations, 429 if too many were mailed today. Then nothing is stored or mailed.
    """
    api, caller, owner = _check_inviter(benchmark)
    addresses, unread = read_addresses(request.addresses)
    holder, scopes = holder_of_benchmark(benchmark), frozenset[Scope](request.allows)
    has_link = _find_mailed(api, holder)
    without = [each for each in addresses if each.address.lower() not in has_link]
    wanted = [each for each in without if _charge_address(api, each.address)]

    def make(listed: Listed) -> tuple[str, Invitation]:
        code, made = _make(api, request, caller, holder, scopes, benchmarks=(benchmark,))
        note, number = _read_note(listed.name) or made.note, _read_note(listed.number) or None
        return code, made._replace(address=listed.address, note=note, number=number)

    mailed = list(map(make, wanted))
    if mailed:
        _charge_mails(api, benchmark, len(mailed))
        detail = {"allows": ", ".join(sorted(set(request.allows))), "mails": str(len(mailed))}
        api.trail.add(owner, Action.INVITE, benchmark=benchmark, subject=mailed[0][1].id, detail=detail)
        api.invitations.put(*(made for _, made in mailed))
        run_at_once(lambda pair: api.outbox.add(_plan_mail(pair[1], pair[0])), mailed)
    invitations = [views.view_invitation(made, now=made.made_at, mail=MailedState.WAITING) for _, made in mailed]
    return views.InvitationsMailed(
        invitations=invitations, skipped=[each.address for each in addresses if each not in wanted], unread=unread
    )


@router.post(paths.MEMBER_INVITATIONS, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_member_invitation(request: views.MemberRequest) -> views.InvitationMade:
    """Make a link by which others become members of your player.

    A player and its members are a team, with one quota and one row. Raises Problem 401, 403, 409.
    """
    api, caller = services(), identify()
    account, token = check_own(caller)
    if token.scopes.isdisjoint({Scope.SUBMIT, Scope.ADMIN}):
        raise forbidden("not-covered", "Authorization: expected a token with the scope `submit`")
    player, scopes = account.player.id, frozenset({Scope.SUBMIT})
    holder, benchmarks = holder_of_player(player), token.benchmarks
    code, made = _make(api, request, caller, holder, scopes, benchmarks=benchmarks, player=player, is_member=True)
    logger.info("member invited", extra={"invitation": made.id})
    return _put_one(api, code, made)


@router.get(paths.INVITATIONS, tags=["invitations"])
def list_invitations(benchmark: str) -> views.InvitationList:
    """List the invitations to a benchmark and who came by them, for owners.

    Raises Problem 401, 403.
    """
    api, benchmark = services(), find_published(benchmark).id
    identify().check_owner(benchmark)
    now, invitations = api.clock(), api.invitations.list_of(holder_of_benchmark(benchmark))
    states = _find_states(api, invitations)
    ids = dict.fromkeys(player for each in invitations for player in each.used)
    came = api.players.name([Player(id=id_, name=id_, kind=PlayerKind.HUMAN) for id_ in ids])
    return views.InvitationList(
        invitations=[views.view_invitation(each, now=now, mail=states.get(each.id)) for each in invitations],
        names={player.id: player.name for player in came},
    )


@router.post(paths.REVOKE_INVITATION, tags=["invitations"])
def revoke_invitation(benchmark: str, invitation: str, request: views.RevokeRequest) -> views.InvitationView:
    """Take back a link, for owners; also the tokens that were issued for it, if asked.

    A repeat changes nothing. Raises Problem 401, 403, 404.
    """
    api, benchmark = services(), find_published(benchmark).id
    owner = identify().check_owner(benchmark)
    holder = holder_of_benchmark(benchmark)
    _find(api, holder, invitation)
    detail = {"tokens": str(request.tokens).lower()}
    api.trail.add(owner, Action.REVOKE_INVITATION, benchmark=benchmark, subject=invitation, detail=detail)
    revoked = _revoke(api, holder, invitation)
    if request.tokens:
        for player in set(revoked.used):
            for token in api.issuer.list_of(player).values():
                if token.invitation == invitation:
                    api.issuer.revoke(player, token.id, now=api.clock())
    return views.view_invitation(revoked, now=api.clock())


@router.post(paths.REVOKE_MEMBER_INVITATION, tags=["invitations"])
def revoke_member_invitation(invitation: str) -> views.InvitationView:
    """Take back a link of your player.

    Raises Problem 401, 403, 404.
    """
    api, (account, _) = services(), check_own(identify())
    return views.view_invitation(_revoke(api, holder_of_player(account.player.id), invitation), now=api.clock())


@router.post(paths.OPEN_INVITATION, tags=["invitations"])
def open_invitation(request: views.CodeRequest) -> views.OpenedInvitation:
    """Show what a link is for. Raises Problem 404."""
    api = services()
    invitation = _open(api, request.code)
    account = _find_account(api, invitation.player, invitation.benchmarks) if invitation.player else None
    return views.OpenedInvitation(
        state=invitation.state_at(api.clock()),
        allows=sorted(invitation.scopes),
        benchmarks=list(invitation.benchmarks),
        title=find_benchmark(api.benchmarks, invitation.benchmarks[0]).definition.title
        if len(invitation.benchmarks) == 1
        else None,
        player_name=account.player.name if account else None,
        member=invitation.is_member,
        rules=_find_rules(api, invitation),
        uses=invitation.max_uses,
        ends_at=invitation.ends_at,
    )


@router.post(paths.JOIN, tags=["invitations"], status_code=HTTPStatus.CREATED)
def post_join(request: views.JoinRequest) -> Response[views.TokenIssued]:
    """Join by a link, and get a token, which is shown once.

    A repeat with the same Idempotency-Key gets the same token, and uses nothing up.
    """
    issued = join(services(), identify(), read_headers(), request)
    logger.info("token issued", extra={"player": issued.player, "token": issued.token.token})
    return Response(HTTPStatus.CREATED, "application/json", issued)


def join(api: ApiServices, caller: Caller, headers: Mapping[str, str], request: views.JoinRequest) -> views.TokenIssued:
    """Issue a token for a link; a repeat with the same key returns the same token.

    Raises Problem 400, 413 or 422 if the request is wrong, 401 or 403 if the token that was sent is, 404 if the
    code is, 409 if the invitation has ended, the name is taken, or the player has too many tokens.
    """
    key = _read_key(headers) or api.randomness(32).hex()
    secret = derive_token(request.code, key)
    owner = read_owner(caller, headers) if PLAYER_KEY_HEADER in headers else None
    new_player = make_player_id(api.randomness(10))

    def attempt() -> views.TokenIssued:
        invitation = _open(api, request.code)
        account, member = _name(api, invitation, request, caller, owner=owner, new_player=new_player)
        stored = api.issuer.tokens.find(secret)
        if stored is not None:
            return _repeat(api, secret, stored, account, member)
        now = api.clock()
        state = invitation.state_at(now)
        if state is not InvitationState.OPEN:
            raise Problem(HTTPStatus.CONFLICT, f"invitation-{state.replace('_', '-')}", _ENDED[state])
        rules = _find_rules(api, invitation)
        if rules and not request.accept_rules:
            listed = "; ".join(f"{benchmark}: {text}" for benchmark, text in rules.items())
            detail = f"accept_rules: expected true, for there are rules to accept: {listed}"
            raise unprocessable("rules-not-accepted", detail, pointer="/accept_rules")
        token = Token(
            id=token_id_of(secret),
            player=account.player.id,
            scopes=invitation.scopes,
            benchmarks=invitation.benchmarks,
            created_at=now,
            member=member,
            invitation=invitation.id,
            rules_accepted_at=now if rules else None,
        )
        used = invitation._replace(used=(*invitation.used, account.player.id))
        beside = [api.invitations.plan_change(used), *_plan_replaced(api, invitation)]
        is_new = caller.account is None and (invitation.player is None or api.players.find(account.player.id) is None)
        api.issuer.issue(secret, token, account, is_new=is_new, beside=beside)
        return views.view_issued(secret, token, account)

    return retry_on_conflict(attempt, what="an invitation")


@router.get(paths.TOKENS, tags=["tokens"])
def list_tokens(player: Holder = None) -> views.TokenList:
    """List the tokens of your player, its members' among them.

    They are those that the token covers, and of another player all. Raises Problem 401, 403, 404.
    """
    api = services()
    account, current = _find_holder(api, identify(), player)
    tokens = [each for each in api.issuer.list_of(account.player.id).values() if each.holds_at(api.clock())]
    covered = sorted(filter(current.covers, tokens), key=lambda token: (token.created_at, token.id))
    made = api.invitations.list_of(holder_of_player(account.player.id)) if current.member is None else []
    return views.TokenList(
        player=account.player.id,
        name=account.player.name,
        tokens=[views.view_token(each, current=current.id) for each in covered],
        invitations=[views.view_invitation(each, now=api.clock()) for each in made],
    )


@router.post(paths.REVOKE_TOKEN, tags=["tokens"])
def revoke_token(token: str, player: Holder = None) -> views.TokenView:
    """Revoke your token for good, or as the player itself a member's.

    Submissions stay. An administrator revokes any player's. Raises Problem 401, 403, 404.
    """
    api, caller = services(), identify()
    account, current = _find_holder(api, caller, player)
    holder = account.player.id
    if token != current.id:
        check_own(caller)
        tokens = api.issuer.list_of(holder).values()
        if not any(each.id == token and current.covers(each) for each in tokens):
            raise not_found(f"{player or 'you'} {'has' if player else 'have'} no such token")
    if player is not None:
        api.trail.add(caller.check_admin(), Action.REVOKE_TOKEN, subject=token, detail={"player": holder})
    try:
        revoked = api.issuer.revoke(holder, token, now=api.clock())
    except NotFound as error:
        raise not_found("there is no such token any more") from error
    logger.info("token revoked", extra={"token": token})
    return views.view_token(revoked, current=current.id)


def _check_inviter(benchmark: str) -> tuple[ApiServices, Caller, Actor]:
    """Return who invites, as an owner. Raises Problem 401, 403, 404, 409."""
    published = find_published(benchmark)
    check_not_archived(published)
    caller = identify()
    return services(), caller, caller.check_owner(published.id)


def _find_holder(api: ApiServices, caller: Caller, player: str | None) -> tuple[Account, Token]:
    """Return whose tokens are meant, and the token that was sent.

    Raises Problem 401, 403, 404.
    """
    if player is None:
        return caller.check_token()
    caller.check_admin()
    account = api.players.find(player) if is_player_id(player) else None
    if account is None:
        raise not_found("there is no player of this id who has had a token")
    return account, caller.check_token()[1]


def _make(
    api: ApiServices,
    request: views.MemberRequest,
    caller: Caller,
    holder: str,
    scopes: frozenset[Scope],
    *,
    benchmarks: tuple[str, ...],
    player: str | None = None,
    is_member: bool = False,
) -> tuple[str, Invitation]:
    """Return a new code and its invitation, not stored yet. Raises Problem 422."""
    code = CODE_PREFIX + base64.urlsafe_b64encode(api.randomness(CODE_BYTES)).decode().rstrip("=")
    now = api.clock()
    return code, Invitation(
        sha256=hash_secret(code),
        holder=holder,
        maker=caller.check_token()[0].player.id,
        scopes=scopes,
        benchmarks=benchmarks,
        player=player,
        is_member=is_member,
        max_uses=request.uses,
        note=_check_name(request.note, "note") if request.note.strip() else "",
        made_at=now,
        ends_at=now.replace(microsecond=0) + timedelta(days=request.days),
    )


def _find_mailed(api: ApiServices, holder: str) -> set[str]:
    """Return the addresses, in lower case, that have an open link by mail.

    If a request died before it passed on the mail of a link, nobody knows the code: that link does not count.
    """
    now = api.clock()
    opened = [each for each in api.invitations.list_of(holder) if each.state_at(now) is InvitationState.OPEN]
    states = _find_states(api, opened)
    return {
        each.address.lower()
        for each in opened
        if each.address and states[each.id] not in {MailedState.REFUSED, MailedState.UNKNOWN}
    }


def _find_states(api: ApiServices, invitations: Iterable[Invitation]) -> dict[str, MailedState]:
    """Return id → state, of those invitations that have an address. Raises Busy."""
    mailed = [each for each in invitations if each.address is not None]
    stored = api.outbox.find_states(_plan_mail(each) for each in mailed)
    bounced = api.suppressions.find_all({str(each.address) for each in mailed})
    return {
        each.id: MailedState.BOUNCED if each.address in bounced else _STATES[stored.get(_plan_mail(each).digest)]
        for each in mailed
    }


def _plan_mail(invitation: Invitation, code: str = "") -> PendingMail:
    digest = DigestKey(DigestKind.INVITATION, invitation.benchmarks[0], occasion=invitation.sha256)
    return PendingMail(digest, invitation.id, "", to_seconds(invitation.made_at), text=code)


def _charge_address(api: ApiServices, address: str) -> bool:
    """Count a mail to an address; return False if it got as many today as it may.

    What is after a `+` is still the same mailbox's; dots in its name are none of Gmail's, which has two domains.
    """
    name, _, host = address.lower().rpartition("@")
    mailbox = hash_secret(f"{name.partition('+')[0].replace('.', '')}@{host}".replace("@googlemail.", "@gmail."))
    try:
        quota = QuotaKey(_QUOTA, f"mail#{mailbox}", api.clock().date())
        api.quotas.charge_action(quota, QuotaKind.MAILS, per_day=MAILS_TO_ONE_PER_DAY)
    except QuotaExceeded:
        return False
    return True


def _charge_mails(api: ApiServices, benchmark: str, times: int) -> None:
    """Count mails of a benchmark's owners. Raises Problem 429."""
    quota = QuotaKey(benchmark, _QUOTA, api.clock().date())
    try:
        api.quotas.charge_action(quota, QuotaKind.MAILS, per_day=MAILS_PER_DAY, times=times)
    except QuotaExceeded as error:
        raise quota_problem(error, clock=api.clock) from error


def _put_one(api: ApiServices, code: str, made: Invitation) -> views.InvitationMade:
    api.invitations.put(made)
    view = views.view_invitation(made, now=made.made_at)
    return views.InvitationMade(**dict(view), code=code, path=f"/join#{code}")


def _open(api: ApiServices, code: str) -> Invitation:
    """Return the invitation of a code.

    Nobody guesses its 128 random bits, so wrong ones are not counted. Raises Problem 404.
    """
    invitation = api.invitations.find(hash_secret(code))
    if invitation is None:
        raise not_found("there is no such invitation; copy the whole link, or ask for a new one")
    return invitation


def _name(
    api: ApiServices,
    invitation: Invitation,
    request: views.JoinRequest,
    caller: Caller,
    *,
    owner: str | None,
    new_player: str,
) -> tuple[Account, str | None]:
    """Return whose token it is, and the name of its member.

    A new player has the id of the guest whom the owner of a player key was under this name, else `new_player`.

    Raises Problem 401, 403, 404, 422.
    """
    if caller.receipt_sha256 is not None:
        raise unauthorized("token-needed", "Authorization: expected a token, or none, found a receipt")
    named = invitation.is_member or (invitation.player is None and caller.account is None)
    if named != (request.name is not None):
        expected = "expected your name" if named else "expected none: the player has one"
        raise unprocessable("name-needed" if named else "name-beside-player", f"name: {expected}", pointer="/name")
    name = _check_name(request.name, "name") if request.name is not None else None
    if invitation.player is not None:
        if owner is not None:
            raise invalid_player_key("expected none: by this link nobody becomes a new player")
        account = _find_account(api, invitation.player, invitation.benchmarks)
        if account is None:
            raise not_found("the player of this link does not exist any more")
        return account, name
    if name is None:
        return check_own(caller)[0], None
    guest = find_guest(api, name, request.kind, owner=owner) if owner is not None else None
    player = Player(guest.id if guest else new_player, name, request.kind, verified=True)
    return Account(player, None, api.clock()), None


def _repeat(api: ApiServices, secret: str, stored: Token, account: Account, member: str | None) -> views.TokenIssued:
    """Return the token of an earlier request with this key. Raises Problem 422."""
    holder = api.players.find(stored.player)
    is_same = stored.member == member and holder is not None and holder.player.name == account.player.name
    if holder is None or not is_same:
        detail = "Idempotency-Key: this key joined before, under another name; give that name"
        raise unprocessable("idempotency-key-reused", detail, parameter="Idempotency-Key")
    return views.view_issued(secret, stored, holder)


def _find_rules(api: ApiServices, invitation: Invitation) -> dict[str, str]:
    """Return benchmark → rules, of those that are named. Raises Problem 404."""
    rules = {
        benchmark: find_benchmark(api.benchmarks, benchmark).definition.rules for benchmark in invitation.benchmarks
    }
    return {benchmark: text for benchmark, text in rules.items() if text is not None}


def _plan_replaced(api: ApiServices, invitation: Invitation) -> list[Write]:
    """Return the writes that revoke what a link to a player who lost a token replaces."""
    if invitation.player is None or invitation.is_member:
        return []
    lost = _find_invited(api, invitation.player, invitation.benchmarks[0])
    now = api.clock()
    return [plan_revoked(sha256, each._replace(revoked_at=now)) for sha256, each in lost.items()]


def _find_account(api: ApiServices, player: str, benchmarks: Sequence[str]) -> Account | None:
    """Return a player's account, or the one that claims rows of an earlier board.

    None if the player was erased, or has none and no such rows.
    """
    account = api.players.find(player)
    if account is not None or len(benchmarks) != 1:
        return account
    guest = Player(player, player, PlayerKind.MODEL if player.endswith("-model") else PlayerKind.HUMAN)
    name = find_name(api, guest, owner=own_rows(benchmarks[0]))
    return None if name is None else Account(guest._replace(name=name, verified=True), None, api.clock())


def _find_invited(api: ApiServices, player: str, benchmark: str) -> dict[str, Token]:
    """Return hash → token, of the player's own that its invitations issued."""
    now = api.clock()
    return {
        sha256: token
        for sha256, token in api.issuer.list_of(player).items()
        if token.invitation and token.member is None and token.benchmarks == (benchmark,) and token.holds_at(now)
    }


def _find(api: ApiServices, holder: str, invitation: str) -> Invitation:
    for each in api.invitations.list_of(holder):
        if each.id == invitation:
            return each
    raise not_found("there is no such invitation")


def _revoke(api: ApiServices, holder: str, invitation: str) -> Invitation:
    """Take back an invitation, and erase its address; return it as it then is.

    Raises Problem 404.
    """

    def attempt() -> Invitation:
        stored = _find(api, holder, invitation)
        if stored.revoked_at is None:
            stored = stored._replace(revoked_at=api.clock()).without_person()
            api.invitations.change(stored)
        return stored

    return retry_on_conflict(attempt, what=f"invitation {invitation}")


def derive_token(code: str, key: str) -> str:
    """Return the token of a code and a random key: neither gives it alone."""
    digest = hmac.digest(code.encode("utf-8", "surrogatepass"), key.encode(), "sha256")
    return TOKEN_PREFIX + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def check_own(caller: Caller) -> tuple[Account, Token]:
    """Return player and token, which is the player's own. Raises Problem 401, 403."""
    account, token = caller.check_token()
    if token.member is not None:
        raise forbidden("not-the-player", "Authorization: expected the player's own token, found a member's")
    return account, token


def _read_key(headers: Mapping[str, str]) -> str | None:
    """Return the idempotency key of a request; None without one. Raises Problem 400."""
    key = headers.get(KEY_HEADER)
    if key is not None and not _IS_KEY.fullmatch(key):
        detail = "Idempotency-Key: expected 32 to 255 visible ASCII characters that nobody can guess, such as a UUID"
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid-idempotency-key", detail)
    return key


def _read_note(name: str) -> str:
    """Return a name or number as an invitation has it; empty if it cannot be shown."""
    try:
        return check_guest_name(name) if name.strip() else ""
    except InvalidName:
        return ""


def _check_name(name: str, member: str) -> str:
    """Return a name, of this member of a request, as it is shown. Raises Problem 422."""
    try:
        return check_guest_name(name)
    except InvalidName as error:
        raise unprocessable(f"invalid-{member}", f"{member}: {error}", pointer=f"/{member}") from error
