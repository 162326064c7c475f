"""What is probably wrong carries a doubt that says what to look at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.question_content import QuestionContent, QuestionPart, Stimulus
from analytics.records import QuestionRecord
from questionbank.papers.doubts import with_suspicions
from questionbank.papers.paper_lines import Doubt, FoundQuestion

PLAIN = FoundQuestion((0,), "1.", QuestionRecord("", "What is 2 + 2?", answer="4"))
DOUBTED = FoundQuestion((1,), "2.", QuestionRecord("", "What is 3 + 3?", answer="6"), doubts=(Doubt.of("short"),))


def question(text: str, answer: str = "4", shared: str = "", parts: tuple[str, ...] = ()) -> FoundQuestion:
    content = QuestionContent(
        stimulus=Stimulus(text=shared),
        parts=tuple(QuestionPart("Find it.", "open", (), part, QuestionContent()) for part in parts),
    )
    return FoundQuestion((0,), "1.", QuestionRecord("", text, answer=answer, content=content))


@pytest.mark.parametrize(
    ("suspect", "looks_at"),
    [
        (question("Use it for questions 4 and 7.\nWhat is 2 + 2?"), "mentions other questions"),
        (question("Answer each part.", "", parts=("", "")), "Nothing above its parts"),
        (question("Match the rows.", ""), "matching question"),
    ],
)
def test_what_counts_most_against_a_question_is_its_doubt(suspect: FoundQuestion, looks_at: str) -> None:
    found, _ = with_suspicions([suspect, PLAIN], frozenset())
    (doubt,) = found.doubts
    assert looks_at in str(doubt)


def test_a_question_like_others_is_not_suspected() -> None:
    shared = question(
        "Questions 1-2 refer to the graph below.\n\nWhat is 2 + 2?", shared="Questions 1-2 refer to the graph below."
    )
    assert not [found for found in with_suspicions([PLAIN, shared, PLAIN], frozenset()) if found.doubts]


def test_where_much_of_a_paper_is_doubtful_its_unanswered_questions_are_too() -> None:
    found = [*with_suspicions([*[DOUBTED] * 9, question("Add them.", ""), PLAIN], frozenset())]
    assert [doubt.code for one in found[9:] for doubt in one.doubts] == ["suspect_paper"]


def test_a_question_of_several_lines_is_no_suspect() -> None:
    long = question("A shop sells pens.\nEach costs 2.\nOne is lost.\nHow much are 2?", "4\nor 5")
    assert not [found for found in with_suspicions([PLAIN, long], frozenset()) if found.doubts]


@given(st.sets(st.integers(0, 3)))
def test_what_a_person_has_looked_at_and_what_is_doubted_already_stays(settled: set[int]) -> None:
    suspect = question("Answer each part.", "", parts=("", ""))
    found = [*with_suspicions([suspect, DOUBTED], settled)]
    assert found[1] == DOUBTED
    assert bool(found[0].doubts) == (0 not in settled)
