"""One change of sense in any text, and words that say the same: tables of words (``senses.toml``) and formulas.

An `Edit` of the first changes what is asked, of the second does not; both exchange a word or two, so that exchanging
words gives no label away.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_FILE = Path(__file__).parent / "senses.toml"


@dataclass(frozen=True, slots=True)
class Change:
    """A text after one change.

    Attributes:
        kind: what was changed.
        before: the place of the changed words in the text as it was.
        after: their place in the new text.
    """

    text: str
    kind: str
    before: tuple[int, int]
    after: tuple[int, int]


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, list[tuple[str, str]]], re.Pattern[str], dict[str, list[str]]]:
    body = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    contrary: dict[str, list[tuple[str, str]]] = {}
    for kind, rows in body["contrary"].items():
        for row in rows:
            words = row.split("|")
            for word in words:
                for other in words:
                    if other != word:
                        contrary.setdefault(word, []).append((kind, other))
    return contrary, _any_of(contrary), body["small"]


def _any_of(words: object) -> re.Pattern[str]:
    ordered = sorted(words, key=len, reverse=True)  # type: ignore[call-overload]
    return re.compile(rf"(?<![\w\\-])(?:{'|'.join(map(re.escape, ordered))})(?![\w-])", re.IGNORECASE)


@lru_cache(maxsize=1)
def _same() -> tuple[dict[str, list[str]], re.Pattern[str], list[tuple[re.Pattern[str], str]]]:
    plain: dict[str, list[str]] = {}
    numbered: list[tuple[re.Pattern[str], str]] = []
    for row in tomllib.loads(_FILE.read_text(encoding="utf-8"))["same"]["words"]:
        words = row.split("|")
        for word in words:
            for other in words:
                if other == word:
                    continue
                if "{n}" in row:
                    pattern = re.escape(word).replace(r"\{n\}", r"(\d+(?:\.\d+)?)")
                    numbered.append((re.compile(rf"(?<!\w){pattern}(?!\w)"), other.replace("{n}", r"\1")))
                else:
                    plain.setdefault(word, []).append(other)
    return plain, _any_of(plain), numbered


def _put(text: str, start: int, end: int, new: str, kind: str) -> Change:
    old = text[start:end]
    if old[:1].isupper() and new[:1].islower():
        new = new[0].upper() + new[1:]
    if not new and text[start - 1 : start] == " ":
        start -= 1
    changed = text[:start] + new + text[end:]
    if not new and start == 0:
        changed = changed.lstrip()
        changed = changed[:1].upper() + changed[1:]
    return Change(changed, kind, (start, end), (start, start + len(new)))


def contrary_word(text: str, rng: random.Random) -> Change | None:
    """Exchange a word for a contrary one."""
    contrary, pattern, _ = _tables()
    matches = list(pattern.finditer(text))
    if not matches:
        return None
    by_kind: dict[str, list[tuple[re.Match[str], str]]] = {}
    for match in matches:
        for kind, other in contrary[match[0].lower()]:
            by_kind.setdefault(kind, []).append((match, other))
    kind = rng.choice(sorted(by_kind))
    match, other = rng.choice(by_kind[kind])
    return _put(text, match.start(), match.end(), other, kind)


_VERB = re.compile(r"\b(?:is|are|was|were|does|do|did|can|will)\b(?! not)")


def small_word(text: str, rng: random.Random) -> Change | None:
    """Take away or add a small word that matters: only, not, distinct."""
    _, _, small = _tables()
    found = []
    for kind, words in small.items():
        found += [(kind, match) for match in _any_of(words).finditer(text)]
    if found and rng.random() < 0.7:
        kind, match = rng.choice(found)
        return _put(text, match.start(), match.end(), "", kind)
    verb = _VERB.search(text)
    if verb is not None and rng.random() < 0.4:
        end = verb.end()
        return Change(f"{text[:end]} not{text[end:]}", "negation", verb.span(), (end + 1, end + 4))
    numbers = list(re.finditer(r"(?<![\w$.,/^{(-])\d+(?![\w,./^})$-])", text))
    if not numbers:
        return None
    number = rng.choice(numbers)
    word, kind = rng.choice(
        [
            ("only", "only"),
            ("at least", "bound"),
            ("more than", "bound"),
            ("another", "condition"),
            ("all but", "except"),
            ("up to", "bound"),
        ]
    )
    return Change(
        f"{text[: number.start()]}{word} {text[number.start() :]}", kind,
        number.span(), (number.start(), number.start() + len(word)),
    )  # fmt: skip


def _other(*signs: str) -> Callable[[str, random.Random], str]:
    """Return what takes one of the other signs for a sign."""
    return lambda sign, rng: rng.choice([other for other in signs if other[:3] != sign[:3]])


def _other_operation(sign: str, _rng: random.Random) -> str:
    return r"\times" if sign in (r"\div", "÷") else r"\div"


_FORMULA_CHANGES: tuple[tuple[str, re.Pattern[str], Callable[[str, random.Random], str]], ...] = (
    ("sign", re.compile(r"(?<=[\w)}] )[+-](?= ?[\w(\\])|(?<=[\w)}])[+-](?=[\w(\\])"), _other("+", "-")),
    ("relation", re.compile(r"\\(?:leq?|geq?)(?![a-z])|[<>≤≥]"), _other("<", ">", r"\le", r"\ge")),
    ("power", re.compile(r"(?<=\^)\d(?!\d)|(?<=\^\{)\d(?=\})"), _other("2", "3", "4")),
    ("factor", re.compile(r"(?<![\w.^{,])[2-9](?=[a-z]\b|\\|\()"), _other("2", "3", "5", "7", "9")),
    ("operation", re.compile(r"\\(?:times|cdot|div)(?![a-z])|×|÷"), _other_operation),
    ("operation", re.compile(r"\\(?:sin|cos|tan)(?![a-z])"), _other(r"\sin", r"\cos", r"\tan")),
    ("sign", re.compile(r"(?<=[=(,] )-(?=[\d\w])|(?<=[=(,])-(?=[\d\w])"), lambda _sign, _rng: ""),
)


def formula_change(text: str, rng: random.Random) -> Change | None:
    """Change one sign, relation, power or factor of a formula, or move its brackets."""
    found = [
        (kind, match, change)
        for kind, pattern, change in _FORMULA_CHANGES
        for match in pattern.finditer(text)
        if "$" in text
    ]
    if not found:
        return None
    kind, match, change = rng.choice(found)
    new = change(match[0], rng)
    changed = text[: match.start()] + new + text[match.end() :]
    return Change(changed, kind, match.span(), (match.start(), match.start() + len(new)))


_NUMBER = re.compile(r"(?<![\w.,/^{])\d+(?:,\d{3})*(?:\.\d+)?(?![\w,]*\d)")


def number_change(text: str, rng: random.Random) -> Change | None:
    """Change a number a little, a lot, or by digits that change places."""
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None
    match = rng.choice(matches)
    digits = match[0]
    value = float(digits.replace(",", ""))
    choices = [value + rng.choice([-2, -1, 1, 2, 5, 10]), value * 10, value * 2]
    if len(digits) > 1 and digits.isdigit() and digits[0] != digits[-1]:
        choices.append(float(digits[::-1]))
    new = rng.choice([choice for choice in choices if choice > 0 and choice != value] or [value + 1])
    return _put(text, match.start(), match.end(), f"{new:g}" if new < 1e6 else f"{new:.0f}", "number")


def number_lost(text: str, rng: random.Random) -> Change | None:
    """Say "some" in place of a number."""
    matches = [
        match
        for match in _NUMBER.finditer(text)
        if text[match.end() : match.end() + 2].strip().isalpha()
        and text[match.start() - 1 : match.start()] == " "
    ]
    if not matches:
        return None
    match = rng.choice(matches)
    return _put(
        text, match.start(), match.end(), rng.choice(["some", "several", "a few", "many"]), "lost number"
    )


_CLAUSE = re.compile(
    r",? (?:if|where|who|which|except|after|before|when|with|without|but|and|so that|such that|for|from|than|at|in)"
    r" [^.?!,$]{6,50}(?=[.?!,])"
)


def clause_lost(text: str, rng: random.Random) -> Change | None:
    """Take a clause away that holds a number or a word that matters."""
    _, pattern, _ = _tables()
    matches = [
        match for match in _CLAUSE.finditer(text) if _NUMBER.search(match[0]) or pattern.search(match[0])
    ]
    if not matches:
        return None
    match = rng.choice(matches)
    return Change(
        text[: match.start()] + text[match.end() :], "condition", match.span(), (match.start(), match.start())
    )


def names_exchanged(text: str, rng: random.Random) -> Change | None:
    """Let a person do in one place what another does."""
    names = list(
        re.finditer(
            r"(?<![.?!] )(?<!^)\b[A-Z][a-z]{2,}\b"
            r"|(?:(?<=[.?!] )|(?<=^))[A-Z][a-z]{2,}(?= (?:has|had|is|was|bought|gave|sold|ran|made)\b)",
            text,
        )
    )
    words = sorted({match[0] for match in names} - _NO_NAMES)
    if len(words) < 2:
        return None
    match = rng.choice([match for match in names if match[0] in words])
    other = rng.choice([word for word in words if word != match[0]])
    return _put(text, match.start(), match.end(), other, "role")


_NO_NAMES = frozenset(
    str.split(
        "The How What When Where Find There Each After Before His Her She They Then For And But Every All If"
        " In At On To Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April"
        " May June July August September October November December"
    )
)

SENSE_CHANGES: tuple[tuple[Callable[[str, random.Random], Change | None], float], ...] = (
    (contrary_word, 6),
    (small_word, 2),
    (formula_change, 5),
    (number_change, 2),
    (number_lost, 0.6),
    (clause_lost, 2),
    (names_exchanged, 1.5),
)
"""What changes the sense -> how often it is drawn."""


def sense_change(text: str, rng: random.Random) -> Change | None:
    """Return the text with one change of sense; None where none applies."""
    functions, weights = zip(*SENSE_CHANGES, strict=True)
    for _ in range(9):
        change = rng.choices(functions, weights)[0](text, rng)
        if change is not None and change.text.split() != text.split():
            return change
    return None


def same_sense(text: str, rng: random.Random) -> Change | None:
    """Exchange a word for one that says the same here."""
    plain, pattern, numbered = _same()
    found: list[tuple[int, int, str]] = [
        (match.start(), match.end(), rng.choice(plain[match[0].lower()])) for match in pattern.finditer(text)
    ]
    for expression, other in numbered:
        found += [(match.start(), match.end(), match.expand(other)) for match in expression.finditer(text)]
    if not found:
        return None
    return _put(text, *rng.choice(found), "same")


def sentences(text: str) -> Iterator[str]:
    """Return the sentences of a text, formulas whole."""
    yield from re.split(r"(?<=[.?!])\s+(?=[A-Z$\d])", text)
