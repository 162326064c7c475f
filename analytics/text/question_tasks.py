"""Task types of a question, what makes a text a word problem, and words that carry no subject matter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from analytics.language.en.units import WORDS as UNIT_WORDS
from analytics.language.mentions import ABBREVIATIONS
from analytics.languages import CHINESE, languages
from analytics.text.formulas import formula_segments, segment_text
from analytics.text.number_slots import number_slots

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


_FEWEST_PROSE_WORDS = 6
_FEWEST_PROSE_CHARACTERS = 10  # for Chinese
_LONGEST = 4_000  # characters of text examined

_NUMBER_AS_FORMULA = re.compile(
    r"(?:[\d.,:/%\s{}]|\\[dt]?frac|\\[%$,! ;]|\\(?:text|mathrm)\{[^{}]*\}|\^\{?\\circ\}?|\^\{?[23]\}?)*"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_ASKS_ANYTHING = re.compile(
    r"[?？=~]|_{2,}|\\uline|[(（]\s*[)）]|[几求哪谁算怎吗请]|多少|什么|是否"
    r"|\b(?:how|what|whats|find|calculate|determine|compute|work out|express|evaluate|estimate|solve|give|write|state"
    r"|name|tell|show|convert|add|subtract|multiply|divide|simplify|reduce|compare|expand|round|sort|arrange|rewrite"
    r"|factor)\b",
    re.IGNORECASE,
)
_LAST_ASKS = re.compile(  # words that also join sentences ask only at the start of the last sentence or its last clause
    r"(?:^|[.!。！,，]\s*)(?:(?:in|on|at|by|from|of|to|for) )?"
    r"(?:which|who|whose|when|where|why|count|change|list|choose|select|complete|take)\b[^.!。！]*$",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(  # verbs that do not begin a sentence of a story
    r"(?:^|[.!?]\s+)(?:increase|decrease|reduce|raise|lower|double|triple|halve|add|subtract|multiply|divide|convert"
    r"|find|calculate|compute|work out|take \d|write|express)\b(?:[^.!?]|\.(?=\d))*[.!]?\s*$",
    re.IGNORECASE,
)
_OPEN_END = re.compile(  # "then the length of the train is"
    r"(?:\b(?:is|are|was|were|be|has|have|by|of|to|in|as|at|on|for|than|a|an|the|takes?|except|equals?|about"
    r"|approximately)|[:：,，]|[是为有约得]|等于)\W*$",
    re.IGNORECASE,
)
_SUM = re.compile(r"\d\s*[-+*/×÷^√−=]\s*\d")
_OPERATOR = re.compile(r"[-+*/×÷^√%−]")


def asks_nothing(text: str) -> bool:
    """Return whether a text has no word or sign of a question or a task, in English or Chinese.

    A sentence that the answer would complete counts as a question, and so does a formula without words.

    >>> asks_nothing("Ann has 5 apples. Ben gives her 3 more"), asks_nothing("Ann has 5 apples. How many are left?")
    (True, False)
    >>> asks_nothing("When she woke, Ann had 5 apples."), asks_nothing("Half of 8 apples is"), asks_nothing("8/2")
    (True, False, False)
    """
    if _ASKS_ANYTHING.search(text) or _LAST_ASKS.search(text) or _OPEN_END.search(text) or _INSTRUCTION.search(text):
        return False
    return _WORD.search(text) is not None or _OPERATOR.search(text) is None


def is_instruction(text: str) -> bool:
    """Return whether a short text states in words what to compute with two or more numbers.

    >>> is_instruction("Increase 60 by 25 %."), is_instruction("Increase $x^2$ by 3."), is_instruction("Find 3 + 4.")
    (True, False, False)
    """
    return (
        len(text) <= _LONGEST
        and _INSTRUCTION.search(text) is not None
        and _has_numbers_as_formulas(text)
        and _SUM.search(text) is None
        and len({slot.start for slot in number_slots(text)}) > 1
    )


def is_word_problem(text: str) -> bool:
    r"""Return whether a question tells a story with numbers from which an answer can be computed.

    A formula may be a number with its unit, as in ``$\frac{1}{2}$ kg``; a formula with a variable or an operation
    makes it a different kind of question.

    >>> is_word_problem("Ann has 3 bags of $5$ apples each. How many apples has she?")
    True
    >>> is_word_problem("Solve $2x + 3 = 11$ for the number $x$ with 3 steps."), is_word_problem("What is 3 + 4?")
    (False, False)
    """
    return is_prose_with_amounts(text) and bool(number_slots(text))


def is_prose_with_amounts(text: str) -> bool:
    """Return whether a text is prose in which all formulas are plain numbers; it need not contain any numbers."""
    if len(text) > _LONGEST or not _has_numbers_as_formulas(text):
        return False
    prose = " ".join(segment.source for segment in segment_text(text) if segment.kind == "text")
    return (
        len(_WORD.findall(prose)) >= _FEWEST_PROSE_WORDS
        or len(CHINESE.marks.findall(prose)) >= _FEWEST_PROSE_CHARACTERS
    )


def _has_numbers_as_formulas(text: str) -> bool:
    return all(_NUMBER_AS_FORMULA.fullmatch(segment.body) for segment in formula_segments(text))
