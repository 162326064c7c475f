"""The site in the system's Chromium: a server of its own, a small bank, somebody logged in.

A test fails on any violation of the content security policy, any dialog and any error in the browser's
console, whatever else it tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect

from tests.e2e.live_requests import wait_for_requests
from tests.questionbank.page_bank import make_bank

# Playwright's synchronous API runs an event loop in the thread of the test, which Django would refuse to
# touch the database from; nothing here is asynchronous.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

CHROMIUM = next(  # the shell without windows takes less of a processor
    filter(
        None,
        map(
            shutil.which,
            ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        ),
    ),
    None,
)
PASSWORD = "correct horse battery"
PATIENCE_MS = 30_000  # for a busy machine; a quick page makes nobody wait for it
DESK, TABLET, TELEPHONE = (1280, 900), (820, 1180), (390, 844)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = os.path.dirname(__file__)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.django_db(transaction=True))


expect.set_options(timeout=PATIENCE_MS)


def _answer(dialog: Dialog, complaints: list[str], *, leaves_unsaved: bool) -> None:
    """A test may leave unsaved edits where it is marked `leaves_unsaved`; any other dialog is a fault."""
    if dialog.type == "beforeunload":
        if not leaves_unsaved:
            complaints.append("asked before unsaved edits were left")
        dialog.accept()
        return
    complaints.append(f"dialog: {dialog.message}")
    dialog.dismiss()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    return {
        **browser_type_launch_args,
        "executable_path": CHROMIUM,
        "args": [
            "--no-sandbox",
            "--disable-quic",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-dev-shm-usage",
        ],
    }


@pytest.fixture
def bank(transactional_db, teacher) -> SimpleNamespace:
    cache.clear()
    return make_bank(teacher)


@pytest.fixture
def open_browser(browser: Browser, live_server, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Opens a page in a browser window of its own; options are those of a Playwright context."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []
    leaves_unsaved = request.node.get_closest_marker("leaves_unsaved") is not None

    def open_window(**options) -> Page:
        width, height = options.pop("size", DESK)
        context = browser.new_context(base_url=live_server.url, viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if is_complaint(message) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: _answer(dialog, complaints, leaves_unsaved=leaves_unsaved))
        page.on("request", lambda request: refuse_elsewhere(request.url))
        return page

    def is_complaint(message) -> bool:
        # a page that is meant to answer 403, 404 or 422 is a line in the console as well, and so is leaving a page
        # while htmx still waits for an answer
        expected = ("the server responded with a status of", "htmx:sendAbort", "htmx:afterRequest")
        return message.type == "error" and not any(text in message.text for text in expected)

    def refuse_elsewhere(url: str) -> None:
        if not url.startswith((live_server.url, "data:", "blob:")):
            complaints.append(f"asked for {url}")

    yield open_window
    for context in contexts:
        context.close()
    wait_for_requests(live_server.url)
    assert not complaints


@pytest.fixture
def open_as(open_browser, live_server) -> Callable[..., Page]:
    """Opens somebody's browser, as after a log-in (`test_review` logs in through the form)."""

    def open_window(name: str, **options) -> Page:
        client = Client()
        client.force_login(get_user_model().objects.get(username=name))
        page = open_browser(**options)
        page.context.add_cookies(
            [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}]
        )
        page.goto("/")
        return page

    return open_window


def log_in_beside(opened: Page, name: str) -> None:
    """Log in through the form of a tab that a page has opened."""
    opened.get_by_label("Name or e-mail").fill(name)
    opened.get_by_label("Password", exact=True).fill("correct horse battery")
    opened.get_by_role("button", name="Log in", exact=True).click()
    opened.wait_for_url("**/")


@pytest.fixture
def teacher_page(open_as, bank) -> Page:
    return open_as("teacher")


@pytest.fixture
def admin_page(open_as, bank, admin_person) -> Page:
    return open_as("admin")


@pytest.fixture
def plain_page(open_as, bank) -> Page:
    """A teacher's browser with JavaScript switched off."""
    return open_as("teacher", java_script_enabled=False)
