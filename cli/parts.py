"""Results in parts: what is uploaded of a file until the site has all of it, and what a runner loads into one."""

import hashlib
import io
import json
import os
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from rich.progress import DownloadColumn

from cli.client import TryLater, make_error
from cli.console import print_note
from cli.progress import show_progress
from scoring_core.errors import InvalidResult
from scoring_core.io.limits import PART_BYTES


def submit_parts(
    client: httpx.Client, path: str, file: Path, query: Mapping[str, Any] | None, headers: Mapping[str, str]
) -> httpx.Response:
    """Upload what the site lacks of a file; return its answer once it lacks nothing.

    No more than one part is in memory. Raises OSError, TransportError, ApiError if a part is not taken.
    """
    # A client without the token: the forms are signed, and S3 must not see it.
    store = httpx.Client(timeout=60, verify=client.base_url.scheme == "https")
    with file.open("rb") as content, store, show_progress(DownloadColumn()) as progress:
        size, hashes = os.fstat(content.fileno()).st_size, list[str]()
        task = progress.add_task("reading", total=size)
        while part := content.read(PART_BYTES):
            hashes.append(hashlib.sha256(part).hexdigest())
            progress.advance(task, len(part))
        body = {"filename": file.name, "bytes": size, "parts": hashes}
        try:
            while (answer := client.post(path, params=query, json=body, headers=headers)).status_code == HTTPStatus.OK:
                lacking = answer.json()
                done = max(0, size - lacking["lacking"] * PART_BYTES)
                progress.update(task, description="uploading", completed=done)
                for number, form in enumerate(lacking["forms"]):
                    content.seek(PART_BYTES * hashes.index(form["sha256"]))
                    url = client.base_url.join(form["url"])
                    if not _takes(store, url, form["fields"], content.read(PART_BYTES), is_fresh=not number):
                        break
                    progress.advance(task, PART_BYTES)
        except BaseException:
            print_note(f"{file}: not all is uploaded; the same command goes on")
            raise
        return answer


def _takes(store: httpx.Client, url: httpx.URL, fields: Mapping[str, str], part: bytes, *, is_fresh: bool) -> bool:
    """Send a part; return whether its form was still valid.

    Raises ApiError if a fresh one is rejected, or the part.
    """
    with io.BytesIO(part) as file:  # closed, it lets go of the part, which the request keeps for a while
        answer = store.post(url, data=fields, files={"file": ("part", file)})
    if not answer.is_success and (is_fresh or answer.status_code != HTTPStatus.FORBIDDEN):
        raise make_error(answer, "a part is not taken; was the file changed?")
    return answer.is_success


def load_parts(client: httpx.Client, path: str, listed: bytes, sha256: str, file: Path) -> None:
    """Write a result into a file, part by part.

    Args:
        client: The site; what it redirects to gets no token.
        path: Of the submission.
        listed: The raw result, which lists the parts.
        sha256: The hash over theirs.
        file: What is written.

    Raises:
        InvalidResult: A part has other bytes than its hash says.
        TryLater: A part cannot be loaded.
    """
    result = json.loads(listed)
    hashed = hashlib.sha256(b"".join(map(bytes.fromhex, result["parts"])))
    with file.open("wb") as whole:
        for part in result["parts"]:
            digest = hashlib.sha256()
            with client.stream("GET", f"{path}/result", params={"sha256": part}, follow_redirects=True) as answer:
                if not answer.is_success:
                    raise TryLater(f"a part cannot be loaded: {answer.status_code} {answer.reason_phrase}")
                for chunk in answer.iter_bytes():
                    digest.update(chunk)
                    whole.write(chunk)
            if digest.hexdigest() != part:
                raise InvalidResult(f"part {part[:8]} has other bytes than its hash says")
        if (hashed.hexdigest(), whole.tell()) != (sha256, result["bytes"]):
            raise InvalidResult(f"expected {result['bytes']} bytes, of hash {sha256}, found {whole.tell()}")
