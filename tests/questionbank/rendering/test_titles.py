"""Titles: formulas in one line of plain text."""

from __future__ import annotations

from django.template import Context, Template

from questionbank.rendering.titles import LONGEST_TITLE, question_title
from tests.cases import each_case


@each_case("drawn_formulas", "titles")
def test_a_title_is_the_text_with_its_formulas_in_one_line(text: str, title: str) -> None:
    assert question_title(text) == title


def test_a_long_title_ends_behind_a_word() -> None:
    title = question_title("seven " * 40)
    assert len(title) <= LONGEST_TITLE
    assert title.endswith("seven…")
    assert question_title("四" * 200, 10) == "四" * 9 + "…"


def test_a_template_escapes_the_title() -> None:
    html = Template("{% load mathematics %}{{ text|plain_title:20 }}").render(Context({"text": "$a<b$ <i>"}))
    assert html == "a &lt; b &lt;i&gt;"
