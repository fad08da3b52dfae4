"""A server of its own needs no packages of AWS: the engine's errors become the stores' all the same."""

import subprocess
import sys
from pathlib import Path

STORES = """
import sys
sys.modules.update(dict.fromkeys(["boto3", "botocore"]))

from email.message import EmailMessage
from pathlib import Path

from engine.cloud import make_clients
from engine.store import Store
from scoring_core.errors import LaurelError
from storage.gateway import clients
from storage.gateway.bucket import Bucket
from storage.gateway.functions import AsyncFunction
from storage.gateway.ses import SesMailer

made = make_clients(Store(Path(sys.argv[1])))
made.declare([("AWS::S3::Bucket", "results", {})], sender="laurel@example.org")
bucket, mailer = Bucket(made.s3, "results"), SesMailer(made.ses, "set")

def end(call):
    try:
        return call()
    except LaurelError as error:
        return type(error).__name__

bucket.put("a", b"1", replacing=None)
print(bucket.get("a").body.decode())
print(end(lambda: bucket.put("a", b"2", replacing=None)))
print(end(lambda: bucket.get("b")))
print(end(lambda: Bucket(made.s3, "none").get("b")))
print(end(lambda: AsyncFunction(made.functions, "f").start({})))
print(end(lambda: mailer.send(EmailMessage(), sender="stranger@example.org", to="ada@example.org")))
"""


def test_stores_tell_errors_of_the_engine_apart_without_aws(tmp_path: Path) -> None:
    """A conflict, a missing object or bucket, a function that nobody runs, and a refused mail."""
    done = subprocess.run(
        [sys.executable, "-c", STORES, tmp_path / "laurel.db"], capture_output=True, text=True, check=False
    )

    expected = ["1", "Conflict", "NotFound", "Refused", "Busy", "MailRefused"]
    assert (done.stdout.splitlines(), done.returncode) == (expected, 0), done.stderr
