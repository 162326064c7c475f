"""What log lines never hold."""

from __future__ import annotations

import io
import logging

import pytest
from django.urls import reverse
from structlog.stdlib import ProcessorFormatter

from questionbank.core.logs import without_reset_keys

KEY = "c5x2ab-4f0a1e6b8c7d"


@pytest.mark.parametrize(
    "text",
    [
        f"GET /accounts/password/reset/key/1-{KEY}/",
        f"Not Found: /accounts/password/reset/key/1-{KEY}/",
        f"GET https://kindred.test/accounts/password/reset/key/1z-{KEY} HTTP/1.1",
        f"/accounts/password/reset/key/1-{KEY}/?next=/",
        f"/accounts/password/reset/key/{KEY}",
        f"{{'path': '/accounts/password/reset/key/1-{KEY}/'}}",
        f"GET /accounts/password/reset/key/1-{KEY}-set-password/",
        f"/accounts/password/reset/key/1%2D{KEY}/",
    ],
)
def test_a_reset_key_is_taken_out_of_every_text(text) -> None:
    event = without_reset_keys(None, "info", {"event": text, "more": [{"request": text}], "code": 302})
    assert KEY not in str(event)
    assert "/password/reset/key/..." in event["event"]
    assert event["code"] == 302


@pytest.mark.parametrize(
    "text", ["GET /accounts/password/reset/key/1-set-password/", "/accounts/password/reset/key/done/", "/questions/1/"]
)
def test_other_addresses_stay_as_they_are(text) -> None:
    assert without_reset_keys(None, "info", {"event": text}) == {"event": text}


@pytest.mark.django_db
def test_whoever_opens_a_reset_link_leaves_no_key_in_the_log(client) -> None:
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    formatters = [handler.formatter for handler in logging.getLogger().handlers]
    handler.setFormatter(next(one for one in formatters if isinstance(one, ProcessorFormatter)))
    here = reverse("account_reset_password_from_key", args=["1", KEY])
    logging.getLogger().addHandler(handler)
    try:
        client.get(here)
        client.get(here + "nowhere/")
        logging.getLogger("django.request").warning("Not Found: %s", here)
    finally:
        logging.getLogger().removeHandler(handler)
    assert said.getvalue().count("/password/reset/key/...") >= 5
    assert KEY not in said.getvalue()
