"""Parts of a whole in a given ratio."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.language.en.words import singular
from analytics.language.mentions import NumberKind
from analytics.languages import language_of
from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer
from analytics.text.numbers import RATIO

_AMOUNTS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.SCALED)
_RATIO_WORDS = re.compile(r"\bratio\b|比|按", re.IGNORECASE)
_RATIO = re.compile(
    rf"{RATIO.pattern}|(?<=ratio )(?:of |is |was )?\d+ to \d+(?: to \d+)?"
    r"|(?:(?<=ratio of )|(?<= is ))\d+ to \d+(?: to \d+)?"
)
_WHOLE_ASKED = re.compile(r"\b(?:sum|total|combined|altogether|in all)\b|共|总|差|倍|之几", re.IGNORECASE)
_OTHER_RATIO = re.compile(
    r"速|相遇|效率|提高|体积|时间|天数|高的|半径|[AB][两、地站车]|比[^，。:：]{1,6}[多少]\D?\s?\d"
    r"|总长|减法|差数|万元|增加|减少|又|再|后来|\b(?:times|speeds?)\b"
)
_SUM = re.compile(
    r"\b(?:sum|total|totals|altogether|in all|together|share[ds]?|divided?|split"
    r"|mixed|made from|are there|there (?:are|were)|class|sold)\b"
    r"|和是|共|总|分[给成]?",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more|fewer|less|difference|larger|greater|bigger|smaller|largest|smallest"
    r"|longer|shorter)\b|多多少|少多少|相差",
    re.IGNORECASE,
)


_MORE_GIVEN = re.compile(
    r"\b(?:more|fewer|less|longer|shorter|older|younger|taller)\b[^.]*\bthan\b|比[^，,：:∶\d是]{1,8}[多少]|相差",
    re.IGNORECASE,
)
_NOT_WHOLE = re.compile(
    r"\b(?:each|ratio|cost|percent\w*|fraction|left|remain\w*|per|worth|money|pay)\b|每|百分|几分|剩|倍|比",
    re.IGNORECASE,
)
_OTHER_ASKED = re.compile(r"速|面积|体积|时间|天数|周长|\b(?:area|volume|speed|perimeter)\b|百分|几分之|倍|差数")


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A ratio and the one amount that a text gives.

    Attributes:
        parts: the numbers of the ratio.
        given: the amount.
        known: index of the part that the amount is; None for the whole or the difference of two parts.
        is_difference: whether the amount is a difference of two parts.
        asked: indices of the parts that the question names, except the known one.
    """

    reading: Reading
    parts: list[Quantity]
    given: Quantity
    known: int | None
    is_difference: bool
    asked: list[int]

    @property
    def trees(self) -> list[ExpressionTree]:
        return [part.tree for part in self.parts]

    @property
    def difference(self) -> ExpressionTree | None:
        """The larger of two parts minus the smaller; None if they are equal or there are three."""
        if len(self.parts) != 2 or self.parts[0].value == self.parts[1].value:
            return None
        smaller, larger = sorted(self.parts, key=lambda part: part.value)
        return larger.tree - smaller.tree

    @property
    def asks_more(self) -> bool:
        reading = self.reading
        return _MORE.search(reading.question if reading.language.space else reading.asked) is not None

    @property
    def asks_whole(self) -> bool:
        reading = self.reading
        if self.asked or _NOT_WHOLE.search(reading.asked):
            return False
        is_whole = re.search("[共全总]", reading.asked) is not None and "给" not in reading.text
        return bool(reading.language.space) or is_whole

    @property
    def asks_part(self) -> bool:
        return len(self.asked) == 1 and not _WHOLE_ASKED.search(self.reading.asked)

    @property
    def names_both(self) -> bool:
        """Whether there are two parts and both are named, by the question or with the amount."""
        return len(self.parts) == len(self.asked) + (self.known is not None) == 2

    @property
    def is_partly_given(self) -> bool:
        return self.known is not None or self.is_difference


_Case = tuple[str, Callable[[_Ratio], bool], Callable[[_Ratio], ExpressionTree | None]]
_GIVEN: tuple[_Case, ...] = (
    ("a difference", lambda ratio: ratio.is_difference, lambda ratio: ratio.difference),
    ("a part", lambda ratio: ratio.known is not None, lambda ratio: ratio.trees[ratio.known or 0]),
    ("the whole", lambda ratio: _SUM.search(ratio.reading.text) is not None, lambda ratio: sum_of(ratio.trees)),
)
_WANTED: tuple[_Case, ...] = (
    ("a difference", lambda ratio: ratio.asks_more, lambda ratio: ratio.difference if ratio.names_both else None),
    ("the whole", lambda ratio: ratio.asks_whole, lambda ratio: sum_of(ratio.trees) if ratio.is_partly_given else None),
    ("a part", lambda ratio: ratio.asks_part, lambda ratio: ratio.trees[ratio.asked[0]]),
)
"""What the amount is (`_GIVEN`) and what is asked for, in shares of the ratio. The first that applies counts."""


def _shares(cases: tuple[_Case, ...], ratio: _Ratio) -> ExpressionTree | None:
    return next((shares(ratio) for _name, applies, shares in cases if applies(ratio)), None)


def share_of_ratio(reading: Reading) -> RuleAnswer | None:
    """Answer for one part given the whole or another part, in a ratio of two or three."""
    ratio, wanted = _read_ratio(reading), asked_unit(reading)
    if ratio is None or _OTHER_ASKED.search(reading.asked):
        return None
    unit = ratio.given.unit_name
    factor = conversion_factor(unit, wanted) if unit and wanted else Fraction(1)
    given_shares, wanted_shares = _shares(_GIVEN, ratio), _shares(_WANTED, ratio)
    if factor is None or given_shares is None or wanted_shares is None:
        return None
    return RuleAnswer(scaled(ratio.given.tree / given_shares * wanted_shares, factor))


def _read_ratio(reading: Reading) -> _Ratio | None:
    """Return the only ratio of a text, with names for its parts, and the only other amount."""
    found = list(_RATIO.finditer(reading.text))
    if len(found) != 1 or not _RATIO_WORDS.search(reading.text):
        return None
    if _OTHER_RATIO.search(reading.text.replace(reading.asked, "")):
        return None
    parts = [each for each in reading.quantities if found[0].start() <= each.mention.start < found[0].end()]
    others = [each for each in reading.counted() if each not in parts and each.mention.text not in ("两", "二", "三")]
    names = _names_of_parts(reading, len(parts))
    if len(others) != 1 or names is None or others[0].mention.kind not in _AMOUNTS:
        return None
    given, clause = others[0], reading.clause_around(others[0])
    is_difference = _MORE_GIVEN.search(clause) is not None and clause != reading.question
    known = None if is_difference else _part_given(reading, given, names)
    asked = [place for place, name in enumerate(names) if place != known and _names(name, reading.asked)]
    return _Ratio(reading, parts, given, known, is_difference, asked)


def _names_of_parts(reading: Reading, count: int) -> list[str] | None:
    for match in reading.language.words.NAMES_IN_RATIO.finditer(reading.text):
        names = [name.lower() for name in match.groups() if name]
        names = names[-count:] if match.re.groupindex.get("last") and match["last"] else names
        names = [name[-1] if name[-1] in "甲乙丙" else name for name in names]
        if len(names) == count and len(set(map(singular, names))) == count:
            return names
    return None


def _names(name: str, text: str) -> bool:
    if not language_of(name).space:
        return name in text
    return any(singular(word) == singular(name) for word in re.findall(r"[\w']+", text.lower()))


_OF_ALL = re.compile(
    r" of (?:the |this )?(?:drink|mixture|mix|squash mix|solution|whole|concrete|mortar|total|blend|alloy)\b",
    re.IGNORECASE,
)


def _part_given(reading: Reading, given: Quantity, names: list[str]) -> int | None:
    """Return the index of the part that a number counts: by the noun after it, or by the names in its clause."""
    by_noun = [place for place, name in enumerate(names) if singular(given.noun) == singular(name)]
    if len(by_noun) == 1:
        others = "|".join(re.escape(name) for place, name in enumerate(names) if place != by_noun[0])
        is_of_all = re.search(rf"{given.noun} and (?:the )?(?:{others})\b", reading.text[given.start :], re.IGNORECASE)
        return None if is_of_all else by_noun[0]
    if _OF_ALL.match(reading.text, given.end):
        return None
    clause = reading.clause_around(given)
    if clause == reading.question and reading.language.space:
        clause = (
            clause[: clause.find(given.mention.text)] if not re.search(r"\b(?:for|with|when|if)\b", clause) else clause
        )
    in_clause = [place for place, name in enumerate(names) if _names(name, clause)]
    return in_clause[0] if len(in_clause) == 1 and not _SUM.search(clause) else None
