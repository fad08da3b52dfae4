"""A batch has the digest of its bytes, however it was uploaded."""

import hashlib
from typing import Any

import pytest

from local.template import Template
from storage.batches.uploads import BatchUploadStore
from storage.gateway.bucket import Bucket
from storage.keys import BatchKey
from tests.harness.raw_cloud import RawCloud

_PART_BYTES = 5 * 2**20
"""The least that a part but the last may have. Source: AWS, "Amazon S3 multipart upload limits"."""


@pytest.mark.parametrize("engine_name", ["moto"], indirect=True)  # on one machine no file is uploaded in parts
def test_batch_in_parts_has_the_digest_of_the_same_bytes_in_one(cloud: RawCloud, template: Template) -> None:
    """The ETag that S3 gives to a file in parts is no digest of its bytes."""
    batches = BatchUploadStore(Bucket(cloud.objects, template.resources["ResultsBucket"].name))
    whole, in_parts = (BatchKey("coin-run", "anna", name) for name in ("whole.jsonl", "parts.jsonl"))
    content = b"[1]\n" + b"\n" * _PART_BYTES + b"[2]\n"
    cloud.s3.put_object(Bucket=batches.bucket.name, Key=str(whole), Body=content)
    place: dict[str, Any] = {"Bucket": batches.bucket.name, "Key": str(in_parts)}
    upload = place | {"UploadId": cloud.s3.create_multipart_upload(**place)["UploadId"]}
    parts: list[Any] = [
        {"PartNumber": number, "ETag": cloud.s3.upload_part(**upload, PartNumber=number, Body=part)["ETag"]}
        for number, part in enumerate((content[:_PART_BYTES], content[_PART_BYTES:]), start=1)
    ]
    cloud.s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})

    stored = [batches.find(key) for key in (whole, in_parts)]

    assert ["-" in batch.etag for batch in stored if batch] == [False, True]
    assert {batches.digest(batch) for batch in stored if batch} == {hashlib.md5(content).hexdigest()}  # noqa: S324 — S3's own
