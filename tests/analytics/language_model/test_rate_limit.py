"""At most so many requests a minute."""

from __future__ import annotations

from analytics.language_model.endpoint import RateLimit


def test_requests_beyond_the_limit_wait_until_a_minute_has_passed() -> None:
    now = [0.0]
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    limit = RateLimit(2, clock=lambda: now[0], wait=wait)
    limit.acquire()
    now[0] = 10.0
    limit.acquire()
    assert waits == []
    now[0] = 25.0
    limit.acquire()
    assert waits == [35.0]
    limit.acquire()  # the second began at 10, so the next may at 70
    assert waits == [35.0, 10.0]


def test_without_a_limit_nobody_waits() -> None:
    limit = RateLimit(0, clock=lambda: 0.0, wait=lambda seconds: 1 / 0)
    for _request in range(5):
        limit.acquire()
