"""No word and no sign of a question is lost on its way to paper."""

from __future__ import annotations

import importlib.util
import random
import re

import pytest

from analytics.records import QuestionRecord
from questionbank.demo.bank import demo_questions
from questionbank.worksheets.printing.pdf import worksheet_pdf
from questionbank.worksheets.sheet import Sheet, SheetItem, SheetSection
from tests.questionbank.worksheets.printing.reading import characters, page_text, pdf_text, words
from tests.questionbank.worksheets.printing.samples import SETS, public_questions

pytestmark = pytest.mark.skipif(importlib.util.find_spec("typst") is None, reason="needs the extra 'documents'")

MARK = "¤"
AROUND = re.compile(rf"{MARK}|Page \d+ of \d+|No font of this computer.*", re.DOTALL)
Texts = tuple[str, list[tuple[str, str]]]


def differences(questions: list[Texts]) -> list[tuple[str, dict[str, int], dict[str, int]]]:
    """Print each question on a page of its own; return the wrong ones with what is missing or too much."""
    sheets = [
        Sheet(MARK, (SheetSection((SheetItem(MARK, text, options=tuple(options)),)),), has_name_field=False)
        for text, options in questions
    ]
    printed: list[str] = []
    for page in pdf_text(worksheet_pdf(sheets)):
        if page.count(MARK) >= 2:
            printed.append("")
        printed[-1] += " " + AROUND.sub(" ", page)
    assert len(printed) == len(questions)
    wrong = []
    for (text, options), on_paper in zip(questions, printed, strict=True):
        on_page = " ".join([page_text(text), *(f"{label} {page_text(option)}" for label, option in options)])
        missing = characters(on_page) - characters(on_paper)
        surplus = characters(on_paper) - characters(on_page)
        if missing or surplus:
            wrong.append((text, dict(missing), dict(surplus)))
    return wrong


def _texts(record: QuestionRecord) -> Texts:
    return record.text, [(option.label, option.text) for option in record.options]


def test_questions_of_the_demo_bank_are_printed_whole():
    questions = [_texts(record) for record in random.Random(5).sample(demo_questions(), 150)]
    assert differences(questions) == []


@pytest.mark.shared_data
@pytest.mark.parametrize("name", SETS)
def test_public_questions_are_printed_whole(shared_data, name):
    rows = public_questions(shared_data, name, 300)
    wrong = []
    for start in range(0, len(rows), 100):
        part = [
            (row["text"], [(option["label"], option["text"]) for option in row.get("options") or []])
            for row in rows[start : start + 100]
        ]
        wrong += differences(part)
    assert wrong == []


def test_a_text_in_a_span_in_a_span_is_printed():
    text = r"Outer **bold \underline{under *not lost* $x$} end** and \textsuperscript{up \textbf{both}} done."
    assert differences([(text, [])]) == []
    sheet = Sheet("T", (SheetSection((SheetItem("1", text),)),))
    printed = " ".join(pdf_text(worksheet_pdf([sheet])))
    assert set(words(page_text(text))) <= set(words(printed))
