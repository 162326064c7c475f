"""Options, parts, tables and the answer are read out of a pasted question, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.question_layout import question_layout, text_blocks
from tests.cases import each_case


@each_case("question_layout", "layouts")
def test_options_and_the_answer_are_taken_out(pasted, text, options, answer):
    layout = question_layout(pasted)
    assert (layout.text, layout.answer) == (text, answer)
    assert [option.text for option in layout.options] == options
    assert [option.label for option in layout.options] == list("ABCDEFGH")[: len(layout.options)]


@each_case("question_layout", "parts")
def test_parts_stay_in_the_text_and_are_shown_as_a_list(text, parts):
    assert question_layout(text).options == ()
    block = next(block for block in text_blocks(text) if block.kind == "parts")
    assert " ".join(label.strip("().）") for label, _ in block.parts) == parts
    assert all(part for _, part in block.parts)


@each_case("question_layout", "tables")
def test_rows_of_a_table_keep_their_columns(text, rows):
    table = next(block for block in text_blocks(text) if block.kind == "table")
    assert ["|".join(row) for row in table.rows] == rows


@each_case("question_layout", "prose")
def test_other_lines_are_prose(text):
    assert [block.kind for block in text_blocks(text)] == ["prose"]


PIECES = ["a) ", "b) ", "A. ", "(B)", "\t", " | ", "\n", "    ", "Find x?", "12", "$|x|$", "\n\n", "1) ", "答案：B"]


@given(st.lists(st.sampled_from(PIECES), max_size=14))
@settings(max_examples=400, deadline=None)
def test_blocks_lose_no_character(pieces):
    text = "".join(pieces)
    assert "".join(block.text for block in text_blocks(text)) == text
    layout = question_layout(text)
    kept = layout.text + "".join(option.text for option in layout.options) + layout.answer
    assert kept.count("12") == text.count("12")
    assert kept.count("$|x|$") == text.count("$|x|$")


@pytest.mark.parametrize("unit", ["A) ", "a) x b) ", "\t", " | ", "   ", "\n", "答案：", "x\ty\n", "a) 1\nb) 2\n"])
def test_a_long_text_is_laid_out_in_time(unit, no_hang):
    text = unit * (20_000 // len(unit))
    question_layout(text)
    text_blocks(text)
