"""The server of the site: a thread for each request under way, kept for the next one."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from local.site import listening
from local.site.listening import listen
from tests.harness.waiting import wait_for


def test_threads_answer_side_by_side_stay_a_while_and_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that wait for each other are all answered; those one after another share a thread."""
    monkeypatch.setattr(listening, "IDLE_SECONDS", 0.5)
    used: list[threading.Thread] = []
    together = threading.Barrier(8, timeout=60)

    def answer(environ: Any, start_response: Any) -> Iterable[bytes]:
        used.append(threading.current_thread())
        if environ["PATH_INFO"] == "/together":
            together.wait()
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"done"]

    server = listen(0, answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://localhost:{server.port}"
    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(httpx.get, [f"{url}/together"] * 8))
    side_by_side = set(used)
    used.clear()
    answers += [httpx.get(url) for _ in range(20)]
    after_each_other = set(used)
    wait_for(lambda: not any(thread.is_alive() for thread in side_by_side | after_each_other))
    answers.append(httpx.get(url))
    server.shutdown()
    server.server_close()

    assert {answer.text for answer in answers} == {"done"}
    assert len(side_by_side) == 8
    assert len(after_each_other) < 20
