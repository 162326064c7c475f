"""A request that outlives its page is waited for before the database is emptied."""

from __future__ import annotations

import sys
import threading
import time
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpResponse
from django.urls import include, path
from playwright.sync_api import Page

from questionbank.models import Question
from tests.e2e.live_requests import wait_for_requests

requests = SimpleNamespace(started=threading.Event(), ended=threading.Event())


@login_not_required
def slow(request) -> HttpResponse:
    """Read a table, wait, and read the others: `TRUNCATE` of all deadlocks with it."""
    with transaction.atomic():
        Question.objects.exists()
        requests.started.set()
        time.sleep(1)
        for model in apps.get_models():
            model.objects.exists()
    requests.ended.set()
    return HttpResponse()


urlpatterns = [path("slow/", slow), path("", include("questionbank.urls"))]


@pytest.fixture
def slow_page(open_browser, settings) -> Page:
    """A page that has just begun a slow request."""
    settings.ROOT_URLCONF = sys.modules[__name__]
    requests.started.clear()
    requests.ended.clear()
    page = open_browser()
    page.goto("/")
    page.evaluate("() => void fetch('/slow/', {keepalive: true})")
    assert requests.started.wait(10)
    return page


def test_waiting_ends_with_the_request(slow_page, live_server) -> None:
    slow_page.context.close()
    assert not requests.ended.is_set()
    wait_for_requests(live_server.url)
    assert requests.ended.is_set()


def test_waiting_for_ever_fails_with_a_reason(slow_page, live_server) -> None:
    slow_page.context.close()
    with pytest.raises(pytest.fail.Exception, match=r"requests still run in the live server 0\.1 s after"):
        wait_for_requests(live_server.url, seconds=0.1)


def test_the_database_is_emptied_after_the_last_request(slow_page) -> None:
    """The test is the fixtures' end: without waiting, emptying the tables deadlocks with the request."""
