"""Which stack a command speaks to: the one that is named, else the one that runs here.

Nothing else is asked: on a shared machine the usual port may be somebody else's stack.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from scoring_core.errors import LaurelError

STACK_FILE: Final = Path(".laurel/stack.json")
TOKEN_FILE: Final = STACK_FILE.with_name("token")
"""The token of the administrator of the stack that `laurel local` runs in this folder."""
DATA_VARIABLE: Final = "LAUREL_DATA"
"""In the environment of a stack on this machine: the folder in which it keeps everything."""
_EXAMPLE: Final = "https://laurel.example.org or http://localhost:8000"


class NoStack(LaurelError):
    """No stack is named, or the named one does not exist."""


class InvalidAddress(LaurelError):
    """The address of a site cannot be used; the message says what was expected."""


class SiteChoice(NamedTuple):
    """The site that a command speaks to: its address without a slash at the end, and how it was chosen."""

    url: str
    source: str

    @property
    def is_local(self) -> bool:
        """Return whether the site runs on this machine."""
        return is_this_machine(urlsplit(self.url).hostname or "")


class Running(NamedTuple):
    """A stack on this machine: the folder where it was started, its URL and the environment of AWS clients."""

    folder: Path
    url: str
    environment: Mapping[str, str]

    def read_token(self) -> str | None:
        """Return the token of its administrator; None if there is none.

        Only this user can read it.
        """
        try:
            return (self.folder / TOKEN_FILE).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None


def find_site(address: str | None) -> SiteChoice:
    """Return the site that a command speaks to.

    Args:
        address: What `--api` or LAUREL_API names; None: the stack of this folder or of one above it.

    Raises:
        NoStack: No site is named, and none runs here.
        InvalidAddress: The address is not that of a site.
    """
    if address is not None:
        source = "LAUREL_API" if address == os.environ.get("LAUREL_API") else "--api"
        return SiteChoice(check_address(address, source), source)
    running = find_running(Path.cwd())
    if running is None:
        raise NoStack(
            f"no site is named and no stack runs in this folder; name one with --api or LAUREL_API ({_EXAMPLE}), "
            "or start one with `laurel local`"
        )
    return SiteChoice(running.url, f"runs in {running.folder}")


def find_admin_token(site: SiteChoice) -> str | None:
    """Return the administrator's token of the stack here, if that is the site.

    The token goes to the address of that stack alone, however that was named.
    """
    try:
        running = find_running(Path.cwd())
    except NoStack:  # it has ended
        return None
    return running.read_token() if running is not None and running.url == site.url else None


def is_this_machine(host: str) -> bool:
    """Return whether a host name, or an address without brackets, is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def check_address(text: str, source: str) -> str:
    """Return the address of a site as requests need it. Raises InvalidAddress.

    >>> check_address("https://laurel.example.org/", "--api")
    'https://laurel.example.org'
    """
    try:
        parts = urlsplit(text if "://" in text else f"//{text}")
        port = parts.port
    except ValueError as error:
        raise InvalidAddress(f"{source}: expected an address such as {_EXAMPLE}, found {text!r}: {error}") from error
    if parts.username or parts.password:  # not repeated: an error may end up in a log
        raise InvalidAddress(
            f"{source}: expected an address without a user name or password; a token goes into LAUREL_TOKEN"
        )
    if (
        parts.scheme in {"http", "https"}
        and parts.hostname
        and parts.path in {"", "/"}
        and not parts.query + parts.fragment
    ):
        return f"{parts.scheme}://{parts.netloc}"
    hint = ""
    if parts.hostname and parts.scheme in {"", "http", "https"}:
        likely = "http" if SiteChoice(f"http://{parts.netloc}", "").is_local or port not in {None, 443} else "https"
        hint = f"; did you mean {parts.scheme or likely}://{parts.netloc}?"
    raise InvalidAddress(f"{source}: expected an address such as {_EXAMPLE}, found {text!r}{hint}")


def find_running(folder: Path) -> Running | None:
    """Return the stack of a folder or of one above it; None if there is none.

    Another user's stack does not count. Raises NoStack if the stack has ended.
    """
    for place in (folder, *folder.parents):
        file = place / STACK_FILE
        try:
            if file.stat().st_uid == os.getuid():
                return _read_running(place, file)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
    return None


@contextmanager
def announced(path: Path, *, url: str, environment: Mapping[str, str]) -> Iterator[None]:
    """Write URL and environment of a stack to a file, while the context lasts.

    Only this user can read the file.

    The process holds a lock on the file. The kernel releases it however the process ends, so a file without a lock
    belongs to a stack that has ended. An existing file is replaced.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        json.dump({"url": url, "environment": dict(environment)}, file, indent=2)
        file.flush()
        draft.replace(path)
        try:
            yield
        finally:
            if path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno())):  # not another stack's
                path.unlink()


def _read_running(folder: Path, file: Path) -> Running:
    with file.open(encoding="utf-8") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            running: dict[str, Any] = json.load(opened)
            return Running(folder, running["url"], running["environment"])
    shown = STACK_FILE if folder == Path.cwd() else file
    raise NoStack(f"the stack of {shown} has ended; `laurel local` starts it again, with all that it keeps")
