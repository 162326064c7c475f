"""Task types of a question, from its text and options, and words that carry no subject matter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.language.en.units import WORDS as UNIT_WORDS
from analytics.language.mentions import ABBREVIATIONS
from analytics.language.table import CHINESE, languages
from analytics.text.word_problems import is_prose_with_amounts

EMPTY_WORDS = frozenset[str]().union(*(language.words.EMPTY for language in languages()))
"""Words that only show that there is a question."""

ONLY_IN_PHRASES = frozenset[str]().union(*(language.words.ONLY_IN_PHRASES for language in languages()))
"""Words that carry meaning only in a phrase: "decimal place", "right angle", "least common multiple"."""


TASKS = ("word_problem", "true_false")

FEWEST_THINGS = 2  # fewest non-mathematical words in a story
FEWEST_CHARACTERS = 15  # fewest characters in a Chinese story

# Words of mathematics in the form of `search_tokens`: a text with no other words beside its numbers is not a story.
MATHEMATICS = frozenset(
    str.split(
        """
        absolute acute adjacent algebra algebraic altitude angle approximate approximately approximation area arithmetic
        ascending average axis base binomial bisector bracket centre center chord circle circumference clockwise
        coefficient column composite cone congruent consecutive convert coordinate cosine cube cubic cuboid curve
        cylinder data decimal decrease degree denominator derivative descending diagonal diameter difference digit
        dimension distance dividend divide divisible division divisor edge ellipse equality equation equivalent
        estimate even event expand exponent expression factor factorial factorise factorize formula fraction function
        geometric gradient graph height hexagon horizontal hypotenuse improper inch increase index inequality infinite
        integer intercept intersect intersection interval inverse irrational isosceles kite leg length limit linear
        logarithm lowest matrix maximum mean measure median minimum mixed mode multiple multiplication multiply
        natural nearest negative numerator numerical obtuse octagon odd operation order ordinate origin parabola
        parallel parallelogram pattern pentagon percent percentage perimeter perpendicular place polygon polynomial
        positive power prime prism probability product proof proper property proportion proportional pyramid quadrant
        quadratic quadrilateral quantity quarter quotient radical radius range rate ratio rational real reciprocal
        rectangle rectangular reflex regular remainder rhombus root row scale scientific sequence series set simplest
        sine slope sphere square squared standard straight subset subtract subtraction sum surface symmetry tangent
        tenth term third trapezium trapezoid triangle triangular unit variable vector vertex vertical volume width
        whole hundredth thousandth half double triple twice
        """
    )
)
UNITS = {unit.casefold() for unit in (*UNIT_WORDS, *ABBREVIATIONS)}
_JOINING = frozenset(str.split("the and for are has how its all any each per was can his her"))
_NO_THINGS = {"true", "false"} | MATHEMATICS | EMPTY_WORDS | ONLY_IN_PHRASES | UNITS | _JOINING
_SIDES = (
    frozenset({"true", "t", "yes", "correct", "right", "对", "正确", "√", "✓", "是"}),
    frozenset({"false", "f", "no", "incorrect", "wrong", "错", "错误", "×", "✗", "否", "不正确"}),
)
_ASKS = re.compile(
    r"\btrue\s*(?:or|/)\s*false\b|\b(?:is|are) (?:this|the|these)(?: following)? statements? true\b"
    r"|判断(?:题|对错|正误)|\((?:t|true)\s*/\s*(?:f|false)\)",
    re.IGNORECASE,
)
_NUMBER = re.compile(  # fast, because an import checks every question
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|half|twice|double)\b"
    r"|[一二两三四五六七八九十百千万半]",
    re.IGNORECASE,
)
_THING = re.compile(r"(?<![\\a-z])[a-z]{3,}")
_ENDS = re.compile(r"^[\s$.(]+|[\s$.)。]+$")


def question_tasks(text: str, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the types in `TASKS` that apply to a question.

    >>> question_tasks("Ann has 3 bags of 5 apples each. How many apples has she?")
    ('word_problem',)
    >>> question_tasks("A square is a rectangle.", ["True", "False"]), question_tasks("True or false: $1 < 2$")
    (('true_false',), ('true_false',))
    >>> question_tasks("Which fraction in its simplest form equals 0.56?")
    ()
    """
    checks = (
        _NUMBER.search(text) is not None and _tells_a_story(text) and is_prose_with_amounts(text),
        _is_true_or_false(text, options),
    )
    return tuple(task for task, is_one in zip(TASKS, checks, strict=True) if is_one)


def _tells_a_story(text: str) -> bool:
    """Return whether a text mentions things other than its mathematics."""
    if not text.isascii() and len(CHINESE.marks.findall(text)) >= FEWEST_CHARACTERS:
        return True
    things: set[str] = set()
    for match in _THING.finditer(text.casefold()):
        word = match[0]
        if not (word in _NO_THINGS or word.removesuffix("s") in _NO_THINGS or word.removesuffix("es") in _NO_THINGS):
            things.add(word)
            if len(things) == FEWEST_THINGS:
                return True
    return False


def _is_true_or_false(text: str, options: Sequence[str]) -> bool:
    if len(options) == 2:
        said = [_ENDS.sub("", option).casefold() for option in options]
        if any(said[first] in _SIDES[0] and said[1 - first] in _SIDES[1] for first in (0, 1)):
            return True
    return _ASKS.search(text) is not None
