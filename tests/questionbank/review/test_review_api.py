"""Scores of paraphrases over the API."""

from __future__ import annotations

import pytest

from questionbank.review import api
from tests.questionbank.api_client import Program


class OneScore:
    """A scorer that finds every pair half valid, and reads no text of more than ten words."""

    def unread_reason(self, original: str, paraphrase: str) -> str:
        return "length" if len(paraphrase.split()) > 10 else ""

    def score(self, pairs: list) -> list:
        return [Half() for _pair in pairs]


class Half:
    def as_dict(self) -> dict:
        return {"score": 0.5, "verdict": "unsure", "probability": 0.5, "findings": []}


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher, "read")


def test_pairs_are_scored_in_their_order(program, monkeypatch) -> None:
    monkeypatch.setattr(api, "scorer_by_number", lambda _model: OneScore())
    pairs = [
        {"original": "How much is $2 + 3$?", "paraphrase": "word " * 11},
        {"original": "How much is $2 + 3$?", "paraphrase": "What is $2 + 3$?"},
    ]
    scores = program("POST", "/paraphrases/score", {"pairs": pairs}).json()
    assert [item["verdict"] for item in scores["items"]] == [None, "unsure"]
    assert scores["items"][0]["findings"]
    assert len(scores["notices"]) == 1


def test_without_a_scorer_it_says_so(program) -> None:
    response = program("POST", "/paraphrases/score", {"pairs": [{"original": "Why?", "paraphrase": "How come?"}]})
    assert response.status_code == 503


@pytest.mark.parametrize("pairs", [[], [{"original": "a", "paraphrase": "b"}] * 257, [{"original": "a"}], [["a", "b"]]])
def test_a_batch_has_1_to_256_pairs(program, pairs) -> None:
    assert program("POST", "/paraphrases/score", {"pairs": pairs}).status_code == 422
