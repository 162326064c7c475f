"""HTML in texts becomes our notation, and nothing else is taken for HTML."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from questionbank.formats.html_reading import html_to_our_text
from questionbank.formats.html_text import html_to_text
from tests.cases import each_case


@each_case("html_text", "html_becomes_text")
def test_html_becomes_text(html, text):
    assert html_to_text(html) == (text, [])


@each_case("html_text", "comparisons_and_ampersands_stay")
def test_comparisons_and_ampersands_stay(text):
    assert html_to_text(text) == (text, [])


@each_case("html_text", "what_cannot_be_text_is_said")
def test_what_cannot_be_text_is_said(html, text, said):
    cleaned, reasons = html_to_text(html)
    assert cleaned == text
    assert said in reasons[0]


@given(st.text('ab<>&;/ ="$bpu12', max_size=60))
def test_no_text_makes_it_fail_and_a_cleaned_text_keeps_its_letters(text):
    cleaned, _ = html_to_text(text)
    if "<" not in text and "&" not in text:
        assert cleaned == text


def test_blank_lines_of_the_source_do_not_split_a_table():
    rows = "<tr>\n<td>a</td>\n\n<td>b</td></tr>\n\n \n<tr><td>1</td><td>2</td></tr>"
    for breaks_lines in (False, True):
        text, _went = html_to_our_text(f"<table>\n\n<tbody>{rows}</tbody>\n</table>", breaks_lines=breaks_lines)
        assert text == "| a | b |\n| 1 | 2 |"
