"""Sessions: what is kept opens nothing, and an end is an end."""

from datetime import timedelta

import pytest

from local.aws import Cloud
from local.template import Template
from storage.access.tokens import Session, SessionStore
from storage.aws.errors import Conflict
from storage.aws.table import Table
from tests.harness.factories import NOON

SECRET = "0123456789abcdef"  # not one of anybody's
SESSION = Session(token_sha256="f" * 64, ends_at=NOON + timedelta(hours=8))


@pytest.fixture
def sessions(cloud: Cloud, template: Template) -> SessionStore:
    """The store of sessions."""
    return SessionStore(Table(cloud.dynamodb, template.resources["AccessTable"].name))


def test_there_and_back(sessions: SessionStore) -> None:
    """A session is found by its secret, and by nothing else."""
    sessions.put(SECRET, SESSION)

    assert sessions.find(SECRET) == SESSION
    assert sessions.find(SECRET + "0") is None
    assert sessions.find("\ud800") is None


def test_the_table_does_not_hold_the_secret(sessions: SessionStore, cloud: Cloud) -> None:
    """What is kept of a session lets nobody in, and has the attribute by which DynamoDB forgets it."""
    sessions.put(SECRET, SESSION)

    (item,) = cloud.dynamodb.scan(TableName=sessions.table.name)["Items"]
    assert SECRET not in str(item)
    assert item["expires_at"] == {"N": str(int(SESSION.ends_at.timestamp()))}


def test_the_same_secret_twice(sessions: SessionStore) -> None:
    """A secret stands for one session."""
    sessions.put(SECRET, SESSION)

    with pytest.raises(Conflict):
        sessions.put(SECRET, SESSION)


def test_deleted_session_is_gone(sessions: SessionStore) -> None:
    """A session that was deleted is gone; deleting it again changes nothing."""
    sessions.put(SECRET, SESSION)

    sessions.delete(SECRET)
    sessions.delete(SECRET)

    assert sessions.find(SECRET) is None


def test_session_ends() -> None:
    """A session holds until its end, exclusive."""
    assert SESSION.holds_at(SESSION.ends_at - timedelta(microseconds=1))
    assert not SESSION.holds_at(SESSION.ends_at)
