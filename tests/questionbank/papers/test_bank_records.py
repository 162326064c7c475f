"""From the questions of a paper to what the bank takes."""

from __future__ import annotations

from analytics.question_content import Picture
from analytics.records import QuestionRecord
from questionbank.papers.question_records import bank_record

DIGEST = "ab" * 32


def test_a_picture_is_named_by_its_content_and_counts_once():
    text = "Compare ![one](rId9.png) and ![two](rId10.png); ![](lost.png) is missing."
    taken = bank_record(QuestionRecord("1", text), {"rId9.png": DIGEST, "rId10.png": DIGEST})
    assert taken.text == text.replace("rId9.png", "abababababab.png").replace("rId10.png", "abababababab.png")
    assert taken.content.pictures == (Picture("abababababab.png", DIGEST), Picture("lost.png", ""))
