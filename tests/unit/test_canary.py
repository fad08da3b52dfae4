"""The canary: it is content with the one answer that `submit` gives, and reports every other."""

import socket
from threading import Thread

import pytest

from upkeep.canary import PAUSE_SECONDS, TRIES, CanaryAnswer, NobodyCanSubmit, check_site, post_result

GOOD = CanaryAnswer(404, b'{"type": "urn:laurel:problem:not-found"}')


def run(
    answers: list[CanaryAnswer | OSError], *, site_url: str = "https://laurel.example"
) -> tuple[list[str], list[float]]:
    """Let a canary try until the answers end; return the addresses and pauses."""
    urls, pauses = list[str](), list[float]()

    def post(url: str) -> CanaryAnswer:
        urls.append(url)
        answer = answers[min(len(urls), len(answers)) - 1]
        if isinstance(answer, OSError):
            raise answer
        return answer

    check_site(site_url, post, pauses.append)
    return urls, pauses


def test_canary_is_content_with_the_answer_of_submit() -> None:
    """One request to the site, and no pause."""
    urls, pauses = run([GOOD])

    assert (len(urls), pauses) == (1, [])
    assert urls[0].startswith("https://laurel.example/api/benchmarks/")


def test_canary_forgives_a_short_fault() -> None:
    """It tries again after a pause, so that a deployment wakes nobody."""
    assert run([OSError("reset"), CanaryAnswer(503, b""), GOOD])[1] == [PAUSE_SECONDS] * 2


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (OSError("certificate has expired"), "certificate has expired"),
        (CanaryAnswer(403, b'{"type": "urn:laurel:problem:not-this-host"}'), "not-this-host"),
        (CanaryAnswer(404, b"<html>Not found</html>"), "Not found"),
        (CanaryAnswer(404, b'["urn:laurel:problem:not-found"]'), "404"),
        (CanaryAnswer(429, b'{"message": "Too Many Requests"}'), "Too Many Requests"),
        (CanaryAnswer(202, b"{}"), "202"),
        (CanaryAnswer(503, b'{"type": "urn:laurel:problem:unavailable"}'), "503"),
    ],
)
def test_canary_reports_that_nobody_can_submit(answer: CanaryAnswer | OSError, found: str) -> None:
    """After its tries it fails with what it found, so that the alarm on errors reports it."""
    tried = [answer] * TRIES

    with pytest.raises(NobodyCanSubmit, match="expected a problem of submit") as caught:
        run(tried)

    assert found in str(caught.value)


def test_canary_rests_without_a_site() -> None:
    """A stage of development has none."""
    assert run([GOOD], site_url="") == ([], [])


def test_answer_that_is_no_http_is_tried_again() -> None:
    """It is as a lost connection, which one try forgives."""

    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"SSH-2.0\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=answer, args=(server,))
        thread.start()
        with pytest.raises(OSError, match="BadStatusLine"):
            post_result(f"http://127.0.0.1:{server.getsockname()[1]}/")
        thread.join()
