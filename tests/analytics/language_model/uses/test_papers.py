"""Test papers read by a model that only points."""

from __future__ import annotations

import re

import pytest

from analytics.errors import LanguageModelError
from analytics.language_model.papers import MORE, ROLES, PaperLine, read_paper
from analytics.language_model.protocol import Message, ModelAnswer
from tests.cases import each_case
from tests.scripted_model import ScriptedModel, in_turn

PAPER = [
    PaperLine("Sums and equations"),
    PaperLine("How much is 2 + 3?", "1."),
    PaperLine("4", "A."),
    PaperLine("5", "B."),
    PaperLine("Find x if x + 2 = 9.", "2."),
    PaperLine("Answer: 7"),
]
LETTERS = {role[0]: role for role in ("heading", "question", "option", "answer", "nothing", "key")} | {"m": MORE}
WINDOW = 8_192


def stretches(*roles: tuple[int, int, str]) -> dict[str, object]:
    return {"stretches": [{"first": first, "last": last, "role": role} for first, last, role in roles]}


WHOLE = stretches((1, 1, "heading"), (2, 2, "question"), (3, 3, "option"), (4, 4, "option"), (5, 5, "question"),
                  (6, 6, "answer"))  # fmt: skip


def line_by_line(messages: list[Message], roles: list[str]) -> dict[str, object]:
    """Answers a piece of a paper rightly: a stretch a line, with the role that the line has in the whole paper."""
    numbers = [int(number) for number in re.findall(r"(?m)^(\d+)\|", messages[-1].content)]
    return stretches(*((number, number, roles[number - 1]) for number in numbers))


@each_case("pointing", "readings")
def test_a_reading_that_uses_each_line_once_is_accepted(answer: str, roles: str) -> None:
    reading = read_paper(ScriptedModel(answer), PAPER, window=WINDOW)
    assert reading.roles == tuple(LETTERS[letter] for letter in roles), reading.reason


@each_case("pointing", "invented_readings")
def test_a_reading_with_anything_invented_is_refused_with_the_reason(answer: str, because: str) -> None:
    model = ScriptedModel(answer)
    reading = read_paper(model, PAPER, window=WINDOW)
    assert reading.roles is None
    assert because in reading.reason
    assert reading.reason.startswith("The reading of scripted cannot be used: ")


def test_an_unusable_answer_is_repaired_once_and_the_model_is_told_why() -> None:
    model = ScriptedModel(in_turn({"stretches": []}, WHOLE))
    assert read_paper(model, PAPER, window=WINDOW).roles is not None
    first, second = (messages for messages, _ in model.asked)
    assert second[: len(first)] == first
    assert "it leaves out line 1" in second[-1].content
    model = ScriptedModel("No.")
    assert read_paper(model, PAPER, window=WINDOW).roles is None
    assert len(model.asked) == 2


def test_the_model_is_sent_the_lines_with_their_numbers_and_the_roles() -> None:
    model = ScriptedModel(WHOLE)
    read_paper(model, [*PAPER[:-1], PaperLine("Answer:\n7 " + "x" * 1_000)], window=WINDOW)
    ((instruction, lines),) = (messages for messages, _ in model.asked)
    assert all(f"- {role}: " in instruction.content for role in ROLES)
    sent = lines.content.splitlines()
    assert sent[1] == "2| 1. How much is 2 + 3?"
    assert len(sent) == len(PAPER)
    assert len(sent[-1]) < 500


def test_a_question_without_text_is_refused() -> None:
    lines = [*PAPER[:4], PaperLine("", "2."), PaperLine("Answer: 7")]
    assert "the question at line 5 is empty" in read_paper(ScriptedModel(WHOLE), lines, window=WINDOW).reason
    lines[4] = PaperLine("![graph](image1.png)", "2.")
    assert read_paper(ScriptedModel(WHOLE), lines, window=WINDOW).roles is not None


def test_options_that_several_questions_share_may_be_above_them() -> None:
    said = stretches((1, 1, "stimulus"), (2, 2, "option"), (3, 3, "option"), (4, 5, "question"), (6, 6, "answer"))
    assert read_paper(ScriptedModel(said), PAPER, window=WINDOW).roles is not None


def test_an_empty_document_asks_nobody() -> None:
    model = ScriptedModel(WHOLE)
    assert read_paper(model, [], window=WINDOW).reason == "The document has no lines."
    assert not model.asked


# -- papers larger than the context window -----------------------------------------------------------------------------

LONG = [
    line
    for number in range(1, 61)
    for line in (
        PaperLine(f"How much is {number} + 1? Write down how you know.", f"{number}.", page=number // 10),
        PaperLine(str(number), "A.", page=number // 10),
        PaperLine(str(number + 1), "B.", page=(number + 1) // 10),
    )
]
LONG_ROLES = ["question", "option", "option"] * 60


def test_a_long_paper_is_read_by_pages_and_no_question_is_cut() -> None:
    model = ScriptedModel(lambda messages: line_by_line(messages, LONG_ROLES))
    reading = read_paper(model, LONG, window=3_000)
    assert reading.roles == tuple(LONG_ROLES)
    assert reading.pieces == len(model.asked) > 3
    ends = [int(re.findall(r"(?m)^(\d+)\|", messages[-1].content)[-1]) for messages, _ in model.asked]
    assert all(LONG[end - 1].page != LONG[end].page for end in ends[:-1])
    begins = [int(re.findall(r"(?m)^(\d+)\|", messages[-1].content)[0]) for messages, _ in model.asked]
    assert all(LONG_ROLES[begin - 1] == "question" for begin in begins)
    assert any(begin <= end for begin, end in zip(begins[1:], ends, strict=False))  # the question across two pages


def test_a_paper_without_pages_is_cut_by_its_lines() -> None:
    lines = [PaperLine(line.text, line.number) for line in LONG]
    model = ScriptedModel(lambda messages: line_by_line(messages, LONG_ROLES))
    reading = read_paper(model, lines, window=3_000)
    assert reading.roles == tuple(LONG_ROLES)
    assert reading.pieces > 2


@pytest.mark.parametrize(
    "refusal",
    [
        LanguageModelError("The language model at x answers 400: This model's maximum context length is 4096 tokens."),
        LanguageModelError("The language model at x answers 400: the request exceeds the available context size."),
        ModelAnswer('{"stretches": [', is_cut=True),
    ],
    ids=["vLLM", "llama.cpp", "cut off"],
)
def test_what_the_server_finds_too_long_is_asked_in_smaller_pieces(refusal) -> None:
    def script(messages: list[Message]) -> object:
        return refusal if len(messages[-1].content) > 3_000 else line_by_line(messages, LONG_ROLES)

    reading = read_paper(ScriptedModel(script), LONG, window=100_000)
    assert reading.roles == tuple(LONG_ROLES)


def test_a_window_too_small_for_a_page_is_said() -> None:
    refusal = LanguageModelError("The language model at x answers 400: maximum context length is 10 tokens.")
    model = ScriptedModel(refusal)
    reading = read_paper(model, LONG, window=WINDOW)
    assert reading.roles is None
    assert "its context window is too small for a page of this paper" in reading.reason
    assert len(model.asked) < 10


def test_one_endless_question_is_read_on_in_the_next_piece() -> None:
    lines = [PaperLine("Read the text.", "1."), *(PaperLine(f"It goes on for {n} lines.") for n in range(300))]

    def script(messages: list[Message]) -> object:
        numbers = [int(number) for number in re.findall(r"(?m)^(\d+)\|", messages[-1].content)]
        return stretches((numbers[0], numbers[-1], "question" if numbers[0] == 1 else "nothing"))

    reading = read_paper(ScriptedModel(script), lines, window=3_000)
    assert reading.roles is not None
    assert len(reading.roles) == len(lines)
    assert reading.roles.count("question") == 1


def test_an_unreachable_model_is_an_error_and_no_reading() -> None:
    with pytest.raises(LanguageModelError, match="cannot be reached"):
        read_paper(ScriptedModel(LanguageModelError("The language model cannot be reached.")), PAPER, window=WINDOW)
