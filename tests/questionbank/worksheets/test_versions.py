"""Versions of a worksheet and their keys: what is right in one is right in all."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression
from analytics.question_content import AcceptedAnswer, Blank, MatchingPair, Option, QuestionContent, QuestionPart
from analytics.records import QuestionRecord
from analytics.text.meaning import number_of_answer
from questionbank.worksheets.question_variants import other_order, relabelled, why_kept, with_changed_numbers
from questionbank.worksheets.sheet import VERSIONS, Mixing, PlannedQuestion, PlannedSection, SheetItem
from questionbank.worksheets.versions import Arrangement, arrange

PENCILS = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"
BUS = "A bus leaves the station at noon with 40 people and stops three times on its way to the sea."
words = st.text(alphabet="bcdefghij ", min_size=1, max_size=12).filter(str.strip)


def choice(texts: list[str], right: set[int], text: str = "Which?") -> QuestionRecord:
    labels = VERSIONS + "EFGH"
    options = tuple(Option(labels[place], each) for place, each in enumerate(texts))
    answer = ", ".join(labels[place] for place in sorted(right))
    return QuestionRecord("1", text, kind="choice", options=options, answer=answer)


def planned(*records: QuestionRecord, may_change: bool = False) -> list[PlannedSection]:
    return [
        PlannedSection(tuple(PlannedQuestion(n, record, may_change=may_change) for n, record in enumerate(records, 1)))
    ]


def items(arranged: Arrangement) -> dict[int, SheetItem]:
    """The items of a version by the number of their question in the bank."""
    flat = [item for section in arranged.sections for item in section.items]
    return dict(zip(arranged.numbers, flat, strict=True))


def right_texts(item: SheetItem) -> set[str]:
    return {text for label, text in item.options if label in item.answer.split(", ")}


@given(
    st.lists(
        st.lists(words, min_size=2, max_size=7, unique_by=str.strip).flatmap(
            lambda texts: st.tuples(st.just(texts), st.sets(st.integers(0, len(texts) - 1), min_size=1, max_size=3))
        ),
        min_size=1,
        max_size=6,
    ),
    st.integers(0, 10_000),
    st.sampled_from(VERSIONS),
)
def test_the_key_of_every_version_names_the_same_texts(drawn, seed: int, version: str) -> None:
    sections = planned(*(choice(texts, right) for texts, right in drawn))
    arranged = arrange(sections, Mixing(seed, version), answers=True)
    again = arrange(sections, Mixing(seed, version), answers=True)
    assert repr(arranged) == repr(again)
    found = items(arranged)
    assert sorted(found) == list(range(1, len(drawn) + 1))
    for number, (texts, right) in enumerate(drawn, 1):
        assert sorted(text for _label, text in found[number].options) == sorted(texts)
        assert [label for label, _text in found[number].options] == list("ABCDEFGH"[: len(texts)])
        assert right_texts(found[number]) == {texts[place] for place in right}
    if version == "A":
        assert arranged.numbers == tuple(range(1, len(drawn) + 1))


def test_versions_differ_in_the_order_of_questions_and_of_options() -> None:
    sections = planned(*(choice([f"{n} {c}" for c in "bcdef"], {0}) for n in range(12)))
    versions = [arrange(sections, Mixing(7, version)) for version in VERSIONS]
    assert len({version.numbers for version in versions}) == 4
    assert len({items(version)[1].options for version in versions}) == 4
    other_seed = arrange(sections, Mixing(8, "B"))
    assert other_seed.numbers != versions[1].numbers
    kept = arrange(sections, Mixing(7, "B", questions=False, options=False, numbers=False))
    assert kept == versions[0]


@pytest.mark.parametrize(
    "texts",
    [
        ["True", "False"],
        ["对", "错"],
        ["$2$", "$3$", "All of the above"],
        ["2", "3", "none of these"],
        ["It is even", "It is prime", "Both A and B"],
        ["It is even", "It is prime", "$A$ and $B$ only"],
        ["是偶数", "是质数", "以上都对"],
        ["It is even", "Neither"],
    ],
)
def test_options_that_refer_to_each_other_keep_their_order(texts: list[str]) -> None:
    sections = planned(choice(texts, {0}))
    for seed in range(6):
        item = items(arrange(sections, Mixing(seed, "C"), answers=True))[1]
        assert [text for _label, text in item.options] == texts
        assert item.answer == "A"


@pytest.mark.parametrize(
    ("text", "answer", "solution", "is_mixed"),
    [
        ("Which is prime?", "A", "", True),
        ("Which is prime?", "AC", "", True),
        ("Which is prime?", "$7$", "", True),  # names no letter
        ("Which is prime?", "A) 7", "", False),
        ("Is option B prime?", "A", "", False),
        ("Which is prime?", "A", "Only 7 is. So the answer is A.", True),
        ("Which is prime?", "A", "In triangle P, point A lies on the left.", False),
        ("Which is prime?", "A", "We take $\\text{A}$ then.", False),
        ("Which is prime?", "A", "The answer is A = 12.", False),
        ("Which is prime?", "A", "B and C are even, so the answer is A.", False),
        ("Which is prime?", "A", "A prime has two divisors.", True),  # an article
    ],
)
def test_letters_in_words_keep_the_order(text: str, answer: str, solution: str, is_mixed: bool) -> None:
    options = (("A", "seven"), ("B", "eight"), ("C", "eleven"))
    assert (not why_kept(options, answer, text=text, solution=solution)) is is_mixed


@pytest.mark.parametrize("texts", [["$-2$", "$3$", "$5$"], ["1/4 m", "1/2 m", "3/4 m"], ["90%", "70%", "10%"]])
def test_numbers_in_order_stay_in_order(texts: list[str]) -> None:
    orders = {tuple(other_order(texts, Random(seed))) for seed in range(30)}
    assert orders == {(0, 1, 2), (2, 1, 0)}


@pytest.mark.parametrize(
    ("solution", "expected"),
    [
        ("So the answer is A.", "So the answer is C."),
        ("The answer is (A).", "The answer is (C)."),
        ("The answers are A and B.", "The answers are C and A."),
        ("故选$\\text{B}$", "故选$\\text{A}$"),
        ("答案为：C", "答案为：B"),
        ("Therefore B is the correct answer.", "Therefore A is the correct answer."),
        ("The answer is a prime.", "The answer is a prime."),
        ("The answer is C. $A = 12$", "The answer is B. $A = 12$"),
        ("Three options are wrong. Answer: A", "Three options are wrong. Answer: C"),
    ],
)
def test_a_worked_solution_names_the_right_option_by_its_new_letter(solution: str, expected: str) -> None:
    options = (("A", "seven"), ("B", "eight"), ("C", "eleven"))
    assert not why_kept(options, "A", solution=solution)
    assert relabelled(solution, "ABC", [1, 2, 0]) == expected


def test_questions_of_one_stimulus_stay_together_and_it_is_said_once() -> None:
    records = [QuestionRecord(str(n), f"Question with words {n}?") for n in range(5)]
    about = [QuestionRecord(part, f"{BUS}\n\nPart {part}: how many are left?") for part in "xyz"]
    sections = planned(*records[:2], *about, *records[2:])
    for seed in range(8):
        arranged = arrange(sections, Mixing(seed, "B"))
        places = [arranged.numbers.index(number) for number in (3, 4, 5)]
        assert max(places) - min(places) == 2
        found = items(arranged)
        assert [item.stimulus for item in arranged.sections[0].items if item.stimulus] == [BUS]
        assert found[arranged.numbers[min(places)]].stimulus == BUS
        assert all(BUS not in found[number].text for number in (3, 4, 5))
        assert not found[1].stimulus
        assert [item.number for item in arranged.sections[0].items] == list("12345678")


def test_a_question_that_refers_back_stays_behind_its_question() -> None:
    records = [QuestionRecord(str(n), f"Work out number {n}.") for n in range(6)]
    back = QuestionRecord("9", "Double your answer to the previous question.")
    for seed in range(8):
        numbers = arrange(planned(*records, back), Mixing(seed, "D")).numbers
        assert numbers.index(7) == numbers.index(6) + 1
    named = QuestionRecord("9", "Compare it with your result of question 2.")
    assert arrange(planned(*records, named), Mixing(1, "D")).numbers == (1, 2, 3, 4, 5, 6, 7)


def test_a_description_has_no_number_and_stays_above_its_questions() -> None:
    text = QuestionRecord("1", "Read the table.", kind="description")
    records = [QuestionRecord(str(n), f"Row {n}?") for n in range(4)]
    arranged = arrange(planned(records[0], text, *records[1:]), Mixing(3, "B"))
    assert arranged.numbers[:2] == (1, 2)
    assert [item.number for item in arranged.sections[0].items] == ["1", "", "2", "3", "4"]


@pytest.mark.parametrize("seed", range(4))
def test_changed_numbers_have_the_value_of_their_equation(seed: int) -> None:
    record = QuestionRecord("1", PENCILS, kind="number", answer="18 pencils", solution="24 - 6 = 18", equation="24-6")
    made = [with_changed_numbers(record, seed=str(seed), place=place) for place in range(3)]
    assert len({changed.text for changed in made} | {PENCILS}) == 4
    for changed in made:
        value = evaluate_float(parse_expression(changed.equation))
        assert number_of_answer(changed.answer).agrees_with(value)
        assert changed.answer.endswith(" pencils")
        assert changed.solution.endswith(f"= {value:g}")
        assert all(number in changed.text for number in changed.equation.split("-"))


@pytest.mark.parametrize(
    "changes",
    [
        {"equation": ""},
        {"language": "zh"},
        {"kind": "choice", "options": (Option("A", "18"), Option("B", "30")), "answer": "A"},
        {"text": f"{PENCILS} ![pencils](a.png)"},
        {"answer": "18 or 19"},
        {"answer": "some"},
    ],
)
def test_numbers_stay_where_the_answer_would_not_be_sure(changes) -> None:
    usual = {"text": PENCILS, "kind": "open", "answer": "18", "equation": "24-6"}
    assert with_changed_numbers(QuestionRecord("1", **{**usual, **changes}), seed="1", place=0) is None


def test_version_a_keeps_the_numbers_and_the_others_say_whose_changed() -> None:
    sections = planned(QuestionRecord("1", PENCILS, answer="18", equation="24-6"), may_change=True)
    first, second = (arrange(sections, Mixing(1, version), answers=True) for version in "AB")
    assert items(first)[1].text == PENCILS
    assert first.changed == frozenset()
    assert second.changed == {1}
    assert items(second)[1].answer != "18"
    assert not arrange(sections, Mixing(1, "B", numbers=False)).changed


def test_questions_that_keep_their_numbers_say_why() -> None:
    usual = {"answer": "18", "equation": "24-6"}
    records = (
        QuestionRecord("1", PENCILS, **usual),
        QuestionRecord("2", PENCILS, **{**usual, "equation": ""}),
        QuestionRecord("3", PENCILS, language="zh", **usual),
        QuestionRecord("4", PENCILS, kind="choice", options=(Option("A", "18"), Option("B", "30")), answer="A"),
        QuestionRecord("5", f"{PENCILS} ![pencils](a.png)", **usual),
        QuestionRecord("6", "What is half of 1 day, in hours?", answer="12", equation="24/2"),
        QuestionRecord("7", "Take a sheet of paper.", kind="description"),
    )  # fmt: skip
    sections = planned(*records, may_change=True)
    assert arrange(sections, Mixing(1, "B", questions=False)).kept == {
        2: "no confirmed equation gives its answer",
        3: "not in English",
        4: "options, parts or gaps",
        5: "a picture may show its numbers",
        6: "no other numbers fit what it says",
    }
    assert arrange(planned(records[0]), Mixing(1, "B")).kept == {1: "no confirmed equation gives its answer"}
    assert not arrange(sections, Mixing(1, "A")).kept
    assert not arrange(sections, Mixing(1, "B", numbers=False)).kept


@given(st.integers(0, 500), st.sampled_from(VERSIONS))
def test_matching_ordering_gaps_and_parts_keep_their_keys(seed: int, version: str) -> None:
    pairs = tuple(MatchingPair(left, right) for left, right in (("2", "two"), ("3", "three"), ("4", "four")))
    steps = tuple(Option(label, text) for label, text in zip("ABC", ("one", "twelve", "hundred"), strict=True))
    gap = Blank(kind="choice", options=(Option("1", "cat", weight=1.0), Option("2", "dog"), Option("3", "cow")))
    part = QuestionPart("Which?", "choice", steps, "B")
    count = QuestionPart("How many?", answer="5")
    records = (
        QuestionRecord("1", "Match.", kind="matching", content=QuestionContent(pairs=(*pairs, MatchingPair("", "x")))),
        QuestionRecord("2", "Order.", kind="ordering", options=steps),
        QuestionRecord("3", "A [[1]].", kind="blanks", content=QuestionContent(blanks=(gap,))),
        QuestionRecord("4", "Parts.", kind="parts", content=QuestionContent(parts=(part, count))),
    )  # fmt: skip
    found = items(arrange(planned(*records), Mixing(seed, version), answers=True))
    matching, ordering, blanks, parts = (found[number] for number in (1, 2, 3, 4))
    lefts, rights = dict(matching.options), dict(matching.matches)
    named = [pair.split("-") for pair in matching.answer.split(", ")]
    assert [(lefts[number], rights[letter]) for number, letter in named] == [(p.left, p.right) for p in pairs]
    assert "x" in rights.values()
    texts = dict(ordering.options)
    assert [texts[label] for label in ordering.answer.split(", ")] == ["one", "twelve", "hundred"]
    assert list(texts.values()) != ["one", "twelve", "hundred"]
    assert blanks.answer == "cat"
    assert all(word in blanks.text for word in ("cat", "dog", "cow"))
    assert right_texts(parts.parts[0]) == {"twelve"}
    assert [(inner.number, inner.answer) for inner in parts.parts][1] == ("(b)", "5")
    assert not parts.answer


def test_a_students_sheet_holds_nothing_of_an_answer() -> None:
    part = QuestionPart("How many?", answer="QQQ")
    records = (
        QuestionRecord("1", "Why?", answer="QQQ", solution="QQQ"),
        QuestionRecord("2", "Parts.", kind="parts", content=QuestionContent(parts=(part,))),
    )
    assert "QQQ" not in repr(arrange(planned(*records), Mixing(1, "A")).sections)
    key = items(arrange(planned(*records), Mixing(1, "A"), answers=True))
    assert (key[1].answer, key[1].solution, key[2].parts[0].answer) == ("QQQ", "", "QQQ")
    assert items(arrange(planned(*records), Mixing(1, "A"), answers=True, solutions=True))[1].solution == "QQQ"


@pytest.mark.parametrize(
    ("kind", "tolerance", "expected"),
    [("absolute", 0.01, "1.41 ± 0.01"), ("relative", 0.05, "1.41 ± 5 %"), ("absolute", None, "1.41")],
)
def test_a_key_says_how_far_a_number_may_be_off(kind: str, tolerance: float | None, expected: str) -> None:
    accepted = AcceptedAnswer("1.41", tolerance=tolerance, tolerance_kind=kind)
    record = QuestionRecord(
        "1", "What is the root of 2?", kind="number", answer="1.41", content=QuestionContent(accepted=(accepted,))
    )
    arranged = arrange(planned(record), Mixing(1, "A"), answers=True)
    assert arranged.sections[0].items[0].answer == expected


def test_a_shared_text_names_its_questions_by_their_numbers_on_the_sheet() -> None:
    graph = "Questions 6-8 refer to the temperatures of a day in June."
    about = [QuestionRecord(part, f"{graph}\n\nPart {part}: how warm is it?") for part in "xy"]
    before = [QuestionRecord(str(n), f"Question with words {n}?") for n in range(3)]
    (section,) = arrange(planned(*before, *about), Mixing(1, "A")).sections
    assert section.items[3].stimulus == graph.replace("6-8", "4-5")
    (alone,) = arrange(planned(*before, about[0]), Mixing(1, "A")).sections
    assert alone.items[3].text.startswith("Question 4 refers to the")
