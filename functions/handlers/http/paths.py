"""The paths of the API and the method of each, in the resolver's syntax: `<name>` is one segment.

A path that takes GET also takes HEAD.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

HEALTH = "/api/health"
BENCHMARKS = "/api/benchmarks"
BENCHMARK = f"{BENCHMARKS}/<benchmark>"
SUBMISSIONS = f"{BENCHMARK}/submissions"
RUNS = f"{BENCHMARK}/runs"
SUBMISSION = f"{SUBMISSIONS}/<submission>"
RESULT = f"{SUBMISSION}/result"
WITHDRAWAL = f"{SUBMISSION}/withdrawal"
UNDO = f"{WITHDRAWAL}/undo"
ERRORS = f"{BENCHMARK}/errors"
DOWNLOADS = f"{BENCHMARK}/downloads"
REVIEWS = f"{BENCHMARK}/reviews"
REVIEW = f"{REVIEWS}/<submission>"
RESCORE = f"{BENCHMARK}/rescore"
PUBLICATIONS = f"{BENCHMARK}/publications"
PUBLICATION = f"{PUBLICATIONS}/<publication>"
START = f"{PUBLICATION}/start"
BANS = f"{BENCHMARK}/bans"
BAN = f"{BENCHMARK}/ban"
UNBAN = f"{BENCHMARK}/unban"
ARCHIVE = f"{BENCHMARK}/archive"
ARCHIVE_UNDO = f"{ARCHIVE}/undo"
DELETION = f"{BENCHMARK}/deletion"
UPLOADS = f"{BENCHMARK}/uploads"
UPLOAD = f"{UPLOADS}/<upload>"
UPLOAD_WITHDRAWAL = f"{UPLOAD}/withdrawal"
UPLOAD_UNDO = f"{UPLOAD_WITHDRAWAL}/undo"
BATCHES = f"{BENCHMARK}/batches"
PLAYER = f"{BENCHMARK}/players/<player>"
AROUND = f"{PLAYER}/around"
BOARDS = f"{BENCHMARK}/boards"
ROWS = f"{BENCHMARK}/rows"
ROWS_CSV = f"{BENCHMARK}/rows.csv"
ROWS_SVG = f"{BENCHMARK}/rows.svg"
ROWS_HTML = f"{BENCHMARK}/rows.html"
ROWS_PNG = f"{BENCHMARK}/rows.png"
ROWS_ATOM = f"{BENCHMARK}/rows.atom"
BOARD_PAGE = "/api/data/b/<benchmark>/index.html"
START_PAGE = "/api/data/index.html"
BOARD_FILE = "/api/data/b/<benchmark>/boards/<board>/<file>"
VERSION_FILE = "/api/data/b/<benchmark>/boards/<board>/<version>/<file>"
INVITE = f"{BENCHMARK}/invite"
INVITE_BY_MAIL = f"{INVITE}/mail"
INVITATIONS = f"{BENCHMARK}/invitations"
REVOKE_INVITATION = f"{INVITATIONS}/<invitation>/revoke"
MEMBER_INVITATIONS = "/api/invitations"
REVOKE_MEMBER_INVITATION = f"{MEMBER_INVITATIONS}/<invitation>/revoke"
OPEN_INVITATION = f"{MEMBER_INVITATIONS}/open"
JOIN = f"{MEMBER_INVITATIONS}/join"
TOKENS = "/api/tokens"
REVOKE_TOKEN = f"{TOKENS}/<token>/revoke"
CREATE_TOKEN = f"{TOKENS}/create"
AUDIT = "/api/audit"
OPERATIONS = "/api/operations"
OPERATION = f"{OPERATIONS}/<operation>"
PLAYER_BOARDS = "/api/players/<player>"
EXPORT = "/api/me/export"
ERASURE = "/api/me/erasure"
"""The same address: RFC 8058 wants the POST where the page is."""
MCP = "/api/mcp"
OPENAPI = "/api/openapi.json"

SHORT = "/api/submit"
"""Where the site's `/submit` leads: to the POST of a result, if the site names a benchmark for it."""

DRES = "/api/v2/"
"""Prefix of the client API of DRES v2; errors there have DRES's own shape."""
DRES_LOGIN = f"{DRES}login"
DRES_LOGOUT = f"{DRES}logout"
DRES_USER = f"{DRES}user"
DRES_TIME = f"{DRES}status/time"
DRES_EVALUATIONS = f"{DRES}client/evaluation/list"
DRES_TASK = f"{DRES}client/evaluation/currentTask/<evaluation>"
DRES_SUBMIT = f"{DRES}submit/<evaluation>"
DRES_QUERY_LOG = f"{DRES}log/query/<evaluation>"
DRES_RESULT_LOG = f"{DRES}log/result/<evaluation>"

METHODS: Mapping[str, str] = MappingProxyType(
    {
        HEALTH: "GET",
        BENCHMARKS: "GET",
        BENCHMARK: "GET",
        SUBMISSIONS: "POST",
        RUNS: "POST",
        SUBMISSION: "GET",
        RESULT: "GET",
        WITHDRAWAL: "POST",
        UNDO: "POST",
        UPLOADS: "POST",
        UPLOAD: "GET",
        UPLOAD_WITHDRAWAL: "POST",
        UPLOAD_UNDO: "POST",
        BATCHES: "GET",
        PLAYER: "GET",
        AROUND: "GET",
        BOARDS: "GET",
        ROWS: "GET",
        ROWS_CSV: "GET",
        ROWS_SVG: "GET",
        ROWS_HTML: "GET",
        ROWS_PNG: "GET",
        ROWS_ATOM: "GET",
        BOARD_PAGE: "GET",
        START_PAGE: "GET",
        BOARD_FILE: "GET",
        VERSION_FILE: "GET",
        ERRORS: "GET",
        DOWNLOADS: "POST",
        REVIEWS: "GET",
        REVIEW: "POST",
        RESCORE: "POST",
        PUBLICATIONS: "POST",
        PUBLICATION: "GET",
        START: "POST",
        BANS: "GET",
        BAN: "POST",
        UNBAN: "POST",
        ARCHIVE: "POST",
        ARCHIVE_UNDO: "POST",
        DELETION: "POST",
        INVITE: "POST",
        INVITE_BY_MAIL: "POST",
        INVITATIONS: "GET",
        REVOKE_INVITATION: "POST",
        MEMBER_INVITATIONS: "POST",
        REVOKE_MEMBER_INVITATION: "POST",
        OPEN_INVITATION: "POST",
        JOIN: "POST",
        TOKENS: "GET",
        REVOKE_TOKEN: "POST",
        CREATE_TOKEN: "POST",
        AUDIT: "GET",
        OPERATIONS: "POST",
        OPERATION: "GET",
        PLAYER_BOARDS: "GET",
        EXPORT: "GET",
        ERASURE: "POST",
        MCP: "POST",
        OPENAPI: "GET",
        DRES_LOGIN: "POST",
        DRES_LOGOUT: "GET",
        DRES_USER: "GET",
        DRES_TIME: "GET",
        DRES_EVALUATIONS: "GET",
        DRES_TASK: "GET",
        DRES_SUBMIT: "POST",
        DRES_QUERY_LOG: "POST",
        DRES_RESULT_LOG: "POST",
    }
)


def find_method(path: str) -> str | None:
    """Return the method that a path takes; None if there is no such path."""
    return next((method for template, method in METHODS.items() if _compile(template).fullmatch(path)), None)


def _compile(path: str) -> re.Pattern[str]:
    return re.compile("/".join("[^/]+" if part.startswith("<") else re.escape(part) for part in path.split("/")))
