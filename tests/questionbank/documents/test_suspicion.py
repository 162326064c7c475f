"""What is probably wrong carries a doubt that says what to look at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.question_content import QuestionContent, QuestionPart, Stimulus
from analytics.records import QuestionRecord
from questionbank.documents.paper import FoundQuestion
from questionbank.documents.suspicion import with_suspicions

PLAIN = FoundQuestion((0,), "1.", QuestionRecord("", "What is 2 + 2?", answer="4"))
DOUBTED = FoundQuestion((1,), "2.", QuestionRecord("", "What is 3 + 3?", answer="6"), doubts=("Is it?",))


def question(text: str, answer: str = "4", shared: str = "", parts: tuple[str, ...] = ()) -> FoundQuestion:
    content = QuestionContent(
        stimulus=Stimulus(text=shared),
        parts=tuple(QuestionPart("Find it.", "open", (), part, QuestionContent()) for part in parts),
    )
    return FoundQuestion((0,), "1.", QuestionRecord("", text, answer=answer, content=content))


@pytest.mark.parametrize(
    ("suspect", "looks_at"),
    [
        (question("Use it for questions 4 and 7.\nWhat is 2 + 2?"), "names other questions"),
        (question("Answer each part.", "", parts=("", "")), "Nothing above its parts"),
        (question("Match the rows.", ""), "asks to match"),
        (question("Draw it.\n1\n2\n3\n4\n5", ""), "the last one, “5”, belong"),
    ],
)
def test_what_counts_most_against_a_question_is_its_doubt(suspect: FoundQuestion, looks_at: str) -> None:
    (found,) = with_suspicions([suspect], frozenset())
    (doubt,) = found.doubts
    assert looks_at in doubt


def test_a_question_like_others_is_not_suspected() -> None:
    shared = question(
        "Questions 1-2 refer to the graph below.\n\nWhat is 2 + 2?",
        shared="Questions 1-2 refer to the graph below.",
    )
    assert not [found for found in with_suspicions([PLAIN, shared, PLAIN], frozenset()) if found.doubts]


def test_formulas_on_lines_of_their_own_are_no_lines_too_many() -> None:
    system = question("Draw it.\n$$x = 1$$\n\\[y = 2\\]\n$$z = 3$$\n$$a = 4$$\n$$b = 5$$")
    assert [found.doubts for found in with_suspicions([PLAIN, system], frozenset())] == [(), ()]


def test_where_much_of_a_paper_is_doubtful_its_unusual_questions_are_too() -> None:
    long = question("A shop sells pens.\nEach costs 2.\nOne is lost.\nHow much are 2?")
    several = question("What is 2 + 2?", "4\nTotal: 13 points")
    found = [*with_suspicions([DOUBTED, DOUBTED, DOUBTED, DOUBTED, long, several, PLAIN], frozenset())]
    assert [len(one.doubts) for one in found] == [1, 1, 1, 1, 1, 1, 0]
    assert "goes over several lines" in found[5].doubts[0]


@given(st.sets(st.integers(0, 3)))
def test_what_a_person_has_looked_at_and_what_is_doubted_already_stays(settled: set[int]) -> None:
    suspect = question("Answer each part.", "", parts=("", ""))
    found = [*with_suspicions([suspect, DOUBTED], settled)]
    assert found[1] == DOUBTED
    assert bool(found[0].doubts) == (0 not in settled)
