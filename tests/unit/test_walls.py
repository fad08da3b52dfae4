"""What the rehearsal's walls count and compare, without its emulator."""

import json

import pytest

from scripts.rehearsal.ministack.chains import MAX_INVOCATIONS, Chains, RecursionStopped, list_causes
from scripts.rehearsal.ministack.limits import (
    MAX_INLINE_CHARACTERS,
    RIGHTS,
    find_dropped_encryption,
    find_long_policies,
    find_missing_rights,
)


def go_round(chains: Chains, *, times: int, may_recur: bool = False) -> str:
    """Have two functions send each other a message, and return the last message of the first one."""
    sent = "posted"
    for number in range(times):
        for function in ("evaluate", "script"):
            invocation = chains.invoke(function, [sent], may_recur=may_recur)
            sent = f"{function}-{number}"
            chains.carry(invocation, sent)
    return sent


def test_seventeenth_invocation_of_a_chain_is_stopped() -> None:
    """Sixteen rounds of two functions are admitted, and the first function is not invoked again."""
    chains = Chains()
    sent = go_round(chains, times=MAX_INVOCATIONS)

    with pytest.raises(RecursionStopped, match="evaluate"):
        chains.invoke("evaluate", [sent], may_recur=False)
    chains.invoke("notify", [sent], may_recur=False)


def test_function_that_may_recur_is_not_stopped() -> None:
    """Its count rises all the same: another function of the chain is stopped on its own count."""
    chains = Chains()
    sent = go_round(chains, times=MAX_INVOCATIONS + 4, may_recur=True)

    with pytest.raises(RecursionStopped):
        chains.invoke("script", [sent], may_recur=False)


def test_batch_continues_its_longest_chain() -> None:
    """Of several messages the most travelled one counts."""
    chains = Chains()
    sent = go_round(chains, times=MAX_INVOCATIONS)

    with pytest.raises(RecursionStopped):
        chains.invoke("evaluate", ["fresh", sent], may_recur=False)
    chains.invoke("evaluate", ["fresh"], may_recur=False)


def test_causes_are_messages_and_the_objects_of_notices() -> None:
    """Of a queue's event; a stream's record and a schedule begin a new chain."""
    notice = {"Records": [{"s3": {"object": {"key": "results/a+b/1"}}}]}
    messages = [
        {"eventSource": "aws:sqs", "messageId": "1", "body": json.dumps(notice)},
        {"eventSource": "aws:sqs", "messageId": "2", "body": "no JSON"},
        {"eventSource": "aws:sqs", "messageId": "3", "body": "[]"},
        {"eventSource": "aws:dynamodb", "eventID": "4", "dynamodb": {}},
    ]

    assert list(list_causes({"Records": messages})) == ["1", "results/a b/1", "2", "3"]
    assert list(list_causes({"detail-type": "Scheduled Event"})) == []


def test_update_cannot_drop_the_encryption_of_a_table() -> None:
    """Only an update that leaves the property out is rejected."""
    on, off = ({"SSESpecification": {"SSEEnabled": enabled}} for enabled in (True, False))
    assert find_dropped_encryption(on, {})
    assert not any(find_dropped_encryption(*update) for update in ((on, off), ({}, off), ({}, {})))


def test_inline_policies_are_counted_together() -> None:
    """Two policies that fit each for itself are too long for one role."""
    policy = {"PolicyDocument": {"Statement": ["x" * (MAX_INLINE_CHARACTERS // 2)]}}

    assert find_long_policies([policy]) is None
    assert "exceeded" in (find_long_policies([policy, policy]) or "")


def test_deployer_without_a_right_is_named() -> None:
    """What a policy lacks is listed, whether it names actions or a pattern."""
    needed = RIGHTS["AWS::Logs::LogGroup"]
    most = {"Statement": [{"Effect": "Allow", "Action": [right for right in needed if "Tag" not in right]}]}
    every = {"Statement": [{"Effect": "Allow", "Action": "logs:*"}]}

    missing = ["logs:ListTagsForResource", "logs:ListTagsLogGroup", "logs:TagLogGroup", "logs:TagResource"]
    assert find_missing_rights("AWS::Logs::LogGroup", [most]) == missing
    assert find_missing_rights("AWS::Logs::LogGroup", [most, every]) == []
