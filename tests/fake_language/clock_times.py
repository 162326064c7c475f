"""No times of day are read."""

from __future__ import annotations

from collections.abc import Iterator

from analytics.language.mentions import ClockTime


def find_clock_times(text: str) -> Iterator[ClockTime]:
    yield from ()


def written_clock_time(minutes: int, *, with_half: bool) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def written_period(hours: int, minutes: int) -> str:
    return f"{hours} h {minutes} min"
