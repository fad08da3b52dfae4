"""What tokens and receipts look like, so that no answer and no name repeats one."""

import re

from storage.access.tokens import TOKEN_PREFIX

RECEIPT_PREFIX = "receipt_"
_SECRET = re.compile(rf"({TOKEN_PREFIX}|{RECEIPT_PREFIX})[\w-]{{20,}}")


def has_secret(text: str) -> bool:
    """Return whether a text holds what may be a token or a receipt.

    >>> has_secret("laurel_fan"), has_secret("Ada laurel_" + "x" * 43)
    (False, True)
    """
    return _SECRET.search(text) is not None


def hide_secrets(text: str) -> str:
    """Return a text without the tokens and receipts in it.

    >>> hide_secrets("found laurel_" + "x" * 43)
    'found laurel_…'
    """
    return _SECRET.sub(r"\1…", text)
