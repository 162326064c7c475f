"""Corrections of a document's lines: data that is applied in order, and passages cut from what comes out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.question_content import Option, Picture, as_json
from analytics.records import QuestionRecord
from questionbank.papers.paper_lines import (
    Correction,
    FoundQuestion,
    Line,
    Paper,
    Role,
    correct,
    correction_from_json,
    lines_from_json,
    roles_as_json,
    roles_from_json,
)
from questionbank.papers.question_records import bank_record
from questionbank.papers.selectors import passages_of

TEXTS = ("one", "two", "three", "four")
LINES = [Line(text) for text in TEXTS]
ROLES = [Role.QUESTION, Role.OPTION, Role.OPTION, Role.NOTHING]


def split(key: str, *texts: str) -> Correction:
    return Correction(key, lines=tuple(map(Line, texts)), roles=("more",) * len(texts))


@pytest.mark.parametrize(
    ("corrections", "texts", "roles"),
    [
        ([Correction("1", role="right option")], TEXTS, "QROX"),
        ([split("1", "a", "b")], ("one", "a", "b", "three", "four"), "QMMOX"),
        # a key means the same line whatever was split before it
        ([split("0", "a", "b"), Correction("3", role="question")], ("a", "b", *TEXTS[1:]), "MMOOQ"),
        # what was split off is split and corrected by its own key
        ([split("0", "a", "b c"), split("0.0.1", "b", "c")], ("a", "b", "c", *TEXTS[1:]), "MMMOOX"),
        ([split("0", "ab", "c"), split("0", "a", "b")], ("a", "b", "c", *TEXTS[1:]), "MMMOOX"),
        ([Correction("9", role="question"), split("9", "a")], TEXTS, "QOOX"),
    ],
)
def test_corrections_are_applied_in_order(corrections, texts, roles) -> None:
    letters = {"question": "Q", "option": "O", "right option": "R", "nothing": "X", "more": "M"}
    lines = correct(LINES, ROLES, corrections).lines
    assert tuple(row.line.text for row in lines) == tuple(texts)
    assert "".join(letters[row.role] for row in lines) == roles
    assert len({row.key for row in lines}) == len(lines)


def test_a_question_that_is_taken_in_again_is_not_left_out() -> None:
    steps = [Correction("0", is_left_out=True), Correction("2", is_left_out=True)]
    assert correct(LINES, ROLES, steps).left_out == {"0", "2"}
    assert correct(LINES, ROLES, [*steps, Correction("0", is_left_out=False)]).left_out == {"2"}


_keys = st.sampled_from([*map(str, range(4)), "0.0.1", "1.1.1", "7"])
_corrections = st.one_of(
    st.builds(Correction, _keys, role=st.sampled_from(list(Role)).map(str)),
    st.builds(Correction, _keys, is_left_out=st.booleans()),
    st.lists(st.text(min_size=1), min_size=1, max_size=3).flatmap(
        lambda texts: st.builds(split, _keys, *map(st.just, texts))
    ),
)


@given(st.lists(_corrections, max_size=8))
def test_corrections_survive_json_and_undoing_the_last_gives_the_lines_before(corrections) -> None:
    kept = [correction_from_json(row) for row in json.loads(json.dumps([*map(as_json, corrections)]))]
    assert kept == corrections
    whole = correct(LINES, ROLES, corrections)
    assert lines_from_json(json.loads(json.dumps(as_json(tuple(row.line for row in whole.lines))))) == tuple(
        row.line for row in whole.lines
    )
    if corrections:  # the keys that were there before keep their order
        before = [row.key for row in correct(LINES, ROLES, corrections[:-1]).lines]
        assert [row.key for row in whole.lines if row.key in before] == before


def found(*lines: int, text: str = "How much?", **fields) -> FoundQuestion:
    return FoundQuestion(lines, "", QuestionRecord(id="", text=text, **fields))


def outline(roles: str, *questions: FoundQuestion) -> list[tuple[int | None, str, tuple[str, ...]]]:
    """(place of the question, its lines, its lines elsewhere) of each passage."""
    names = {"Q": Role.QUESTION, "O": Role.OPTION, "K": Role.KEY, "T": Role.STIMULUS, "M": Role.MORE}
    corrected = correct(
        [Line(str(place)) for place in range(len(roles))], [names.get(letter, Role.NOTHING) for letter in roles], []
    )
    return [
        (
            passage.item and passage.item.place,
            "".join(row.reviewed.key for row in passage.lines),
            passage.item.elsewhere if passage.item else (),
        )
        for passage in passages_of(corrected, Paper(questions), {})
    ]


@pytest.mark.parametrize(
    ("roles", "questions", "expected"),
    [
        ("xQOxQ", [(1, 2), (4,)], [(None, "0", ()), (1, "12", ()), (None, "3", ()), (2, "4", ())]),
        # a page number within a question stays with it; a shared text and the list of answers stand elsewhere
        ("QxO", [(0, 2)], [(1, "012", ())]),
        ("TMQQ", [(0, 1, 2), (0, 1, 3)], [(None, "01", ()), (1, "2", ("0", "1")), (2, "3", ("0", "1"))]),
        ("QQK", [(0, 2), (1, 2)], [(1, "0", ("2",)), (2, "1", ("2",)), (None, "2", ())]),
        # rows of a table are questions of one line
        ("xx", [(1,), (1,)], [(None, "0", ()), (1, "1", ()), (2, "", ("1",))]),
        ("xx", [], [(None, "01", ())]),
    ],
)  # fmt: skip
def test_passages_hold_every_line_once_and_a_question_beside_its_own(roles, questions, expected) -> None:
    passages = outline(roles, *(found(*lines) for lines in questions))
    assert passages == expected
    assert "".join(lines for _, lines, _ in passages) == "".join(map(str, range(len(roles))))


def test_roles_are_stored_with_their_rules_and_those_of_an_older_release_without() -> None:
    roles, rules = [Role.QUESTION, Role.RIGHT_OPTION], ["question", "right_option"]
    assert roles_from_json(json.loads(json.dumps(roles_as_json(roles, rules)))) == (roles, rules)
    assert roles_from_json(["question", "right option"]) == (roles, ["", ""])


def test_what_the_bank_cannot_take_is_told_and_pictures_are_named_by_their_hashes() -> None:
    corrected = correct([Line("a"), Line("b")], [Role.QUESTION, Role.QUESTION], [])
    paper = Paper(
        (
            found(0, kind="choice", options=(Option("A", "1"), Option("A", "2"))),
            found(1, text="What is shown? ![](graph.png) ![](old.wmf)"),
        )
    )
    bad, good = (passage.item for passage in passages_of(corrected, paper, {"graph.png": "ab" * 32}))
    assert bad.refusal == "options have the label 'A' twice"
    assert not good.refusal
    assert {picture.name: picture.sha256 for picture in good.record.content.pictures} == {
        "abababababab.png": "ab" * 32,
        "old.wmf": "",
    }


DIGEST = "ab" * 32


def test_a_picture_is_named_by_its_content_and_counts_once():
    text = "Compare ![one](rId9.png) and ![two](rId10.png); ![](lost.png) is missing."
    taken = bank_record(QuestionRecord("1", text), {"rId9.png": DIGEST, "rId10.png": DIGEST})
    assert taken.text == text.replace("rId9.png", "abababababab.png").replace("rId10.png", "abababababab.png")
    assert taken.content.pictures == (Picture("abababababab.png", DIGEST), Picture("lost.png", ""))
