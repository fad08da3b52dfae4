"""The site in an export: its own pages, and the answers that they ask for, in files beside them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import httpx

from cli.client import PathNotFound
from cli.exports.folder import ExportFolder

FOLDER: Final = "site"
FILES: Final = "app/files.json"
"""The list of what the site's pages need; `frontend/vite.config.ts` writes it."""
_PAGE: Final = "exported.html"
_HASHED: Final = "assets/"
"""Files that have a hash in their names, so that they never change."""
_SHARDS: Final = 256


def write_pages(ask: Callable[[str], httpx.Response], folder: ExportFolder) -> bool:
    """Write the pages of the site, and return whether it has any. Raises ApiError."""
    try:
        names: list[str] = ask(f"/{FILES}").json()
    except PathNotFound:
        return False
    for name in names:
        path = f"{FOLDER}/{'index.html' if name == _PAGE else name}"
        if not (name.startswith(_HASHED) and folder.keeps(path)):
            folder.write(path, ask(f"/{name}").content)
    return True


def write_answers(answers: Mapping[str, Any], folder: ExportFolder) -> None:
    """Write the answers of the API that pages ask for.

    They are named by their paths below the benchmark, as `players/ada`, and spread over so many files that each has
    few; `shardOf` of the site finds the file of a path.
    """
    shards: dict[int, dict[str, Any]] = defaultdict(dict)
    for path, answer in answers.items():
        shards[sum(path.encode()) % _SHARDS][path] = answer
    for number, shard in shards.items():
        folder.write_lines(f"{FOLDER}/answers/{number:x}.json", [shard])


def list_answers(
    views: Mapping[str, Mapping[str, Any]], entries: Iterable[Mapping[str, Any]], records: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the answers about players, about their submissions, and each of these.

    A player's submissions are listed from the newest on.
    """
    answers: dict[str, Any] = {f"players/{player}": view for player, view in views.items()}
    answers |= {f"players/{player}/submissions": [] for player in views}
    for entry in sorted(entries, key=lambda entry: str(entry["submitted_at"]), reverse=True):
        if entry["player"] in views:  # else erased meanwhile
            answers[f"players/{entry['player']}/submissions"].append(entry)
    return answers | {f"submissions/{each['submission']}": each for each in records if each["player"] in views}
