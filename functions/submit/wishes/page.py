"""The page that a link in a mail opens: it says what the link is for, and has the button that does it. Pure."""

from typing import Final

from storage.mail.wishes import TOPICS, Wish
from storage.site.markup import write_name

CONFIRMING: Final = b"confirm=yes"
"""What the form to confirm posts. Mail programs post `List-Unsubscribe=One-Click`."""
_FORM: Final = '<form method="post">{}<p><button class="button{}">{}</button></p></form>'
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Mail · Laurel</title>
<link rel="stylesheet" href="/app/style.css">
</head>
<body>
<main class="wide"><div class="prose">
<h1>{}</h1>
{}
</div></main>
</body>
</html>
"""


def write_mail_page(title: str, wish: Wish | None, *, is_done: bool = False) -> str:
    """Return the page as HTML, without scripts.

    Args:
        title: The benchmark's.
        wish: What the link opens; None: nothing, or nothing any more.
        is_done: Whether the reader has just decided.
    """
    if wish is None:
        return _PAGE.format("No mail", "<p>Nothing is mailed by this link, and its address is not kept.</p>")
    about = f"Mail about {write_name(title)}"
    if wish.confirmed_at is None:
        asked = "<p>A player asked that this address be mailed. Confirm it if that was you.</p>"
        topics = "".join(f"<li>{text}</li>" for topic, text in TOPICS.items() if topic in wish.topics)
        confirm = _FORM.format('<input type="hidden" name="confirm" value="yes">', " primary", "Confirm")
        return _PAGE.format(about, f"{asked}<ul>{topics}</ul>{confirm}{_FORM.format('', '', 'Delete the address')}")
    if is_done:
        return _PAGE.format(about, "<p>Confirmed. Each mail has a link that ends it.</p>")
    asked = "<p>You get it because you asked for it. Unsubscribing also deletes the address.</p>"
    return _PAGE.format(about, asked + _FORM.format("", " primary", "Unsubscribe"))
