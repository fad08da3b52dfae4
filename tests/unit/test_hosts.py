"""Whom the local server answers: requests for its names, and pages of its own."""

from typing import Any

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app
from werkzeug.wrappers import Request

from local.site.hosts import Hosts, is_name
from local.site.server import behind_proxy

HOSTS = Hosts(frozenset({"laurel.example"}))
PUBLIC = ("/api/health", "/api/benchmarks/x/submissions", "/data/index.json")
PRIVATE = ("/", "/storage/uploads", "/outbox", "/outbox/000001.html", "/assets/x.js")


def refuse(path: str, *, host: str | None = "localhost:8000", origin: str | None = None) -> tuple[int, str] | None:
    """Return status and text of a refusal; None where there is none."""
    environ = EnvironBuilder(path).get_environ()
    environ["HTTP_HOST"] = host
    if host is None:
        del environ["HTTP_HOST"]
    if origin is not None:
        environ["HTTP_ORIGIN"] = origin
    response = HOSTS.reject(Request(environ))
    return response and (response.status_code, response.get_data(as_text=True))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:1",
        "127.0.0.1:80",
        "[::1]:8000",
        "laurel.example",
        "Laurel.Example:443",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/health", "/data/index.json", "/uploads"])
def test_own_name_is_answered(host: str, path: str) -> None:
    """The names of this machine, and those that were given, on any port."""
    assert refuse(path, host=host) is None


@pytest.mark.parametrize(
    "host",
    [
        None,
        "",
        "evil.example",
        "localhost.evil.example",
        "evil.localhost",
        "localhost.",
        "0.0.0.0",  # noqa: S104  # a name, not an address to listen at
        "[::]",
        "::1",
        "localhost,evil.example",
        "localhost:8000:8000",
        "user@localhost",
        "<script>",
    ],
)
def test_foreign_name_is_refused(host: str | None) -> None:
    """The answer to another name shows the option that would admit it, without its markup."""
    for path in ("/", "/api/health", "/data/index.json", "/outbox", "/uploads"):
        refusal = refuse(path, host=host)

        assert refusal is not None, path
        assert refusal[0] == 421
        assert "laurel local --host" in refusal[1]
        assert "<" not in refusal[1]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "localhost", "file://localhost", ""]
)
def test_foreign_page_reaches_what_is_public_alone(origin: str) -> None:
    """The API and snapshots are for pages of every origin; pages, forms and mails are not."""
    refusals = {path: refuse(path, origin=origin) for path in PUBLIC + PRIVATE}

    assert [refusals[path] for path in PUBLIC] == [None] * len(PUBLIC)
    assert [(refusals[path] or (None,))[0] for path in PRIVATE] == [403] * len(PRIVATE)


@pytest.mark.parametrize(
    "origin", ["http://localhost:8000", "http://127.0.0.1:9000", "http://[::1]", "https://laurel.example"]
)
def test_own_page_reaches_everything(origin: str) -> None:
    """A page of this server sends forms to it, under any of its names."""
    assert refuse("/storage/uploads", origin=origin) is None


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("laurel.example", True),
        ("LAUREL", True),
        ("[fe80::1]", True),
        ("laurel.example:80", False),
        ("https://laurel.example", False),
        ("laurel/x", False),
        ("*", False),
        ("", False),
    ],
)
def test_host_name_has_no_scheme_or_port(text: str, *, holds: bool) -> None:
    """A name has neither scheme nor port."""
    assert is_name(text) is holds


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded"])
def test_outbox_is_for_the_machine_itself(name: str) -> None:
    """Mails are not shown under a public name, nor to what comes through a proxy."""
    environ = EnvironBuilder("/outbox/000001.html", headers={"Host": "localhost:8000", name: "192.0.2.7"}).get_environ()
    through_proxy = HOSTS.reject(Request(environ))

    assert refuse("/outbox") is None
    assert (refuse("/outbox/", host="laurel.example") or (0,))[0] == 403
    assert through_proxy is not None
    assert through_proxy.status_code == 403


def test_proxy_reports_where_a_visitor_comes_from() -> None:
    """The address is the one that the proxy added last, not what the visitor claims."""
    seen = []

    def note(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(Request(environ).remote_addr)
        start_response("200 OK", [])
        return []

    for headers in ({"X-Forwarded-For": "198.51.100.6, 203.0.113.9"}, {}):
        environ = EnvironBuilder(headers=headers, environ_base={"REMOTE_ADDR": "127.0.0.1"}).get_environ()
        run_wsgi_app(behind_proxy(note), environ)

    assert seen == ["203.0.113.9", "127.0.0.1"]
