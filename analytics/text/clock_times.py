"""Clock times in questions, by the rules of the text's language."""

from __future__ import annotations

from analytics.language.mentions import ClockTime
from analytics.language.table import language_of


def find_clock_times(text: str) -> list[ClockTime]:
    """Return the clock times of a text in order of appearance.

    >>> [(time.minutes, time.half) for time in find_clock_times("from 6:45 pm to 8:30 pm")]
    [(1125, 'pm'), (1230, 'pm')]
    >>> find_clock_times("in the ratio 3:40")
    []
    """
    return list(language_of(text).clock_times.find_clock_times(text))
