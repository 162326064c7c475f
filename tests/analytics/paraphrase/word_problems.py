"""Word problems made up for tests."""

from __future__ import annotations

PEOPLE = ("Mary", "John", "Priya", "Alex", "Susan", "Peter", "Laura", "Kevin")
THINGS = ("apples", "pencils", "marbles", "stamps", "books", "coins")


def word_problems(count: int = 60) -> list[str]:
    """Questions that differ in more than their numbers."""
    made = []
    for index in range(count):
        keeper, taker = PEOPLE[index % 8], PEOPLE[(index + 3) % 8]
        thing, place = THINGS[index % 6], f"shelf {chr(97 + index // 8)}{chr(97 + index % 26)}"
        made.append(
            f"{keeper} keeps {index + 12} {thing} on {place} and carries {index % 7 + 2} kg of sand 30 km away."
            f" {taker} takes {index % 9 + 3} {thing} from her. How many {thing} are left on {place}?"
        )
    return made
