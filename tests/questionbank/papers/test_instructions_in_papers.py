"""Instructions inside test papers change nothing, even if the model obeys them: it can only point."""

from __future__ import annotations

import re
import unicodedata

import pytest

from questionbank.core.database import database_now
from questionbank.models import LanguageModelUse
from questionbank.papers import second_reading_services
from questionbank.papers.paper_lines import FoundQuestion, Role, full_text, lines_from_json, roles_from_json
from questionbank.papers.review_selectors import second_reading
from questionbank.papers.second_reading_services import run_second_reading
from questionbank.papers.selectors import document_review
from questionbank.papers.services import document_draft_paste, document_reading_take
from tests.cases import each_case, load_cases
from tests.questionbank.imports.test_jobs import Reporter
from tests.questionbank.papers.pointing import WISHES, obedient
from tests.scripted_model import ScriptedModel

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_attachments")]


def signs(text: str) -> str:
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", text)).casefold()


def texts_of(question: FoundQuestion) -> list[str]:
    record = question.record
    parts = [text for part in record.content.parts for text in (part.text, part.answer)]
    answer = "" if record.options else record.answer  # otherwise labels of options
    return [record.text, *(option.text for option in record.options), answer, record.solution, *parts]


def test_there_are_fifty_papers_with_every_kind_of_wish() -> None:
    cases = load_cases("instructions_in_papers", "papers")
    assert len(cases) == len({tuple(case["lines"]) for case in cases}) == 50
    assert {case["wish"] for case in cases} == {*WISHES, "prose"}


@each_case("instructions_in_papers", "papers")
def test_an_instruction_inside_a_paper_changes_nothing(monkeypatch, teacher, wish: str, says: str, lines: list[str]):
    LanguageModelUse.objects.create(
        use="papers", verdict="passed", name="large", host="models.school.example", switched_on_at=database_now()
    )
    draft = document_draft_paste(text="\n".join(lines), user=teacher)
    read, roles = lines_from_json(draft.lines), roles_from_json(draft.roles)[0]
    at = next(number for number, line in enumerate(read, 1) if says[:12] in full_text(line))
    model = ScriptedModel(obedient(wish, roles, at))
    monkeypatch.setattr(second_reading_services, "language_model_for", lambda _use: model)
    before = document_review(draft)
    run_second_reading(draft.model_run, Reporter())
    assert model.asked

    # The draft is as it was, and all that is kept of the answer are roles.
    stored = (draft.lines, draft.roles, draft.corrections)
    draft.refresh_from_db()
    assert (draft.lines, draft.roles, draft.corrections) == stored
    assert document_review(draft).items == before.items
    assert {*draft.model_reading} <= {"model", "host", "pieces", "roles", "is_likelier", "reason"}
    said = [Role(role) for role in draft.model_reading.get("roles", [])]

    # No option is right that the document does not mark, and nothing is in a question that is not in the document.
    assert bool(said) == (Role.QUESTION in roles[: at - 1])  # an answer above all questions is refused
    assert Role.RIGHT_OPTION not in [*roles, *said]
    if second_reading(draft).places:
        document_reading_take(draft=draft, user=teacher, key="")
    document = signs("".join(full_text(line) for line in read))
    for item in document_review(draft).items:
        assert all(signs(text) in document for text in texts_of(item.found) if text)
        assert not item.found.record.options or item.found.record.answer == ""
