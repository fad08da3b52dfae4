"""Mails on disk, as SES accepted them."""

from typing import Any

from moto.ses.models import ses_backends

from local.disk.store import Disk
from local.intrinsics import ACCOUNT, REGION


def keep_mails(disk: Disk) -> None:
    """Record every mail from now on; moto holds none."""
    backend = ses_backends[ACCOUNT][REGION]
    send = backend.send_raw_email

    def send_raw_email(*arguments: Any, **named: Any) -> Any:
        with disk.unit():
            sent = send(*arguments, **named)
            disk.write("INSERT INTO mails (content) VALUES (?)", sent.raw_data)
            backend.sent_messages.clear()
        return sent

    backend.send_raw_email = send_raw_email  # type: ignore[method-assign]
