"""Each kind of question, its editor and its export, in the browser without JavaScript."""

from __future__ import annotations

import os

import pytest

from analytics.question_content import AcceptedAnswer, Picture, QuestionContent, as_json
from questionbank.bank.attachment_services import attachment_add
from questionbank.formats.jsonl import write_jsonl_line
from questionbank.formats.kinds import KINDS
from questionbank.imports.services import import_file
from questionbank.models import Question
from tests.e2e.accessibility import faults, unfold_everything
from tests.e2e.conftest import DESK, TELEPHONE
from tests.factories import QuestionFactory
from tests.pictures import png
from tests.questionbank.formats.moodle_sample import SAMPLE
from tests.questionbank.formats.qti_sample import package_of_three
from tests.questionbank.formats.test_qti import ALL_KINDS


@pytest.fixture
def pages(bank, tmp_path, own_attachments):
    """The addresses of pages that show kinds of question."""
    path = tmp_path / "bank.xml"
    path.write_text(SAMPLE, encoding="utf-8")
    import_file(path=path, embed=False)
    farm = tmp_path / "farm.zip"
    farm.write_bytes(package_of_three())
    import_file(path=farm, embed=False)  # questions that share a text
    digest = attachment_add(data=png(90, 300, 120))
    pictured = QuestionFactory(
        text="Which graph is it? ![a grey field](grey.png)",
        kind="number",
        answer="3.14 cm",
        content=as_json(
            QuestionContent(
                pictures=(Picture("grey.png", digest),),
                accepted=(AcceptedAnswer("3.14", tolerance=0.01, unit="cm"), AcceptedAnswer("3", 0.5, "Rough")),
                hints=("Think.",),
            )
        ),
    )
    ours = tmp_path / "ours.jsonl"
    ours.write_text("\n".join(map(write_jsonl_line, ALL_KINDS)) + "\n", encoding="utf-8")
    import_file(path=ours, embed=False)
    shown = Question.objects.filter(kind__in=("matching", "blanks", "true_false", "opaque"), source="bank")
    edited = Question.objects.filter(source="ours")
    cows = Question.objects.get(source_id="cows")
    addresses = [f"/questions/{pk}/" for pk in (pictured.pk, cows.pk, *shown.values_list("pk", flat=True))]
    editors = [f"/questions/{edited.filter(kind=kind).latest('pk').pk}/edit/" for kind in KINDS]
    Question.objects.filter(pk=pictured.pk).update(grade="9", version=2)  # a former version
    losses = [f"/questions/selected/{name}/?all=1" for name in ("csv", "qti21")]
    return [*addresses, f"/questions/{pictured.pk}/edit/", *editors, *losses]


def test_pages_of_all_kinds_are_accessible_at_a_desk_and_on_a_telephone(pages, admin_page) -> None:
    for number, address in enumerate(pages):
        admin_page.goto(address)
        if folder := os.environ.get("SCREENSHOTS"):
            unfold_everything(admin_page)
            for size in (DESK, TELEPHONE):
                admin_page.set_viewport_size({"width": size[0], "height": size[1]})
                admin_page.screenshot(path=f"{folder}/{number}-{size[0]}.png", full_page=True)
        assert faults(admin_page) == [], address


def test_the_editor_shows_what_the_chosen_type_has_and_what_is_filled_in(plain_page) -> None:
    plain_page.goto("/questions/new/")
    names = ("option_text", "accepted_text", "pair_left", "blank_answers", "part_text", "answer")

    def shown(kind: str) -> list[str]:
        plain_page.select_option("[name=kind]", kind)
        return [name for name in names if plain_page.locator(f"[name={name}]").first.is_visible()]

    assert {kind: shown(kind) for kind in ("open", "choice", "short", "matching", "blanks", "parts")} == {
        "open": ["answer"],
        "choice": ["option_text", "answer"],
        "short": ["accepted_text", "answer"],
        "matching": ["pair_left"],
        "blanks": ["blank_answers"],
        "parts": ["part_text"],
    }
    shown("matching")
    plain_page.fill("[name=pair_left] >> nth=0", "two")
    assert shown("open") == ["pair_left", "answer"]  # nothing that somebody typed goes out of sight
