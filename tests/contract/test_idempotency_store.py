"""Idempotency keys: the first claim stands for eight days, for its own scope alone."""

import copy
import re
from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.gateway.errors import Busy
from storage.submissions.idempotency import KEEP, IdempotencyRecord, IdempotencyStore, derive_receipt
from tests.contract.conftest import intercept
from tests.harness.stack import ROOT

FIRST = IdempotencyRecord("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "0a" * 32, "01" * 16)
SECOND = IdempotencyRecord("017f22e2-79b0-7cc3-98c4-dc0c0c073990", "0b" * 32, "02" * 16)


@pytest.mark.parametrize(
    ("later", "stands"),
    [(timedelta(days=7, hours=23), FIRST), (KEEP, FIRST), (KEEP + timedelta(seconds=1), SECOND)],
)
def test_idempotency_record_expires(
    access: IdempotencyStore, clock: Any, later: timedelta, stands: IdempotencyRecord
) -> None:
    """After eight days a key is free again, though DynamoDB has not yet deleted it."""
    access.acquire("key", scope="a", record=FIRST, now=clock())

    assert access.acquire("key", scope="a", record=SECOND, now=clock() + later) == stands


def test_key_outlives_what_the_kits_keep() -> None:
    """A result that a kit sends again is remembered; the sweep looks back further than one can be finished."""
    (days,) = re.findall(r"WEEK = (\d+) \* DAY", (ROOT / "sdk/laurel.js").read_text())
    (seconds,) = re.findall(
        r"KEPT_SECONDS := (\d+) \* 86_400", (ROOT / "sdk/godot/addons/laurel/laurel.gd").read_text()
    )
    (hours,) = re.findall(r"""Input: '{"hours": (\d+)}'""", (ROOT / "template.yaml").read_text())

    assert timedelta(days=max(int(days), int(seconds)) + 1) <= KEEP
    assert KEEP + timedelta(days=2) <= timedelta(hours=int(hours))


def test_claim_that_vanishes(access: IdempotencyStore, clock: Any) -> None:
    """A claim that expires between the write and the read is worth another try, not an error of the player's."""
    access.acquire("key", scope="a", record=FIRST, now=clock())
    store = copy.replace(access, table=intercept(access.table, get=Mock(return_value=None)))

    with pytest.raises(Busy):
        store.acquire("key", scope="a", record=SECOND, now=clock())


@given(
    key=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40),
    nonce=st.binary(min_size=16, max_size=16),
)
def test_receipt_needs_key_and_nonce(key: str, nonce: bytes) -> None:
    """A receipt is 128 bits, the same for the same key and nonce, and another for another of either."""
    receipt = derive_receipt(key, nonce=nonce.hex())

    assert len(bytes.fromhex(receipt)) == 16
    assert derive_receipt(key, nonce=nonce.hex()) == receipt
    assert derive_receipt(key + "x", nonce=nonce.hex()) != receipt
    assert derive_receipt(key, nonce=bytes(16).hex() if any(nonce) else "01" * 16) != receipt
