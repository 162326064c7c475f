"""Paraphrases over the API: lists, proposals, files of pairs and scores."""

from __future__ import annotations

import json

import pytest

from questionbank.models import ParaphrasePair, Run
from questionbank.review import api
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program

LINES = [
    {"original": "How much is $2 + 3$?", "paraphrase": "What do $2$ and $3$ make?", "label": 1},
    {"original": "How much is $2 + 4$?", "paraphrase": "What do $2$ and $4$ make?"},
    {"original": "How much is $2 + 5$?", "paraphrase": "How much is $2 + 5$?"},
]


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


def pair(**values) -> ParaphrasePair:
    return ParaphrasePair.objects.create(**{"original": "Why?", "paraphrase": "How come?", "source": "typed", **values})


def test_pairs_are_listed_with_the_filters_of_the_page(program) -> None:
    waiting = pair(batch="spring", verdict=0.9)
    hidden = pair(paraphrase="For what reason?", verdict=0.9, hides_machine=True)
    decided = pair(paraphrase="What for?", state="decided", outcome="reject", verdict=0.2)

    def listed(query: str = "") -> list[int]:
        return [one["id"] for one in program("GET", f"/paraphrases{query}").json()["items"]]

    assert listed() == [decided.pk, hidden.pk, waiting.pk]
    assert listed("?state=reject") == listed("?state=decided") == listed("?most=0.5") == [decided.pk]
    assert listed("?batch=spring") == listed("?least=0.5") == [waiting.pk]
    assert listed("?text=REASON") == [hidden.pk]
    shown = {one["id"]: one["probability"] for one in program("GET", "/paraphrases").json()["items"]}
    assert shown == {waiting.pk: 0.9, hidden.pk: None, decided.pk: 0.2}
    assert program("GET", "/paraphrases?state=lost").status_code == 422
    assert program("GET", "/paraphrases?least=2").status_code == 422


def test_a_teacher_adds_and_reads_paraphrases_of_a_question(teacher) -> None:
    program, question = Program(teacher), QuestionFactory(text="How much is $2 + 3$?")
    path = f"/questions/{question.pk}/paraphrases"
    made = program("POST", path, {"paraphrase": "What do $2$ and $3$ make?"})
    assert made.status_code == 201
    assert program("GET", path).json()["items"] == [made.json()]
    assert program("GET", made["Location"].removeprefix("/api/v1")).json() == made.json()
    assert (made.json()["question"], made.json()["state"], made.json()["source"]) == (question.pk, "open", "typed")
    again = program("POST", path, {"paraphrase": "What do $2$ and $3$ make?"})
    assert list(again.json()["error"]["fields"]) == ["paraphrase"]


def test_proposals_are_written_by_a_job(teacher, reviewer) -> None:
    first, second = QuestionFactory(), QuestionFactory()
    asked = Program(teacher)("POST", "/paraphrases/propose", {"questions": [first.pk], "each": 2})
    assert asked.status_code == 202
    run = Run.objects.get(pk=asked.json()["id"])
    assert run.parameters == {"paraphraser": "rules", "questions": [first.pk], "each": 2}
    both = {"questions": [first.pk, second.pk]}
    assert Program(teacher, name="Other")("POST", "/paraphrases/propose", both).status_code == 403
    assert Program(reviewer, "write", name="Only writes")("POST", "/paraphrases/propose", both).status_code == 403
    assert Program(reviewer)("POST", "/paraphrases/propose", both).status_code == 202


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"questions": [10**9]}, "questions"),
        ({"questions": []}, "questions"),
        ({"each": 6}, "each"),
        ({"paraphraser": "x"}, "paraphraser"),
    ],
)
def test_proposals_that_make_no_sense_are_refused(teacher, changed, field) -> None:
    body = {"questions": [QuestionFactory().pk]} | changed
    refused = Program(teacher)("POST", "/paraphrases/propose", body)
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (422, [field])


def test_neither_others_drafts_nor_retired_questions_are_reworded(teacher) -> None:
    for hidden in (QuestionFactory(status="draft"), QuestionFactory(status="retired")):
        assert (
            Program(teacher, name=str(hidden.pk))(
                "POST", "/paraphrases/propose", {"questions": [hidden.pk]}
            ).status_code
            == 422
        )
    assert not Run.objects.exists()


def test_a_file_of_pairs_is_checked_then_added_once(reviewer, own_uploads) -> None:
    program = Program(reviewer)
    content = "\n".join(map(json.dumps, LINES)).encode()
    checked = program.upload("/paraphrases/files?opinions=1", content, "pairs.jsonl").json()
    assert (checked["usable"], checked["labelled"], checked["refused"]) == (2, 1, 1)
    assert checked["problems"] == [{"line": 3, "reason": "original and paraphrase are the same text"}]
    assert not ParaphrasePair.objects.exists()
    confirm = {"token": checked["token"]}
    assert program("POST", "/paraphrases/files/confirm", confirm).json()["error"]["code"] == "import_refused"
    added = program("POST", "/paraphrases/files/confirm", confirm | {"skip_refused": True, "labels_decide": True})
    assert (added.status_code, added.json()) == (201, {"waiting": 1, "decided": 1})
    assert set(ParaphrasePair.objects.values_list("opinions_wanted", flat=True)) == {1}
    assert program("POST", "/paraphrases/files/confirm", confirm | {"skip_refused": True}).status_code == 409


def test_a_file_is_refused_that_cannot_be_used(reviewer, teacher, own_uploads) -> None:
    program = Program(reviewer)
    assert program.upload("/paraphrases/files", b"\xff\xfe", "pairs.jsonl").status_code == 422
    assert program.upload("/paraphrases/files?opinions=1000", b"{}", "pairs.jsonl").status_code == 422
    other = Program(teacher)
    assert other.upload("/paraphrases/files", b"{}", "pairs.jsonl").status_code == 403
    assert other("POST", "/paraphrases/files/confirm", {"token": "x"}).status_code == 403
