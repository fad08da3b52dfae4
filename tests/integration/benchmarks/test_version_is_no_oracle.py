"""Nothing public is computed from the ground truth so that who tries every possible one finds it."""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any

import pytest
import yaml

from handlers.http import paths
from notify import stream as notices
from scoring_core.benchmarks.bundle import pack
from scoring_core.benchmarks.loading import Benchmark, load_bundle
from scoring_core.judgement import make_signature
from storage.players.tokens import Scope
from storage.submissions.models import PlayerKind
from tests.harness.factories import make_player, name_guest
from tests.harness.stack import EVENTS, Answer, Api, StackHarness
from tests.integration.mail.test_notify import Post
from tests.leaks.requests import VALUES, read_public

QUIZ: Mapping[str, Any] = {
    **EVENTS,
    "scorer": "iqa_fusion",
    "ground_truth": "truth.json",
    "parameters": {"missing": "ignore"},
    "score_type": {"headers": [{"name": "MCQ_accuracy", "type": "float"}]},
    "ranking": {"by": ["MCQ_accuracy"]},
}
SALT = "3f" * 32
BEN = make_player("ben", "Ben", PlayerKind.MODEL)
POSSIBLE = ["".join(letters) for letters in itertools.product("ABCD", repeat=3)]
"""All ground truths of three questions."""
WRONG, RIGHT = "CAB", "CAD"


def write_truth(letters: str) -> bytes:
    """Return a ground truth as anybody would lay it out who has seen the shipped one."""
    return json.dumps({f"q{number}": {"answer": letter} for number, letter in enumerate(letters, 1)}).encode()


def make_quiz(letters: str, **changes: Any) -> Benchmark:
    """Make a benchmark of three questions."""
    definition = yaml.safe_dump({**QUIZ, **changes}).encode()
    return load_bundle(pack({"benchmark.yaml": definition, "truth.json": write_truth(letters)}))


def answer(letters: str) -> dict[str, Any]:
    """Make a result."""
    return {"items": [{"id": f"q{number}", "answer": letter} for number, letter in enumerate(letters, 1)]}


def enumerate_truths(text: str, benchmark: Benchmark) -> set[str]:
    """Return the ground truths that a text gives away to readers who compute all that they know how to compute.

    Each 64 digits of the text are tried as a salt.
    """
    salts = set(re.findall(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", text))
    found = set()
    for letters in POSSIBLE:
        guess = replace(benchmark, files={**benchmark.files, "truth.json": write_truth(letters)})
        salted = [guess, *(guess.add_salt(salt) for salt in salts)]
        contents = [write_truth(letters), *(each.pack() for each in salted)]
        digests = [getattr(hashlib, name)(content) for name in ("md5", "sha1", "sha256") for content in contents]
        traces = {
            write_truth(letters).decode(),
            *(each.version for each in salted),
            *(make_signature(each) for each in salted),
            *(digest.hexdigest()[:16] for digest in digests),
            *(base64.urlsafe_b64encode(digest.digest()).decode()[:16] for digest in digests),
        }
        if any(trace in text for trace in traces):
            found.add(letters)
    return found


def play(api: Api, letters: str, *, name: str = "Ada", **headers: str) -> Answer:
    """Submit a result, as a guest or with a token."""
    return api.post(answer(letters), query={} if headers else {"player": name}, headers=headers)


@pytest.mark.parametrize("is_salted", [True, False])
def test_enumerated_truth_is_in_no_public_byte(
    api: Api,
    stack: StackHarness,
    work: Callable[[], None],
    log: Callable[[], list[dict[str, Any]]],
    *,
    is_salted: bool,
) -> None:
    """Neither the one that is published, nor the one before a correction; with `salt: none` anybody finds both."""

    def publish(letters: str) -> str:
        quiz = make_quiz(letters).add_salt(SALT) if is_salted else make_quiz(letters, salt="none")
        return stack.publish(quiz).active_versions[-1].version

    before = publish(WRONG)
    token = stack.issue_token(BEN, Scope.SUBMIT, address="ben@example.org")
    guest = play(api, "CAC").body
    for letters in ("AAA", WRONG, RIGHT):
        play(api, letters, **token)
    api.post({"items": 1}, headers=token)
    work()
    after = publish(RIGHT)
    owner = stack.issue_token(make_player("olga", "Olga"), Scope.OWN, benchmarks=("tiny",))
    assert api("POST", "/api/benchmarks/tiny/rescore", headers=owner).status == 202
    work()
    work()
    stack.index()
    stack.read_stream(notices.lambda_handler, function="NotifyFunction")
    post = Post(stack)
    post.work()

    login = {"username": "ben", "password": token["Authorization"].removeprefix("Bearer ")}
    session = api.ask(paths.DRES_LOGIN, login).body["sessionId"]
    values = {
        **VALUES,
        **{key: [guest["submission"]] for key in ("submission", "upload", "publication", "operation")},
        "player": [name_guest("Ada", PlayerKind.HUMAN).id],
        "players": ["ben"],
        "sort": ["MCQ_accuracy"],
        "version": [before, after],
        "session": [session],
    }
    receipt = {"Authorization": f"Bearer {guest['receipt']}"}
    public = str(read_public(stack, api, values, {"nobody": {}, "receipt": receipt, "player": token}))
    text = "\n".join((public, json.dumps(log()), *(mail.as_string() for mail in post.sent())))

    assert stack.head("tiny").version == after != before
    assert all(version in public for version in (before, after)), "the correction names both"
    assert f"|version:{after}|" in public, "a signature is public"
    assert len(post.sent()) > 0
    assert SALT not in text
    assert enumerate_truths(text, make_quiz(RIGHT)) == (set() if is_salted else {WRONG, RIGHT})
