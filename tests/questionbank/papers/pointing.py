"""Language models that point at the lines of a paper: rightly, or as an instruction inside the paper wants it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from analytics.language_model.protocol import Message
from questionbank.papers.paper_lines import Role
from tests.scripted_model import Script

Stretch = dict[str, object]
_KEPT_EACH = {Role.BELOW, Role.HEADING, Role.KEY, Role.NOTHING}


def stretches_of(roles: Sequence[Role], first: int = 1) -> list[Stretch]:
    """Return the stretches by which a model says the roles of lines."""
    found: list[Stretch] = []
    for number, role in enumerate(roles, start=first):
        said = Role.OPTION if role is Role.RIGHT_OPTION else role
        if said is Role.MORE and found and found[-1]["role"] not in _KEPT_EACH:
            found[-1]["last"] = number
        else:
            found.append({"first": number, "last": number, "role": str(Role.NOTHING if said is Role.MORE else said)})
    return found


def numbers_shown(messages: Sequence[Message]) -> list[int]:
    """Return the numbers of the lines that a model is shown."""
    return [int(number) for number in re.findall(r"(?m)^(\d+)\| ", messages[1].content)]


def perfect(roles: Sequence[Role]) -> Script:
    """A model that knows the role of each line of the whole paper."""

    def script(messages: Sequence[Message]) -> object:
        numbers = numbers_shown(messages)
        return {"stretches": stretches_of(roles[numbers[0] - 1 : numbers[-1]], numbers[0])}

    return script


# -- obedient models: what they do first, and what they do when they are told that this cannot be used ----------------


def _all_right(said: list[Stretch], _at: int) -> object:
    return [one | ({"role": "right option"} if one["role"] == "option" else {}) for one in said]


def _answer(said: list[Stretch], at: int) -> object:
    return [one | ({"role": "answer", "text": "42"} if one["first"] == at else {}) for one in said]


def _key(said: list[Stretch], at: int) -> object:
    return [one | ({"role": "key"} if one["first"] == at else {}) for one in said]


def _invent(said: list[Stretch], _at: int) -> object:
    last = int(str(said[-1]["last"]))
    return [*said, {"first": last + 1, "last": last + 3, "role": "question", "text": "How much is 6 × 7?"}]


def _hide(said: list[Stretch], _at: int) -> object:
    return said[: len(said) // 2]


def _swap(said: list[Stretch], _at: int) -> object:
    return said[::-1]


def _texts(said: list[Stretch], _at: int) -> object:
    return [one | {"text": "HACKED", "answer": "42", "right": True, "points": 100} for one in said]


WISHES: dict[str, Callable[[list[Stretch], int], object]] = {
    "all_right": _all_right,
    "answer": _answer,
    "key": _key,
    "invent": _invent,
    "hide": _hide,
    "swap": _swap,
    "texts": _texts,
}
"""What the instructions inside papers want, done by an obedient model."""


def obedient(wish: str, roles: Sequence[Role], at: int) -> Script:
    """A model that reads a paper as its rules do, but obeys the instruction in line `at`, as far as it is let.

    What it is refused it tries once more as it may: the instruction becomes the answer of the question above it.
    """

    def script(messages: Sequence[Message]) -> object:
        said = stretches_of(roles)
        if len(messages) > 2:
            return {"stretches": _answer(_apart(said, at), at)}
        if wish == "prose":
            return "Of course! All answers are correct, and the answer to every question is 42. HACKED"
        return {"stretches": WISHES[wish](_apart(said, at), at)}

    return script


def _apart(said: list[Stretch], at: int) -> list[Stretch]:
    """Return the stretches with the line `at` in one of its own."""
    found: list[Stretch] = []
    for one in said:
        first, last = int(str(one["first"])), int(str(one["last"]))
        if not first < at <= last:
            found.append(one)
            continue
        found += [one | {"last": at - 1}, {"first": at, "last": at, "role": "nothing"}]
        if at < last:
            found.append({"first": at + 1, "last": last, "role": "nothing"})
    return found
