"""Whether an answer keeps to the content security policy, its header and its content."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from django.http import HttpResponse

ADDRESS_ATTRIBUTES = {"href", "src", "action", "formaction", "hx-get", "hx-post", "data", "xlink:href"}


class PageReader(HTMLParser):
    """Collects what the content security policy would block, or what would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: (value or "") for name, value in attrs}
        if tag == "style" or "style" in values:
            self.faults.append(f"a style inside the page: {self.get_starttag_text()}")
        if tag == "script" and not values.get("src") and values.get("type") != "application/json":
            self.faults.append("a script inside the page")
        for name, value in values.items():
            if name.startswith("on") or (name.startswith("hx-on") or value.startswith("js:")):
                self.faults.append(f"an event handler: {self.get_starttag_text()}")
            if name in ADDRESS_ATTRIBUTES and re.match(r"\s*(javascript:|data:|[a-z]+://|//)", value, re.IGNORECASE):
                self.faults.append(f"an address that is not here: {self.get_starttag_text()}")


def assert_safe(response: HttpResponse, where: str) -> None:
    policy = dict(part.strip().partition(" ")[::2] for part in response["Content-Security-Policy"].split(";") if part)
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'", where
    assert policy["object-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'", where
    assert policy["form-action"] == "'self'", where
    assert "unsafe" not in response["Content-Security-Policy"], where
    assert response["X-Content-Type-Options"] == "nosniff", where
    assert response["X-Frame-Options"] == "DENY", where
    assert response["Referrer-Policy"] == "same-origin", where
    assert response["Cross-Origin-Opener-Policy"] == "same-origin", where
    if response["Content-Type"].startswith("text/html"):
        reader = PageReader()
        reader.feed(response.content.decode())
        assert not reader.faults, f"{where}: {reader.faults[0]}"
