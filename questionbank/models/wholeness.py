"""Columns that PostgreSQL computes from a question's wording: whether a figure is missing, or template numbers.

The rules are those of `analytics.text.wholeness`, so that the bank agrees with pages and files about a text.

PostgreSQL caches 32 compiled patterns per connection. With more patterns in total, each question compiles them
again, which takes four times as long as matching; so patterns are combined where possible, and a test counts them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_

from django.db.models import BooleanField, F, Func, Q, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from django.db.models.lookups import Regex

from analytics.text.wholeness import FIGURE, PLACEHOLDERS, View

_TEXT = F("text")
_OPTIONS = Cast("options", TextField())


def _matches(wording: Combinable, *patterns: str) -> Q:
    """Return the condition that a wording matches one of the patterns."""
    return Q(Regex(wording, "|".join(patterns)))


def _part(view: View, wording: Combinable) -> Combinable:
    for pattern, replacement in view.replacements:
        wording = Func(
            wording, Value(pattern), Value(replacement), Value("g"), function="REGEXP_REPLACE", output_field=TextField()
        )
    return wording


def _has_picture(condition: str) -> Q:
    """Return the condition that the content has a picture for which an SQL/JSON condition holds."""
    path = Value(f"$.pictures[*] ? ({condition})")
    template = "jsonb_path_exists(%(expressions)s::jsonpath)"
    found = Func(F("content"), path, template=template, output_field=BooleanField())
    return Q(found)


_IS_ATTACHED = _has_picture("exists(@.sha256)")
_IS_MISSING = _has_picture("!exists(@.sha256)")

NEEDS_FIGURE = (
    _matches(_TEXT, *FIGURE.marks)
    | _matches(_OPTIONS, *FIGURE.marks)
    | _IS_MISSING
    | _matches(_TEXT, FIGURE.unnamed)
    | _matches(_OPTIONS, FIGURE.unnamed)
    | (
        ~_IS_ATTACHED
        & (
            _matches(_TEXT, FIGURE.picture)
            | _matches(_OPTIONS, FIGURE.picture)
            | (
                _matches(_TEXT, FIGURE.hint)
                & (
                    (_matches(_TEXT, *FIGURE.figures) & ~_matches(_TEXT, *FIGURE.layouts))
                    | (_matches(_TEXT, *FIGURE.tables) & ~_matches(_TEXT, *FIGURE.data))
                )
            )
        )
    )
)


def _placeholders(wording: Combinable) -> Iterator[Q]:
    for (view, hint), rules in groupby(PLACEHOLDERS, attrgetter("view", "hint")):
        found = _matches(_part(view, wording), *(rule.pattern for rule in rules))
        yield _matches(wording, hint) & found if hint else found


DRAWS_NUMBERS = reduce(or_, (condition for wording in (_TEXT, _OPTIONS) for condition in _placeholders(wording)))
