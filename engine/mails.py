"""SES and Lambda: mails are kept, and functions are invoked by whoever runs them."""

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import EndpointConnectionError
from botocore.response import StreamingBody

from engine.errors import refuse
from engine.store import Store

type Invoke = Callable[[str, str, bytes], bytes]
"""A function's name, the type of the invocation and the event → the answer."""


class Ses:
    """The calls of SES's client that the gateway makes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def send_email(
        self,
        *,
        FromEmailAddress: str,
        Destination: Mapping[str, list[str]],
        Content: Mapping[str, Mapping[str, bytes]],
        ConfigurationSetName: str | None = None,
    ) -> dict[str, str]:
        """Keep a mail of a sender that the stack declares."""
        if self.store.find_resource("sender", FromEmailAddress) is None:
            text = f"Email address is not verified. The following identities failed the check: {FromEmailAddress}"
            raise refuse("SendEmail", text, "MessageRejected")
        (recipient,) = Destination["ToAddresses"]
        with self.store.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO mails (at, sender, recipient, content) VALUES (?, ?, ?, ?)",
                (self.store.clock(), FromEmailAddress, recipient, Content["Raw"]["Data"]),
            )
        return {"MessageId": str(cursor.lastrowid)}


@dataclass
class Lambda:
    """The calls of Lambda's client that the gateway makes; without `run` no function answers."""

    run: Invoke | None = None

    def invoke(
        self,
        *,
        FunctionName: str,
        InvocationType: str = "RequestResponse",
        Payload: bytes,
        TenantId: str | None = None,
    ) -> dict[str, Any]:
        """Invoke a function; each tenant of one that has tenants may run in an environment of its own."""
        if self.run is None:
            raise EndpointConnectionError(endpoint_url=f"the function {FunctionName}")
        answer = self.run(FunctionName, InvocationType, Payload)
        status = 202 if InvocationType == "Event" else 200
        return {"StatusCode": status, "Payload": StreamingBody(io.BytesIO(answer), len(answer))}
