"""Measures memory and time of importing the largest batches, each in a separate process.

`uv run python bench/drop.py [--scale F]`. The batches: 10,000 lines of JSONL, and a ZIP of 1 GB unpacked.
A small server stands for S3; quota, players and benchmark are mocks. The peer is what a first draft does:
read the whole file into memory, `json.loads` each entry, PUT one after another.
"""

import argparse
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import Mock

from botocore.config import Config
from botocore.session import get_session

from scoring_core.benchmarks.loading import load_folder
from storage.access.players import Account
from storage.aws.bucket import Bucket
from storage.aws.table import Table
from storage.batches.reports import BatchReportStore
from storage.batches.uploads import BatchUploadStore
from storage.benchmarks.store import PublishedBenchmark
from storage.keys import BatchKey
from storage.submissions.models import Player, PlayerKind
from storage.submissions.store import SubmissionStore
from submit.batch_import.importer import BatchImporter

ROOT = Path(__file__).parents[1]
LIMIT_MB = 512
LINES, ENTRIES, ENTRY_BYTES = 10_000, 1_000, 1_000_000
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)


def main() -> None:
    """Measure both batches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of lines and entries")
    for process in ("--receive", "--plain"):
        parser.add_argument(process, type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.receive:
        print(json.dumps(measure(receive, arguments.receive)))
        return
    if arguments.plain:
        print(json.dumps(measure(receive_plainly, arguments.plain)))
        return
    with tempfile.TemporaryDirectory() as folder:
        for file in (make_lines(Path(folder), arguments.scale), make_archive(Path(folder), arguments.scale)):
            report(file)


def make_lines(folder: Path, scale: float) -> Path:
    """Make a JSONL of small results."""
    file = folder / "runs.jsonl"
    lines = (json.dumps({"question": "7", "text": f"TR-V030-{number}"}) for number in range(int(LINES * scale)))
    file.write_text("\n".join(lines))
    return file


def make_archive(folder: Path, scale: float) -> Path:
    """Make a ZIP of results of a megabyte each."""
    file = folder / "runs.zip"
    generator = random.Random(1)
    number = ",".join(str(generator.random()) for _ in range(1_000))
    body = f'{{"answers":[{",".join([number] * (ENTRY_BYTES // len(number)))}]}}'.encode()[:ENTRY_BYTES]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for index in range(int(ENTRIES * scale)):
            archive.writestr(f"{index}.json", body)
    return file


def report(file: Path) -> None:
    """Import a batch both ways, each in a separate process, and print time and memory."""
    ours, plain = (run(way, file) for way in ("--receive", "--plain"))
    result = "PASS" if ours["peak_mb"] <= LIMIT_MB else "FAIL"
    print(
        f"{file.name:10} {ours['entries']:6} entries: peak {ours['peak_mb']:.0f} MB (at most {LIMIT_MB}: {result}), "
        f"{ours['seconds']:.1f} s; plainly {plain['peak_mb']:.0f} MB, {plain['seconds']:.1f} s: "
        f"{plain['seconds'] / ours['seconds']:.1f} times as fast, "
        f"{plain['peak_mb'] / ours['peak_mb']:.1f} times less memory"
    )


def run(way: str, file: Path) -> dict[str, float]:
    """Run one way in a process that does nothing else, so that its peak is that of the import."""
    command = [sys.executable, __file__, way, str(file)]
    measured: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return measured


def measure(way: Callable[[Any, Path], int], file: Path) -> dict[str, float]:
    """Measure one way of importing a batch; the server that stands for S3 needs hardly any memory."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(file))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    s3 = make_client(f"http://127.0.0.1:{server.server_address[1]}")
    started = time.perf_counter()
    entries = way(s3, file)
    seconds = time.perf_counter() - started
    return {
        "entries": entries,
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def receive(s3: Any, file: Path) -> int:
    """Import a batch as the function does, without rejections; return the number of entries."""
    key = BatchKey("aic-2025", "heron", f"019b7ea9-9800-7123-8456-789abcdef012/{file.name}")
    report = make_importer(s3).import_batch(key, "1")
    assert not report.refusals
    return len(report.entries)


def receive_plainly(s3: Any, file: Path) -> int:
    """Import a batch as a first draft does; return the number of entries."""
    size = s3.head_object(Bucket="results", Key="drop")["ContentLength"]
    content = s3.get_object(Bucket="results", Key="drop", Range=f"bytes=0-{size - 1}")["Body"].read()
    if file.suffix == ".zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [archive.read(name) for name in archive.namelist()]
    else:
        entries = content.splitlines()
    results = [json.loads(entry) for entry in entries]
    for number, entry in enumerate(entries):
        s3.put_object(Bucket="results", Key=str(number), Body=entry)
    return len(results)


def make_client(endpoint: str) -> Any:
    """Make an S3 client for the server that stands for S3."""
    session = get_session()
    session.set_credentials("bench", "bench")
    options: dict[str, Any] = {"s3": {"addressing_style": "path"}, "max_pool_connections": 20}
    config = Config(signature_version="s3v4", **options)
    return session.create_client("s3", region_name="us-east-1", endpoint_url=endpoint, config=config)


def make_importer(s3: Any) -> BatchImporter:
    """Make an importer of which only the results and the batch itself are in S3."""
    benchmark = load_folder(ROOT / "benchmarks" / "aic-2025")
    definition = benchmark.definition
    published = PublishedBenchmark(
        revision=1,
        version=benchmark.version,
        bundle_sha256="",
        published_at=NOW,
        definition=definition,
        parts=benchmark.parts,
        description="",
        sample=None,
    )
    account = Account(Player("heron", "Heron", PlayerKind.MODEL, verified=True), None, NOW)
    empty = Mock(get_paginator=lambda _: Mock(paginate=lambda **_: [{"Items": []}]))
    reports = Mock(spec=BatchReportStore, find=lambda *_: None, put=lambda report: report)
    return BatchImporter(
        uploads=BatchUploadStore(Bucket(s3, "results")),
        reports=reports,
        idempotency=Mock(acquire=lambda batch, **_: batch),
        benchmarks=Mock(current=lambda *_, **__: published),
        players=Mock(find=lambda _: account),
        quotas=Mock(charge_batch=lambda _, ids, **__: len(ids)),
        labels=Mock(),
        submissions=SubmissionStore(Table(empty, "submissions"), Bucket(s3, "results")),
        mail=Mock(),
        clock=lambda: NOW,
    )


def make_handler(file: Path) -> type[BaseHTTPRequestHandler]:
    """Make a handler that serves one batch like S3, and accepts every PUT."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(200, b"", length=file.stat().st_size)

        def do_GET(self) -> None:
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            with file.open("rb") as content:
                content.seek(int(first))
                self._answer(206, content.read(int(last) - int(first) + 1))

        def do_PUT(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(200, b"")

        def _answer(self, status: int, body: bytes, *, length: int | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) if length is None else length))
            self.send_header("ETag", '"1"')
            self.send_header("x-amz-version-id", "1")
            self.send_header("Last-Modified", format_datetime(NOW, usegmt=True))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


if __name__ == "__main__":
    main()
