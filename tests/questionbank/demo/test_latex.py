"""LaTeX and English of the questions: balanced, tidy, and rendered without exception."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from analytics.records import QuestionRecord
from questionbank.rendering import render_question


def parts(record: QuestionRecord) -> Iterator[str]:
    """Yield everything that is shown of a question, a line of the solution at a time."""
    yield record.text
    yield record.answer
    yield from record.solution.split("\n")
    for option in record.options:
        yield option.text
        yield option.misconception


def formulas(text: str) -> list[str]:
    """Return the formulas of a text."""
    return [display or inline for display, inline in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", text)]


def test_dollars_and_braces_are_balanced(questions):
    for question in questions:
        for text in parts(question.record):
            assert text.count("$") % 2 == 0, text
            for formula in formulas(text):
                bare = formula.replace(r"\{", "").replace(r"\}", "")
                depth = 0
                for sign in bare:
                    depth += (sign == "{") - (sign == "}")
                    assert depth >= 0, formula
                assert depth == 0, formula
                assert formula.count(r"\left") - formula.count(r"\leftarrow") == formula.count(r"\right"), (
                    formula
                )
                assert formula.strip() == formula, formula


def test_display_formulas_stand_alone_on_their_line(questions):
    displays = 0
    for question in questions:
        for line in question.record.text.split("\n"):
            if "$$" in line:
                displays += 1
                assert re.fullmatch(r"\$\$[^$]+\$\$", line), line
    assert displays > 50


UGLY_FORMULA = {
    "a factor of one": r"(?<![\d.}\w])1[a-zA-Z](?![a-z])",
    "plus minus": r"\+ ?-",
    "minus minus": r"- ?-",
    "plus plus": r"\+ ?\+",
    "a sign after a product": r"\\(?:times|div) -",
    "an exponent in needless braces": r"\^\{\w\}(?!\w)(?<!\}\^\{\d\})",
    "a denominator of one": r"\\frac\{[^{}]*\}\{1\}",
    "a term with factor zero": r"(?<![\d.])0[a-z]",
    "empty braces": r"\{\}",
    "a float": r"\d\.\d{9,}|\de[-+]?\d",
    "a Python value": r"Fraction|None|True|False",
    "minus zero": r"(?<![\d\w}] )-0(?![.\d])",
    "a wide gap": r"  ",
}


@pytest.mark.parametrize("form", UGLY_FORMULA)
def test_formulas_are_tidy(questions, form):
    pattern = re.compile(UGLY_FORMULA[form])
    for question in questions:
        for text in parts(question.record):
            for formula in formulas(text):
                # an upper limit is an exponent by its looks only: \int_{0}^{2}
                bare = re.sub(r"_(?:\{[^{}]*\}|\w)\^(?:\{[^{}]*\}|\w)", "", formula)
                assert not pattern.search(bare), formula


UGLY_SENTENCE = {
    "one of many": r"(?<!sector )(?<![.\d,])\b1 (?!as\b|is\b|plus\b|fits\b)[a-z]+s\b",
    "a before a vowel": r"(?:\ba|^A|[.?!] A) (?=[aeioAEIO])(?!one\b|uni|eu)",
    "an before a consonant": r"\b[Aa]n (?=[b-df-gj-np-tv-z])",
    "a doubled word": r"\b([a-z]+) \1\b",
    "a gap before a full stop": r" [.,;?!](?=\s|$)",
    "two gaps": r"  ",
    "two full stops": r"(?<!\\)\.\.",
    "a Python value": r"\bNone\b|\bTrue\b|\bFalse\b|Fraction|\{|\}",
    "a lower-case beginning": r"(?:^|[a-z)][.?!] )(?!x\b)[a-z]",
    "an odd character": r"[^\x20-\x7e\n£€°é’íéü]",
}


@pytest.mark.parametrize("form", UGLY_SENTENCE)
def test_sentences_are_good_english(questions, form):
    pattern = re.compile(UGLY_SENTENCE[form])
    for question in questions:
        record = question.record
        if form == "a lower-case beginning":
            sentences = [record.text]
        else:
            sentences = [
                record.text,
                *record.solution.split("\n"),
                *(o.misconception for o in record.options),
            ]
        for sentence in sentences:
            prose = re.sub(r"\$\$.+?\$\$|\$.+?\$", "X", sentence)
            assert not pattern.search(prose), sentence


def test_questions_end_like_sentences(questions):
    for question in questions:
        last = question.record.text.split("\n")[0]
        assert re.search(r"[.?:$_]$", last), last


def test_every_formula_renders(questions):
    rendered = 0
    for question in questions:
        for text in {question.record.text, question.record.solution, question.record.answer} | {
            option.text for option in question.record.options
        }:
            html = render_question(text)
            assert "formula-source" not in html, text
            assert html.count("<math") == len(formulas(text)), text
            rendered += html.count("<math")
    assert rendered > 15_000


def test_solutions_contain_the_answer(questions, shown_answer):
    def plain(text: str) -> str:
        return re.sub(r"\\,|[$,\s]", "", text)

    for question in questions:
        shown, solution = plain(shown_answer(question)), plain(question.record.solution)
        assert shown in solution, (question.record.id, shown, question.record.solution)
        if question.record.kind == "choice":
            assert question.record.solution.endswith(f"So the answer is {question.record.answer}.")
