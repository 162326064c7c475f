"""Times of day are found, and nothing else is taken for one."""

from __future__ import annotations

from analytics.language.en.clock_times import written_clock_time
from analytics.language.table import language_of
from tests.cases import each_case


@each_case("texts", "clock_times")
def test_clock_times_are_found(text: str, times: list[list[int | str]]) -> None:
    found = language_of(text).clock_times.find_clock_times(text)
    assert [[time.minutes, time.half] for time in found] == times


def test_a_time_is_written_by_either_clock() -> None:
    assert written_clock_time(0, with_half=True) == "12:00 am"
    assert written_clock_time(725, with_half=True) == "12:05 pm"
    assert written_clock_time(1505, with_half=False) == "1:05"
