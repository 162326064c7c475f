"""The same problem with other names, things and numbers; the answer is recomputed from the equation. English.

New numbers are of the same kind and order of magnitude.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random

from analytics.errors import DataError
from analytics.expression.evaluate import constant_label, evaluate, is_slot, slot_index
from analytics.expression.tree import ExpressionTree, parse_expression, to_infix
from analytics.paraphrase.words.entities import find_entities, mentions_of
from analytics.solver.targets import target_tree
from analytics.text.number_slots import NumberSlot, number_slots
from questionbank.problem_writing.problem import MEN, SAME_STORY, WOMEN, RetoldProblem, answer_text, replaced
from questionbank.problem_writing.sense import Sense

_DIGITS = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_KEPT_BEFORE = re.compile(
    r"[/:^]\s?$|\b(?:since|year|grade|class|level|chapter|section|exercise|unit|number|no\.|room|flat|house|bus|route"
    r"|line|platform|question|size|out of|for every|in every|per) $",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_YEAR_BEFORE = re.compile(r"\b(?:in|from|until|till|before|after|by|of|year|to|and) $", re.IGNORECASE)
_KEPT_AFTER = re.compile(
    r"\s?[/:^]|(?:st|nd|rd|th)\b|\s?(?:a\.?m|p\.?m)\b|[- ](?:legs?|wheels?|sides?|sided|faces?|corners?|vertices|edges"
    r"|fingers|toes|eyes|wings|suits|letters of the alphabet)\b"
)
_FRACTION_SIGN = re.compile(r"frac|\d\s?/\s?\d")
_NOTES = frozenset("1 2 5 10 20 50 100 200 500 5.00 10.00 20.00 50.00 100.00".split())
_PAYS = re.compile(
    r"\b(?:change|(?:bank)?notes?|bills|coins?|hand(?:s|ed)? over|(?:pays?|paid) with|(?:gets?|got) back)\b|\d bill\b",
    re.IGNORECASE,
)
_CALENDAR = re.compile(r"[ -](?:day|hour|month|minute|week|second)s?\b")
_OF_A_CALENDAR = frozenset({"7", "12", "24", "30", "52", "60", "365"})
_NUMBER_KINDS = {"percent": re.compile(r"%|\bper ?cent\b"), "fraction": re.compile(r"\\d?frac|\d\s?/\s?\d|[½⅓¼⅔¾]")}
_MONEY = re.compile(r"[$£€]\s?$")


class OtherNumbers:
    """Draws other numbers for the digits of a text; equal numbers stay equal.

    Fractions, times of day, years, ordinals, a lone 1 ("1 cone"), notes and coins, calendar numbers and number words
    are kept.

    Args:
        changing: indices of the slots with numbers that may change.
        kept: indices of the slots that stay, along with all numbers written the same way.
    """

    def __init__(
        self, text: str, slots: Sequence[NumberSlot], changing: Iterable[int], kept: Iterable[int] = ()
    ) -> None:
        self._text, self._slots = text, slots
        found = {place: _DIGITS.search(text, slot.start, slot.end) for place, slot in enumerate(slots)}
        fractions = [slot for slot in slots if _FRACTION_SIGN.search(text, slot.start, slot.end)]
        kept_numbers = {written[0] for place in kept if (written := found[place]) is not None}

        def may_change(written: re.Match[str]) -> bool:
            is_in_fraction = any(slot.start <= written.start() < slot.end for slot in fractions)
            return not (is_in_fraction or written[0] in kept_numbers or _is_kept(text, written[0], *written.span()))

        self._is_money = {
            written[0]: _MONEY.search(text, 0, written.start()) is not None
            for place in changing
            if (written := found[place]) is not None and may_change(written)
        }
        # including occurrences of the same number that the equation does not use
        self._places = {
            written.start(): written
            for written in _DIGITS.finditer(text)
            if written[0] in self._is_money and may_change(written)
        }
        self._written = [
            written[0] if written is not None and written.start() in self._places else "" for written in found.values()
        ]

    def __bool__(self) -> bool:
        """Return whether any number may change."""
        return bool(self._is_money)

    def draw(self, rng: Random) -> dict[str, str]:
        """Draw a replacement for each number that may change, by its written form."""
        return {
            written: _another_number(written, rng, is_money=is_money) for written, is_money in self._is_money.items()
        }

    def values(self, drawn: Mapping[str, str]) -> list[Fraction]:
        """Return the value of each slot after replacement."""
        return [
            slot.value * _value(drawn[written]) / _value(written) if written else slot.value
            for slot, written in zip(self._slots, self._written, strict=True)
        ]

    def text(self, drawn: Mapping[str, str]) -> str:
        """Return the text after replacement."""
        return replaced(self._text, [(*written.span(), drawn[written[0]]) for written in self._places.values()])


def number_kinds(text: str) -> frozenset[str]:
    r"""Return the kinds of numbers in a text besides integers and decimals: percentages, fractions.

    >>> sorted(number_kinds(r"25% of 80 is $\frac{1}{4}$ of 80."))
    ['fraction', 'percent']
    """
    return frozenset(kind for kind, pattern in _NUMBER_KINDS.items() if pattern.search(text))


def _is_kept(text: str, written: str, start: int, end: int) -> bool:
    """Return whether a number in digits must stay as it is."""
    if written == "1" and not _MONEY.search(text, 0, start):
        return True
    if not _value(written) or (written in _OF_A_CALENDAR and _CALENDAR.match(text, end)):
        return True
    if _YEAR.fullmatch(written) and _YEAR_BEFORE.search(text, 0, start):
        return True
    if written in _NOTES and _MONEY.search(text, 0, start) and _PAYS.search(text):
        return True
    return bool(_KEPT_BEFORE.search(text[max(0, start - 20) : start]) or _KEPT_AFTER.match(text, end))


def _another_number(written: str, rng: Random, *, is_money: bool) -> str:
    """Return an equally round number of as many digits and the same notation; only money always keeps its decimals."""
    _whole, _point, decimals = written.partition(".")
    unit = 10 ** len(decimals)
    value = int(written.replace(",", "").replace(".", ""))
    step = _roundness(value, unit)
    least = 10 ** (len(str(value)) - 1)
    most = max(value * 3 // 2, 2 + min(value, 4) if is_money else 3 * min(value, 3))
    low, high = max(2, least, value * 3 // 5), min(10 * least - 1, most)
    drawn = range(low - low % step or step, high + 1, step)  # never as a list: 0.16666666666666666 has 10^15 neighbours
    place = rng.randrange(len(drawn) - (value in drawn))
    new = drawn[place + (value in drawn and place >= drawn.index(value))]
    is_whole = not (is_money or new % unit or decimals.endswith("0"))
    return f"{new / unit:{',' if ',' in written else ''}.{0 if is_whole else len(decimals)}f}"


def _value(written: str) -> Fraction:
    return Fraction(written.replace(",", ""))


def _roundness(value: int, unit: int) -> int:
    """Return the largest usual step that divides a number, in units of its last decimal."""
    steps = (100 * unit, 10 * unit, 5 * unit, unit, unit // 2, unit // 4, unit // 10, unit // 20, 1)
    return next(step for step in steps if step and value % step == 0 and (value >= 5 * step or step in (unit, 1)))


_KINDS = (  # interchangeable things, singular/plural or the singular alone, and the words that restrict them
    ("pen pencil ruler eraser", "write|writes|wrote|draw|draws|drew|sharpen|ink|erase|measure"),
    ("marble stamp badge sticker shell", "beach|sea|shore|album|letter|envelope|postage|mail|jacket|glass|jar"),
    ("apple banana pear peach/peaches plum orange", "peel|tree|bunch|pie|juice|orchard|slice|cider|core|picked"),
    ("cookie muffin biscuit cupcake", "icing|frosting|chips?|dough|milk"),
    ("rose tulip daisy/daisies lily/lilies", "thorn|bulb|petal|dozen|bouquet"),
    ("dog cat rabbit", "bark|walk|walks|walked|leash|kennel|shelter|meow|litter|carrot|fur|bone|vet|puppies|kittens"),
    ("chair stool", "desk|tables?|legs?|sit|lean"),
    ("book magazine comic", "library|chapters?|author|read|reads|reading|pages?|shelf|shelves|publish"),
    ("shirt jacket hat scarf/scarves", "sleeves?|buttons?|collar|fabric|wear|wears|wore|iron|wash|washed"),
    ("tomato/tomatoes potato/potatoes carrot onion", "vine|peel|chop|soup|sauce|salad|fries|rows?"),
    ("nail screw bolt", "hammer|polish|drill|wrench"),
    ("cup mug glass/glasses", "ounces?|milliliters|ml|flour|sugar|water|milk|coffee|tea|juice|butter|oil"),
)
_BEFORE = frozenset(
    str.split(
        """
        a an the his her their its my your our some any many much few fewer more less no of and or with for
        from in by to each every all both another other these those this that several same extra additional
        total have has had buy buys bought sell sells sold get gets got give gives gave make makes made bake
        bakes baked eat eats ate need needs needed take takes took lose loses lost find finds found own owns
        owned count counts counted collect collects collected pack packs packed put puts pick picks picked
        plant plants planted use uses used order orders ordered new old big small large little broken single
        one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty dozen
        hundred remaining left than as are were is was share shares shared split how
        """
    )
)
_AFTER = frozenset(
    str.split(
        """
        in on at of for from with to and or but did does do is are was were has have had will would can
        could that which who than each per left altogether all now then more fewer less after before if he
        she they there so as by into onto when while because how between cost costs remain remained
        remaining given total fell fall weigh weighs the a an this these those every equally among together
        away today yesterday last next during until
        """
    )
)


def _forms(word: str) -> tuple[str, str]:
    singular, _slash, plural = word.partition("/")
    return singular, plural or f"{singular}s"


_THINGS = tuple((tuple(map(_forms, names.split())), re.compile(rf"\b(?:{binding})\b")) for names, binding in _KINDS)
_WORD_BEFORE = re.compile(r"([A-Za-z'’]+) $")
_WORD_AFTER = re.compile(r" ([A-Za-z'’]+)|[-'’]")


def with_other_things(text: str, rng: Random) -> str:
    """Return the text with things replaced by others of the same kind that are not in the text already."""
    for kind, binding in _THINGS:
        present = [thing for thing in kind if _mentions(thing, text)]
        others = [thing for thing in kind if thing not in present]
        if not present or binding.search(text):
            continue
        for thing in present:
            if others and all(_stands_alone(text, *mention.span()) for mention in _mentions(thing, text)):
                text = _renamed(text, thing, others.pop(rng.randrange(len(others))))
    return text


def _mentions(thing: tuple[str, str], text: str) -> list[re.Match[str]]:
    return list(re.finditer(rf"\b(?:{'|'.join(thing)})\b", text, re.IGNORECASE))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a word is not part of a compound, judging by its neighbours."""
    before = _WORD_BEFORE.search(text, max(0, start - 30), start)
    after = _WORD_AFTER.match(text, end)
    return (before is None or before[1].lower() in _BEFORE) and (after is None or (after[1] or "").lower() in _AFTER)


def _renamed(text: str, thing: tuple[str, str], new: tuple[str, str]) -> str:
    forms = dict(zip(thing, new, strict=True))
    edits = []
    for mention in _mentions(thing, text):
        word = forms[mention[0].lower()]
        edits.append((mention.start(), mention.end(), word.capitalize() if mention[0][0].isupper() else word))
    return replaced(text, edits)


_TRIES = 1500  # number of draws for one text
_SPOKEN = {"twice": 2, "doubl": 2, "half": 2, "pair": 2, "thrice": 3, "tripl": 3, "dozen": 12}  # beside a like number
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s?(?:\\?%|per ?cent)")
_FRACTION = re.compile(r"(\d+)\s?/\s?(\d+)|\\[dt]?frac\{(\d+)\}\{(\d+)\}")
_NAMES = {"woman": WOMEN, "man": MEN}
_HE, _SHE = re.compile(r"\b(?:he|him|his)\b", re.IGNORECASE), re.compile(r"\b(?:she|hers?)\b", re.IGNORECASE)


def retold(text: str, expression: str, seed: str) -> Iterator[RetoldProblem]:
    """Yield retellings of a problem, the same ones for a seed; none if its equation cannot be read."""
    rng = Random(seed)
    for problem in renumbered(text, expression, rng):
        retelling = with_other_things(_with_names(problem.text, rng), rng)
        answer = answer_text(retelling, evaluate(parse_expression(problem.equation)))
        yield RetoldProblem(retelling, problem.equation, answer, SAME_STORY)


def renumbered(text: str, expression: str, rng: Random) -> Iterator[RetoldProblem]:
    """Yield versions of a problem that differ only in their numbers.

    Nothing is yielded if its equation cannot be read or leaves ambiguous which of the text's numbers it uses.
    """
    slots = number_slots(text)
    try:
        tree = target_tree(expression, slots)
    except DataError:
        return
    spoken = {value for word, value in _SPOKEN.items() if re.search(rf"\b{word}", text, re.IGNORECASE)}
    used = sorted({slot_index(label) for label in _labels(tree) if is_slot(label)})
    if any(slots[place].value in spoken and not slots[place].in_words for place in used):
        return
    if any(_is_part_of_fraction(slots[place], slots) for place in used):
        return  # 3*7/4 over "1 3/4" and "7 1/2": it is ambiguous which 7 is meant
    try:
        sense = Sense(text, slots, tree)
    except DataError:
        return
    if not sense.tells_apart():
        return
    others = OtherNumbers(text, slots, used, kept=sense.fixed)
    for _try in range(_TRIES if others else 0):
        drawn = others.draw(rng)
        values = others.values(drawn)
        numbered = others.text(drawn)
        if numbered == text or not sense.holds(values):
            continue
        new_slots = number_slots(numbered)
        if [(slot.reading, slot.value) for slot in new_slots] != [
            (slot.reading, value) for slot, value in zip(slots, values, strict=True)
        ]:
            continue  # parsed again, the text has another meaning
        filled = _as_written(tree, new_slots, numbered)
        yield RetoldProblem(numbered, to_infix(filled), answer_text(numbered, evaluate(filled)), SAME_STORY)


def _is_part_of_fraction(slot: NumberSlot, slots: Sequence[NumberSlot]) -> bool:
    """Return whether a slot is part of a mixed number or of a fraction above 1."""
    return slot.reading == "digits" and any(
        whole.start <= slot.start < whole.end
        and whole.value > 1
        and whole.value.denominator > 1
        and whole.value * 100 != slot.value  # 150 %
        for whole in slots
    )


def _as_written(tree: ExpressionTree, slots: Sequence[NumberSlot], text: str) -> ExpressionTree:
    """Return an equation with numbers formatted as in the text: 20% rather than 0.2."""

    def number(label: str) -> ExpressionTree:
        if not is_slot(label):
            return ExpressionTree(label)
        slot = slots[slot_index(label)]
        written = text[slot.start : slot.end].replace(",", "")
        if percent := _PERCENT.fullmatch(written):
            return ExpressionTree(f"{percent[1]}%")
        if fraction := _FRACTION.fullmatch(written):
            above, below = filter(None, fraction.groups())
            return ExpressionTree("/", (ExpressionTree(above), ExpressionTree(below)))
        return ExpressionTree(written if _PLAIN.fullmatch(written) else constant_label(slot.value))

    return tree.with_leaves(number)


def _labels(tree: ExpressionTree) -> Iterator[str]:
    yield tree.label
    for child in tree.children:
        yield from _labels(child)


def _with_names(text: str, rng: Random) -> str:
    """Return the text with other people's names; a lone person's name matches the sex of the pronouns."""
    entities = find_entities(text)
    taken = {mention.text for mention in entities}
    people = list({mention.text: mention for mention in entities if mention.category in _NAMES}.values())
    sexes = [sex for sex, pronoun in (("man", _HE), ("woman", _SHE)) if pronoun.search(text)]
    edits: list[tuple[int, int, str]] = []
    for mention in people:
        if " " in mention.text:
            continue
        sex = sexes[0] if len(people) == 1 == len(sexes) else mention.category
        name = rng.choice([name for name in _NAMES[sex] if name not in taken])
        taken.add(name)
        edits += [(start, end, name) for start, end in mentions_of(mention.text, text)]
    return replaced(text, edits)
