"""What the local AWS stores outlasts its process, whenever that ends."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodbstreams.models import dynamodbstreams_backends
from moto.ses.models import ses_backends

from local.aws import Cloud, start_cloud
from local.disk import copies
from local.disk import store as disk_store
from local.disk.copies import back_up, restore
from local.disk.expiry import Expiry
from local.disk.items import StreamPositions
from local.disk.store import FILE, SCHEMA, DataError, Disk
from local.intrinsics import ACCOUNT, REGION
from local.outbox import Outbox
from local.template import Template

SENDER = "laurel@example.org"
KEY = {"benchmark": {"S": "coins"}, "submission_version": {"S": "1#a"}}


class Machine:
    """Starts the local AWS of a template on a folder, and reads all that it stores."""

    def __init__(self, template: Template) -> None:
        self.template = template
        self.lines: list[str] = []

    @contextmanager
    def running(self, folder: Path) -> Iterator[tuple[Cloud, Disk]]:
        """Run AWS; what it stored is in the folder."""
        disk = Disk(folder, on_failure=self.lines.append)
        cloud = start_cloud(self.template, sender=SENDER, disk=disk)
        try:
            yield cloud, disk
        finally:
            cloud.stop()
            disk.close()

    def name(self, logical_id: str) -> str:
        """Return the physical name of a resource."""
        return self.template.resources[logical_id].name

    def url(self, cloud: Cloud, logical_id: str) -> str:
        """Return the URL of a queue."""
        return str(cloud.sqs.get_queue_url(QueueName=self.name(logical_id))["QueueUrl"])

    def read_all(self, cloud: Cloud, disk: Disk) -> dict[str, Any]:
        """Return everything that is stored, as clients see it."""
        stored: dict[str, Any] = {"mails": [content for _, content in disk.read("SELECT * FROM mails")]}
        for logical_id, resource in self.template.resources.items():
            if resource.type == "AWS::S3::Bucket":
                stored[logical_id] = list(_list_versions(cloud, resource.name))
            elif resource.type == "AWS::DynamoDB::Table":
                items = cloud.dynamodb.scan(TableName=resource.name)["Items"]
                stored[logical_id] = sorted(items, key=str)
                stored[f"stream of {logical_id}"] = _read_stream(cloud, resource.name)
            elif resource.type == "AWS::SQS::Queue":
                rows = disk.read("SELECT message FROM messages WHERE queue = ? ORDER BY id", resource.name)
                stored[logical_id] = [text for (text,) in rows]
        return stored


@pytest.fixture(scope="module")
def machine(template: Template) -> Machine:
    """The local AWS of this repository's template."""
    return Machine(template)


def _list_versions(cloud: Cloud, bucket: str) -> Iterator[tuple[Any, ...]]:
    listed = cloud.s3.list_object_versions(Bucket=bucket)
    for marker in listed.get("DeleteMarkers", []):
        yield marker["Key"], marker["VersionId"], marker["IsLatest"], marker["LastModified"]
    for version in listed.get("Versions", []):
        answer = cloud.s3.get_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])
        headers = {
            name: answer.get(name) for name in ("ETag", "ContentType", "CacheControl", "Metadata", "LastModified")
        }
        yield version["Key"], version["VersionId"], version["IsLatest"], answer["Body"].read(), headers


def _read_stream(cloud: Cloud, table: str) -> list[Any]:
    arn = cloud.dynamodb.describe_table(TableName=table)["Table"].get("LatestStreamArn")
    if arn is None:
        return []
    (shard,) = cloud.streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = cloud.streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    return cloud.streams.get_records(ShardIterator=iterator)["Records"]


def play(machine: Machine, cloud: Cloud) -> None:
    """Make every kind of change that Laurel makes."""
    results, site, table = machine.name("ResultsBucket"), machine.name("SiteBucket"), machine.name("SubmissionsTable")
    cloud.s3.put_object(Bucket=results, Key="results/coins/1", Body=b"run", Metadata={"player": "ada"}, IfNoneMatch="*")
    for body in (b"one", b"two", b"three"):
        head = cloud.s3.put_object(
            Bucket=site, Key="data/head.json", Body=body, ContentType="application/json", CacheControl="max-age=5"
        )
    cloud.s3.put_object(Bucket=site, Key="data/head.json", Body=b"four", IfMatch=head["ETag"])
    cloud.s3.delete_object(Bucket=site, Key="data/head.json", VersionId=head["VersionId"])
    cloud.s3.put_object(Bucket=site, Key="gone", Body=b"")
    cloud.s3.delete_objects(Bucket=site, Delete={"Objects": [{"Key": "gone"}]})
    cloud.s3.copy_object(Bucket=results, Key="downloads/1", CopySource={"Bucket": results, "Key": "results/coins/1"})
    upload = cloud.s3.create_multipart_upload(Bucket=results, Key="drops/large")["UploadId"]
    part = cloud.s3.upload_part(Bucket=results, Key="drops/large", UploadId=upload, PartNumber=1, Body=b"x" * 70_000)
    parts: Any = {"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]}
    cloud.s3.complete_multipart_upload(Bucket=results, Key="drops/large", UploadId=upload, MultipartUpload=parts)
    for number in range(3):
        item: Any = {**KEY, "submission_version": {"S": f"{number}#a"}, "score": {"N": "1"}, "tags": {"SS": ["a", "b"]}}
        cloud.dynamodb.put_item(TableName=table, Item=item)
    cloud.dynamodb.update_item(
        TableName=table,
        Key=KEY,
        UpdateExpression="SET score = score + :more",
        ExpressionAttributeValues={":more": {"N": "2"}},
    )
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        cloud.dynamodb.put_item(TableName=table, Item=dict(KEY), ConditionExpression="attribute_not_exists(benchmark)")
    other: Any = {**KEY, "submission_version": {"S": "0#a"}}
    cloud.dynamodb.batch_write_item(RequestItems={table: [{"DeleteRequest": {"Key": other}}]})
    queue, fifo = machine.url(cloud, "EvaluateQueue"), machine.url(cloud, "ShareQueue")
    for body in ("kept", "deleted"):
        cloud.sqs.send_message(QueueUrl=queue, MessageBody=body, DelaySeconds=0)
    for message in cloud.sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10)["Messages"]:
        if message["Body"] != "kept":
            cloud.sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
    for _ in range(2):  # the second is a repetition
        cloud.sqs.send_message(QueueUrl=fifo, MessageBody="share", MessageGroupId="g", MessageDeduplicationId="d")
    ses_backends[ACCOUNT][REGION].send_raw_email(SENDER, ["ada@example.org"], "Subject: héllo\r\n\r\nbody")


def kill(folder: Path, copy: Path, *, log_bytes: int | None = None) -> Path:
    """Copy the files of a running stack, as a crash would leave them; the log may be torn."""
    copy.mkdir()
    for name in (FILE, f"{FILE}-wal"):
        shutil.copy(folder / name, copy / name)
    if log_bytes is not None:
        with (copy / f"{FILE}-wal").open("r+b") as log:
            log.truncate(log_bytes)
    return copy


def test_killed_cloud_comes_back_as_it_was(machine: Machine, tmp_path: Path) -> None:
    """Objects with versions, items, stream records, messages and mails are there; what was in flight is delivered."""
    with machine.running(tmp_path / "data") as (cloud, disk):
        play(machine, cloud)
        disk.wait()  # the mail was sent to moto itself, not by a request
        before = machine.read_all(cloud, disk)
        after_kill = kill(tmp_path / "data", tmp_path / "killed")
        back_up(tmp_path / "data", tmp_path / "copy")
        with pytest.raises(DataError, match="a running stack uses"):
            restore(tmp_path / "copy", tmp_path / "data")
    restore(tmp_path / "copy", tmp_path / "restored")

    with machine.running(after_kill) as (cloud, disk):
        killed = machine.read_all(cloud, disk)
        received = cloud.sqs.receive_message(QueueUrl=machine.url(cloud, "EvaluateQueue"), MaxNumberOfMessages=10)
        with pytest.raises(ClientError, match="PreconditionFailed"):
            cloud.s3.put_object(
                Bucket=machine.name("ResultsBucket"), Key="results/coins/1", Body=b"other", IfNoneMatch="*"
            )
        cloud.dynamodb.put_item(TableName=machine.name("SubmissionsTable"), Item=dict(KEY))
        records = _read_stream(cloud, machine.name("SubmissionsTable"))
        subjects = [mail["Subject"] for _, mail in Outbox(disk).list_mails()]
    with machine.running(tmp_path / "restored") as (cloud, disk):
        restored = machine.read_all(cloud, disk)

    assert killed == restored == before
    assert {"kept"} < {message["Body"] for message in received["Messages"]}
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in records]
    assert numbers == list(range(numbers[0], numbers[0] + 6))
    assert subjects == ["héllo"]
    assert len(before["ShareQueue"]) == 1


def test_torn_log_leaves_a_state_of_the_past(tmp_path: Path) -> None:
    """Wherever the log of a killed process is cut off, the store holds the first units whole, and nothing of others."""
    with closing(Disk(tmp_path / "data", on_failure=print)) as disk:
        for number in range(8):
            with disk.unit():  # a unit is all of its changes or none
                disk.write("INSERT INTO mails VALUES (?, ?)", 2 * number, "x" * 3000)
                disk.write("INSERT INTO mails VALUES (?, ?)", 2 * number + 1, "y" * 3000)
            disk.wait()
        size = (tmp_path / "data" / f"{FILE}-wal").stat().st_size
        kept = []
        for step in range(24):
            folder = kill(tmp_path / "data", tmp_path / str(step), log_bytes=size * step // 23)
            with closing(Disk(folder, on_failure=print)) as torn:
                kept.append([number for (number,) in torn.read("SELECT number FROM mails ORDER BY number")])

    assert all(numbers == list(range(len(numbers))) and len(numbers) % 2 == 0 for numbers in kept)
    assert (kept[0], kept[-1]) == ([], list(range(16)))
    assert len({len(numbers) for numbers in kept}) > 4


def test_full_disk_acknowledges_nothing(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing can be written every change is refused and boards are read; afterwards nothing is missing."""
    site, write = machine.name("SiteBucket"), disk_store._write
    machine.lines.clear()
    with machine.running(tmp_path) as (cloud, disk):
        disk_store.RETRY_SECONDS, before = 0.05, disk_store.RETRY_SECONDS  # type: ignore[misc]
        cloud.s3.put_object(Bucket=site, Key="head.json", Body=b"1")
        cloud.s3.meta.events.register("needs-retry.s3", lambda **_: None)

        queue = machine.url(cloud, "EvaluateQueue")

        def fail(*_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(disk_store, "_write", fail)
        calls: list[Callable[[], Any]] = [
            lambda: cloud.s3.put_object(Bucket=site, Key="head.json", Body=b"2"),
            lambda: cloud.dynamodb.put_item(TableName=machine.name("SubmissionsTable"), Item=dict(KEY)),
            lambda: cloud.dynamodb.get_item(TableName=machine.name("SubmissionsTable"), Key=dict(KEY)),
            lambda: cloud.sqs.receive_message(QueueUrl=queue),
        ]
        refused = []
        for call in calls:
            with pytest.raises(ClientError) as caught:
                call()
            refused.append(caught.value.response["ResponseMetadata"]["HTTPStatusCode"])
        read = cloud.s3.get_object(Bucket=site, Key="head.json")["ResponseMetadata"]["HTTPStatusCode"]
        monkeypatch.setattr(disk_store, "_write", write)
        disk_store.RETRY_SECONDS = before  # type: ignore[misc]
        while disk.has_failed:
            pass
        cloud.s3.put_object(Bucket=site, Key="head.json", Body=b"3")
        rows = disk.read("SELECT content FROM objects ORDER BY id")

    assert refused == [503] * len(calls)
    assert read == 200
    assert [rows[0], rows[-1]] == [(b"1",), (b"3",)]
    assert "disk is full" in machine.lines[0]
    assert "can be written again" in machine.lines[-1]


def test_read_records_are_forgotten(machine: Machine, tmp_path: Path) -> None:
    """Records that every reader has read leave memory and disk, and numbers go on rising after a restart."""
    table = machine.name("SubmissionsTable")
    with machine.running(tmp_path) as (cloud, disk):
        positions = StreamPositions(disk)
        positions.add("aggregate", table), positions.add("notify", table)
        for number in range(4):
            cloud.dynamodb.put_item(TableName=table, Item={**KEY, "submission_version": {"S": str(number)}})
        numbers = [record["dynamodb"]["SequenceNumber"] for record in _read_stream(cloud, table)]
        positions.advance("aggregate", table, numbers[3])
        unread = _read_stream(cloud, table)
        positions.advance("notify", table, numbers[1])
        left = [record["dynamodb"]["SequenceNumber"] for record in _read_stream(cloud, table)]
        positions.advance("notify", table, numbers[3])
        iterators = len(dynamodbstreams_backends[ACCOUNT][REGION].shard_iterators)
    with machine.running(tmp_path) as (cloud, disk):
        position = StreamPositions(disk).add("notify", table)
        cloud.dynamodb.put_item(TableName=table, Item=dict(KEY))
        (record,) = _read_stream(cloud, table)

    assert len(unread) == 4
    assert left == numbers[2:]
    assert iterators <= 10
    assert position == numbers[3]
    assert int(record["dynamodb"]["SequenceNumber"]) > int(numbers[3])


def test_what_aws_deletes_is_deleted(machine: Machine, tmp_path: Path) -> None:
    """Replaced versions, objects under a prefix and items go when the template says so, on disk too; the rest stays."""
    results, site, table = machine.name("ResultsBucket"), machine.name("SiteBucket"), machine.name("MailTable")
    start = datetime.now(UTC)
    with machine.running(tmp_path) as (cloud, disk):
        for body in (b"1", b"2", b"3"):
            cloud.s3.put_object(Bucket=site, Key="data/head.json", Body=body)
            cloud.s3.put_object(Bucket=results, Key="results/coins/1", Body=body)
        cloud.s3.put_object(Bucket=results, Key="downloads/1", Body=b"copy")
        (hash_key, range_key) = machine.template.resources["MailTable"].properties["KeySchema"]
        for name, seconds in (("old", -1), ("young", 3 * 86400)):
            item: Any = {hash_key["AttributeName"]: {"S": name}, range_key["AttributeName"]: {"S": name}}
            expires = {"expires_at": {"N": str(int(start.timestamp()) + seconds)}}
            cloud.dynamodb.put_item(TableName=table, Item=item | expires)
        left = {}
        for days in (0, 2, 31, 62):
            Expiry(machine.template, disk, now=lambda days=days: start + timedelta(days=days, minutes=1)).run()
            disk.wait()
            objects = disk.read("SELECT name, content FROM objects ORDER BY id")
            left[days] = objects, len(cloud.dynamodb.scan(TableName=table)["Items"])
        rows = disk.read("SELECT item FROM items")

    head, run = ("data/head.json", b"3"), ("results/coins/1", b"3")
    replaced = [("results/coins/1", b"1"), ("results/coins/1", b"2")]
    assert [len(objects) for objects, _ in left.values()] == [7, 5, 2, 2]
    assert left[2][0] == [replaced[0], replaced[1], head, run, ("downloads/1", None)]
    assert sorted(left[31][0]) == [head, run]
    assert [items for _, items in left.values()] == [1, 1, 0, 0]
    assert rows == []


def test_item_that_is_written_again_is_not_deleted(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item that gets another end after the items were listed stays."""
    with machine.running(tmp_path) as (_, disk):
        backend, name = dynamodb_backends[ACCOUNT][REGION], machine.name("AccessTable")
        ends = {end: {"key": {"S": "idempotency#1"}, "expires_at": {"N": end}} for end in ("1", "99999999999")}
        backend.put_item(name, ends["1"])
        list_items = backend.tables[name].all_items

        def list_and_write() -> Any:
            items = list_items()
            backend.put_item(name, ends["99999999999"])
            return items

        monkeypatch.setattr(backend.tables[name], "all_items", list_and_write)
        Expiry(machine.template, disk).run()
        disk.wait()
        rows = disk.read("SELECT item FROM items")

    assert ["99999999999" in item for (item,) in rows] == [True]


def test_backup_is_its_owners_alone_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else can read a copy of hashes and ground truth before it has its name."""
    Disk(tmp_path / "data", on_failure=lambda _: None).close()
    modes: list[int] = []

    def check(draft: Path) -> copies.Contents:
        modes.append(draft.stat().st_mode & 0o777)
        return check_copy(draft)

    check_copy = copies.check_copy
    monkeypatch.setattr(copies, "check_copy", check)
    back_up(tmp_path / "data", tmp_path / "copy")

    assert modes == [0o600]


def test_unusable_store_says_what_to_do(tmp_path: Path) -> None:
    """A second stack, a later schema, another program's file and damage are told apart; a backup is not overwritten."""
    folders = {name: tmp_path / name for name in ("used", "later", "foreign", "damaged")}
    for name, folder in folders.items():
        if name != "foreign":
            with closing(Disk(folder, on_failure=print)) as disk:
                disk.write("INSERT INTO mails VALUES (1, 'mail')")
    folders["foreign"].mkdir()
    with (
        closing(sqlite3.connect(folders["later"] / FILE)) as later,
        closing(sqlite3.connect(folders["foreign"] / FILE)) as foreign,
    ):
        later.execute(f"PRAGMA user_version = {SCHEMA + 1}")
        foreign.execute("CREATE TABLE songs (title)")
    (folders["damaged"] / FILE).write_bytes(b"no database" * 1000)
    texts = {}
    with closing(Disk(folders["used"], on_failure=print)):
        back_up(folders["used"], tmp_path / "copy")
        for name, folder in folders.items():
            with pytest.raises(DataError) as caught:
                Disk(folder, on_failure=print)
            texts[name] = str(caught.value)
    with pytest.raises(DataError, match="exists already"):
        back_up(folders["used"], tmp_path / "copy")
    with pytest.raises(DataError, match="damaged"):
        restore(folders["damaged"] / FILE, tmp_path / "new")
    with pytest.raises(DataError, match="--replace"):
        restore(tmp_path / "copy", folders["damaged"])
    restore(tmp_path / "copy", folders["damaged"], replace=True)
    with closing(Disk(folders["damaged"], on_failure=print)) as disk:
        mails = disk.read("SELECT * FROM mails")

    assert "a running stack uses" in texts["used"]
    assert f"schema {SCHEMA + 1}" in texts["later"]
    assert "not a store of Laurel" in texts["foreign"]
    assert "laurel restore" in texts["damaged"]
    assert mails == [(1, "mail")]
    assert (folders["damaged"] / f"{FILE}.replaced").exists()
    assert not (tmp_path / "new" / FILE).exists()
