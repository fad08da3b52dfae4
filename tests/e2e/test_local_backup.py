"""Another stack goes on from a copy of one."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from aggregate.benchmarks.publishing import publish_benchmark
from local.data import back_up, restore
from local.layout import ROOT
from local.stack import LocalStack, Stack
from scoring_core.benchmarks.loading import load_folder
from tests.e2e.conftest import Laurel
from tests.harness.local_stack import open_aggregator
from tests.harness.waiting import wait_for

pytestmark = pytest.mark.e2e


def test_who_was_erased_after_a_backup_stays_erased(tmp_path: Path) -> None:
    """A restore erases guests and accounts again: rows, names, tokens and addresses; the trail still says when."""
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    keys = {
        name: {"Laurel-Player-Key": f"player_{digit * 32}"} for name, digit in zip(("Zoë", "Ida"), "12", strict=True)
    }
    zoe, named = {"player": "Zoë"}, keys["Zoë"]

    def start() -> LocalStack:
        return LocalStack(port=0, log=lambda _: None, state=tmp_path / "state", data=data)

    def list_rows(client: httpx.Client) -> list[str]:
        return [row["name"] for row in client.get("/api/benchmarks/aic-2025/rows").json()["rows"]]

    with start() as stack, httpx.Client(base_url=stack.url, timeout=60) as client:
        publish_benchmark(load_folder(ROOT / "benchmarks" / "aic-2025"), open_aggregator(stack))
        admin = {"Authorization": f"Bearer {(stack.state / 'token').read_text().strip()}"}
        wish = {"player": "heron", "name": "Heron", "scopes": ["submit"], "email": "heron@example.org"}
        secret = client.post("/api/tokens/create", json=wish, headers=admin).raise_for_status().json()["secret"]
        heron = {"Authorization": f"Bearer {secret}"}
        run = {"question": "1", "text": "TR-V011-4945,5001"}
        path = "/api/benchmarks/aic-2025/submissions"
        for query, headers in ((zoe, keys["Ida"]), (zoe, named), ({"player": "Ida"}, keys["Ida"]), ({}, heron)):
            client.post(path, params=query, headers=headers, json=run).raise_for_status()
        before = wait_for(lambda: rows if len(rows := list_rows(client)) == 4 else None)
        back_up(data, copy)
        for query, headers in ((zoe, named), ({}, heron)):
            own = client.get("/api/me/export", params=query, headers=headers).raise_for_status().json()["player"]
            client.post("/api/me/erasure", params=query, headers=headers, json={"confirm": own}).raise_for_status()
        trail = client.get("/api/audit", headers=admin).json()["entries"]

    restore(copy, data, replace=True)

    with start() as stack, httpx.Client(base_url=stack.url, timeout=60) as client:
        rows = wait_for(lambda: names if len(names := list_rows(client)) == 2 else None)
        answers = [
            client.post(path, params=query, headers=headers, json=run) for query, headers in ((zoe, named), ({}, heron))
        ]
        kept = client.get("/api/audit", headers=admin).json()["entries"]
        items = [item for (item,) in stack.store.read("SELECT item FROM items")]
    assert sorted(before or ()) == ["Heron", "Ida", "Zoë", "Zoë ·2"]
    assert sorted(rows or ()) == ["Ida", "Zoë"]
    assert [answer.status_code for answer in answers] == [403, 401]
    assert [entry for entry in trail if entry["action"] == "erase"] == [e for e in kept if e["action"] == "erase"] != []
    assert [item for item in items if "heron@example.org" in item or "Zoë ·2" in item] == []


def test_backup_page_is_typed_as_it_stands(laurel: Laurel, stack: Stack, tmp_path: Path) -> None:
    """The commands of docs/server.md copy a running stack, and bring the copy back where none runs."""
    page = (ROOT / "docs" / "server.md").read_text().partition("## Back up and restore")[2].partition("## ")[0]
    commands = [shlex.split(line, comments=True)[2:] for line in re.findall(r"^\$ .+$", page, re.MULTILINE)]
    (shown,) = re.findall(r"^backed up .+$", page, re.MULTILINE)

    backed_up = laurel(*commands[0])
    restored = subprocess.run(
        [sys.executable, "-m", "cli", commands[1][0], str(stack.state.parent / commands[1][1])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert [words[0] for words in commands] == ["backup", "restore"]
    assert commands[0][1] == commands[1][1]
    said = [re.sub(r"[0-9.]+", "N", line.partition(": ")[2]) for line in (shown, backed_up.stdout.strip())]
    assert said[0] == said[1], backed_up.stderr
    assert restored.returncode == 0, restored.stderr
    assert (tmp_path / ".laurel" / "data" / "laurel.db").is_file()
