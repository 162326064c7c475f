"""Times of day are found, and nothing else is taken for one."""

from __future__ import annotations

import pytest

from analytics.language.en.clock_times import written_clock_time
from analytics.text.clock_times import find_clock_times


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("from 6:45 pm to 8.30 p.m.", [(1125, "pm"), (1230, "pm")]),
        ("at 12:05 am and 12 noon", [(5, "am"), (720, "24")]),
        ("leaves at 22:40 and arrives at 06:10", [(1360, "24"), (370, "24")]),
        ("half past six, quarter to 9, 3 o'clock", [(390, ""), (525, ""), (180, "")]),
        ("at 7:30 in the evening", [(1170, "pm")]),
        ("上午8:15到校，下午3时20分放学", [(495, "am"), (920, "pm")]),
        ("晚上8点半", [(1230, "pm")]),
        ("the ratio 3:45, a score of 3:15, $3.50, 7.45 m", []),
        ("走了3时", []),
    ],
)
def test_clock_times_are_found(text: str, times: list[tuple[int, str]]) -> None:
    assert [(time.minutes, time.half) for time in find_clock_times(text)] == times


def test_a_time_is_written_by_either_clock() -> None:
    assert written_clock_time(0, with_half=True) == "12:00 am"
    assert written_clock_time(725, with_half=True) == "12:05 pm"
    assert written_clock_time(1505, with_half=False) == "1:05"
