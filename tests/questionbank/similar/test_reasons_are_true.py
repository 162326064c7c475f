"""Each clause of each reason over pairs of the demo bank, checked against the two questions by other means.

The checks read texts, paths and equations with plain regular expressions and share no code with what writes reasons. A
clause that none of them knows fails.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from random import Random

import pytest

from analytics.inference.encode import HashedNgramEncoder
from analytics.records import QuestionRecord
from questionbank.bank.question_selectors import TaggedPath
from questionbank.demo.bank import demo_questions
from questionbank.similar.evidence import evidence_of
from questionbank.similar.reasons import SAME_IDEA, compare
from questionbank.solving.computations import text_computation

PAIRS = 400
SIGNS = {
    "an integral": r"\\int",
    "a limit": r"\\lim",
    "a sum": r"\\sum",
    "a product sign": r"\\prod",
    "a determinant": r"vmatrix",
    "a matrix or column vector": r"matrix",
    "a system or cases": r"cases",
    "a trigonometric function": r"\\(sin|cos|tan)",
    "a logarithm": r"\\(log|ln)",
    "a binomial coefficient": r"binom",
    "a square root": r"\\sqrt\{",
    "a higher root": r"\\sqrt\[",
    "an absolute value": r"\|",
    "a factorial": r"!",
    "an inequality": r"<|>|\\l?g?eq?\b|\\le|\\ge",
}
VERBS = {"factorise": "factor", "rationalise the denominator": "rationali"}

Records = tuple[QuestionRecord, QuestionRecord]


def plain(text: str) -> str:
    return " ".join(re.sub(r"[$\\{}]", "", text).casefold().split())


def without_numbers(text: str) -> str:
    return re.sub(r"\d+([.,]\d+)*|\b(one|two|three|four|five|six|seven|eight|nine|ten|twice|half)\b", "#", plain(text))


def operations(record: QuestionRecord) -> Counter[str]:
    """Count the operators of an equation, plus and minus alike, times and divided by alike; fractions are numbers."""
    equation = record.equation
    for above, below in re.findall(r"\\frac\{(\d+)\}\{(\d+)\}", record.text):
        equation = re.sub(rf"(?<!\d)\(?{above}/{below}\)?(?!\d)", "1", equation)
    tree = ast.parse(equation.replace("%", "/100").replace("^", "**"), mode="eval")
    names = {ast.Add: "+-", ast.Sub: "+-", ast.Mult: "*/", ast.Div: "*/", ast.Pow: "^"}
    return Counter(names[type(node.op)] for node in ast.walk(tree) if isinstance(node, ast.BinOp))


def read_operations(reading: str) -> Counter[str]:
    names = {"+": "+-", "−": "+-", "×": "*/", "÷": "*/", "^": "^"}
    return Counter(names[sign] for sign in reading if sign in names)


def is_read_from(reading: str, record: QuestionRecord) -> bool:
    """Compare operators; a reading may write a power or a factor that an equation repeats."""
    return abs(read_operations(reading).total() - operations(record).total()) <= 1


def holds_passage(passage: str, text: str) -> bool:
    words = r"[\W_]+".join(map(re.escape, passage.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", text.casefold()) is not None


def says_same_form(pair: Records) -> bool:
    """Compare the words that are no names and no numbers: nearly all of them are the same, in order."""
    first, second = (re.findall(r"\b[a-z]{3,}\b", record.text) for record in pair)
    return SequenceMatcher(None, first, second).ratio() >= 0.7


def listed(names: str) -> list[str]:
    return [name for part in names.split(" and ") for name in part.split(", ")]


CHECKS: tuple[tuple[str, Callable[[Records, re.Match[str]], bool]], ...] = (
    (r"the same text", lambda pair, _: plain(pair[0].text) == plain(pair[1].text)),
    (
        r"the same text with other numbers",
        lambda pair, _: without_numbers(pair[0].text) == without_numbers(pair[1].text) and pair[0].text != pair[1].text,
    ),
    (r"the same text except for numbers, signs, letters or names", lambda pair, _: says_same_form(pair)),
    (
        r"both are computed as (?P<graph>[^;,]*)(?:, but the result is rounded in another way)?",
        lambda pair, match: all(record.equation and is_read_from(match["graph"], record) for record in pair),
    ),
    (
        r"computed nearly the same way: (?P<other>.*), one step (?P<step>more|less|different) (?:than|from)"
        r" (?P<own>.*)",
        lambda pair, match: (
            read_operations(match["other"]).total() - read_operations(match["own"]).total()
            in {"more": (0, 1), "less": (-1, 0), "different": (-1, 0, 1)}[match["step"]]
            and is_read_from(match["own"], pair[0])
            and is_read_from(match["other"], pair[1])
        ),
    ),
    (
        r"reads (?:nearly|much) the same, but is computed as (?P<other>.*), not as (?P<own>.*)",
        lambda pair, match: (
            match["other"] != match["own"]
            and is_read_from(match["own"], pair[0])
            and is_read_from(match["other"], pair[1])
        ),
    ),
    (
        r"reads (?:nearly|much) the same, but is about (?P<other>.*), not (?P<own>.*)",
        lambda pair, match: all(
            name.strip("“” ").casefold() in f"{record.text} {record.concepts}".casefold()
            for record, names in zip(pair, (match["own"], match["other"]), strict=True)
            for name in listed(names)
        ),
    ),
    (
        r"the same task with a formula of the same form",
        lambda pair, _: all(re.search(r"\$[^$]{5,}\$", record.text) for record in pair),
    ),
    (
        r"both have (?P<parts>.*)",
        lambda pair, match: all(
            re.search(SIGNS[part], record.text) for part in listed(match["parts"]) for record in pair
        ),
    ),
    (
        r"both are about (?P<leaf>.*)",
        lambda pair, match: all(match["leaf"] == record.concepts[0][-1] for record in pair),
    ),
    (r"both belong to (?P<name>.*)", lambda pair, match: all(match["name"] in record.concepts[0] for record in pair)),
    (
        r"both ask to (?P<tasks>.*)",
        lambda pair, match: all(
            re.search(rf"(^|[.:;!?]\s*){VERBS.get(task, task)}", record.text, re.IGNORECASE)
            for task in re.split(r" and (?!.*denominator)", match["tasks"])
            for record in pair
        ),
    ),
    (
        r"both (?:say|ask) “(?P<passage>.*)”",
        lambda pair, match: all(holds_passage(match["passage"], record.text) for record in pair),
    ),
)


def pairs_of(records: Sequence[QuestionRecord]) -> Iterator[Records]:
    """Pairs of one pattern, of one concept, of one part of the hierarchy, and any: a quarter each."""
    rng = Random(36)
    keys = (
        lambda record: record.id.rsplit("-", 1)[0],
        lambda record: record.concepts[0],
        lambda record: record.concepts[0][:1],
        lambda record: "",
    )
    for key in keys:
        groups: dict[object, list[QuestionRecord]] = {}
        for record in records:
            groups.setdefault(key(record), []).append(record)
        several = [group for group in groups.values() if len(group) > 1]
        for _ in range(PAIRS // len(keys)):
            first, second = rng.sample(rng.choice(several), 2)
            yield first, second


def compared(pair: Records, lens: str):
    evidence = [
        evidence_of(
            record.text,
            language="en",
            computation=text_computation(record.text, record.equation, None) if record.equation else None,
            tags=[TaggedPath(1, tuple(path)) for path in record.concepts],
        )
        for record in pair
    ]
    first, second = HashedNgramEncoder().encode([record.text for record in pair])
    return compare(
        *evidence,
        lens=lens,
        wording=float(first @ second),
        rarity=lambda word: 0.5 if len(word) < 4 else 4.0,
        by_graph=lens == "structure",
    )


@pytest.mark.parametrize("lens", ["purpose", "wording", "structure"])
def test_each_clause_is_true_of_both_questions(lens):
    said: Counter[str] = Counter()
    for pair in pairs_of(demo_questions()):
        result = compared(pair, lens)
        for clause in result.reason.removesuffix(".").split("; ") if result.reason else ():
            clause = clause[0].lower() + clause[1:]
            pattern, check, match = next(
                (pattern, check, match) for pattern, check in CHECKS if (match := re.fullmatch(pattern, clause))
            )
            said[pattern] += 1
            assert check(pair, match), (clause, pair[0].text, pair[1].text)
        if SAME_IDEA in result.flags and pair[0].equation and pair[1].equation and "omputed" in result.reason:
            assert operations(pair[0]) == operations(pair[1])
    assert len(said) >= 6
    assert said.total() > PAIRS / 3
