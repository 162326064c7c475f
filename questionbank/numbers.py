"""Numbers that an address or a form sends, and numbers of things in words."""

from __future__ import annotations


def whole_number(sent: str, *, digits: int = 18) -> int | None:
    """Return the whole number that was sent, None where it is none or has more digits.

    18 fit into a column of the database.

    >>> whole_number("42"), whole_number("-1"), whole_number("\u0664"), whole_number("9" * 19)
    (42, None, None, None)
    """
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) <= digits else None


def counted(number: int, one: str, several: str) -> str:
    """Return a number with what there is of it.

    >>> counted(1, "job waits", "jobs wait"), counted(1200, "job waits", "jobs wait")
    ('1 job waits', '1,200 jobs wait')
    """
    return f"{number:,} {one if number == 1 else several}"


def whole_numbers(sent: str) -> list[int]:
    """Parse whole numbers separated by commas; anything else is ignored, and so is what follows the first 1,000.

    >>> whole_numbers("3,5,x,")
    [3, 5]
    """
    numbers = map(whole_number, sent.split(",")[:1000])
    return [number for number in numbers if number is not None]
