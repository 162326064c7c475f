"""Duplicates on pages and over the API: near copies of an import, the comparison, the merge and its report."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from questionbank.models import (
    BulkChange,
    EmbeddingSet,
    ItemStatistics,
    Question,
    QuestionList,
    QuestionListItem,
    ResponseSet,
    Run,
)
from questionbank.similar.duplicate_selectors import marked_words
from tests.questionbank.api_client import Program
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = pytest.mark.django_db

STORY = "Sara had 24 pencils and gave 6 of them to Tom. How many pencils has Sara left?"


@pytest.fixture
def run(teacher) -> Run:
    return Run.objects.create(kind=Run.Kind.IMPORT, state=Run.State.SUCCEEDED, requested_by=teacher)


@pytest.fixture
def copies(teacher, run) -> dict[str, Question]:
    """A question, a copy of it from an import with another concept, one with other numbers, and an unlike one."""
    made = {
        "old": add_question(STORY, created_by=teacher, answer="18"),
        "copy": add_question(
            STORY.replace("has Sara left", "does Sara have left"),
            created_by=teacher,
            import_run=run,
            concepts=[add_concept("Subtraction")],
            answer="$18$",
        ),
        "numbers": add_question(STORY.replace("24", "25"), created_by=teacher, import_run=run, answer="19"),
        "other": add_question("Factorise $x^2-5x+6$.", created_by=teacher, import_run=run),
    }
    store_vectors(add_set("wording"), list(made.values()))
    return made


def compare_address(*questions: Question) -> str:
    return reverse("question_merge", query={"question": [question.pk for question in questions]})


def test_the_near_copies_of_an_import_are_ticked_unless_numbers_or_answers_differ(as_teacher, copies, run) -> None:
    address = reverse("question_near_copies", query={"import": run.pk})
    with CaptureQueriesContext(connection) as queries:
        page = as_teacher.get(address)
    assert len(queries) <= 20
    found = {(pair.question.pk, pair.earlier.pk): pair.differs for pair in page.context["pairs"]}
    old, copy, numbers = (copies[name].pk for name in ("old", "copy", "numbers"))
    assert found[copy, old] == ()
    assert found[numbers, old] == ("numbers", "answer")
    ticked = f'value="{copy},{old},1,1"\n                     checked'
    assert ticked in page.text
    assert f'value="{numbers},{old},1,1"\n                     >' in page.text

    response = as_teacher.post(address, {"pair": [f"{copy},{old},1,1"]}, follow=True)
    change = BulkChange.objects.get()
    assert response.redirect_chain[-1][0] == reverse("bulk_change_detail", args=[change.pk])
    assert "1 question merged." in response.text
    assert "1 concept added" in response.text
    assert Question.objects.get(pk=copy).merged_into_id == old
    assert {pair.question.pk for pair in as_teacher.get(address).context["pairs"]} == {numbers}
    as_teacher.post(reverse("bulk_change_undo", args=[change.pk]))
    assert Question.objects.get(pk=copy).merged_into_id is None


def test_all_ticked_pairs_can_be_merged_at_once(as_teacher, copies, run, teacher, admin_person) -> None:
    """Of three copies two are merged into the first, and a pair that would be refused cannot be ticked."""
    third = add_question(
        STORY.replace("has Sara left", "has she left"), created_by=teacher, import_run=run, answer="18"
    )
    theirs = add_question(STORY.replace("to Tom", "to Tim"), created_by=admin_person, import_run=run, answer="18")
    store_vectors(EmbeddingSet.objects.get(), [third, theirs])
    address = reverse("question_near_copies", query={"import": run.pk})
    page = as_teacher.get(address)
    pairs = page.context["pairs"]
    assert {pair.question.pk for pair in pairs if pair.refusal} == {theirs.pk}
    assert f"Question {theirs.pk} cannot be merged into question {third.pk}: teachers merge only" in page.text
    assert f'value="{theirs.pk},' not in page.text
    ticked = [pair for pair in pairs if pair.is_suggested]
    old, copy = copies["old"].pk, copies["copy"].pk
    assert {(pair.question.pk, pair.earlier.pk) for pair in ticked} == {(copy, old), (third.pk, old)}
    assert (third.pk, copy) in {(pair.question.pk, pair.earlier.pk) for pair in pairs}
    as_teacher.post(address, {"pair": [f"{pair.question.pk},{pair.earlier.pk},1,1" for pair in ticked]})
    assert BulkChange.objects.get().changed == 2


def test_a_question_without_a_vector_is_named_as_not_compared(as_teacher, copies, run, teacher) -> None:
    late = add_question("How many are left?", created_by=teacher, import_run=run)
    page = as_teacher.get(reverse("question_near_copies", query={"import": run.pk}))
    assert page.context["awaited"] == [late.pk]
    assert "no vectors yet" in page.text


@pytest.mark.parametrize("sent", [{}, {"pair": "1,2"}, {"pair": "1,1,1,1"}, {"pair": "x"}])
def test_pairs_that_name_nothing_to_merge_are_refused(as_teacher, copies, run, sent) -> None:
    response = as_teacher.post(reverse("question_near_copies", query={"import": run.pk}), sent)
    assert (response.status_code, BulkChange.objects.count()) == (422, 0)


def test_questions_are_compared_and_merged_into_the_chosen_one(as_teacher, copies, teacher) -> None:
    old, copy = copies["old"], copies["copy"]
    mine = QuestionList.objects.create(owner=teacher, name="Mine")
    for position, question in enumerate((old, copy), start=1):
        QuestionListItem.objects.create(question_list=mine, question=question, position=position)
    with CaptureQueriesContext(connection) as queries:
        page = as_teacher.get(compare_address(old, copy))
    assert len(queries) <= 20
    assert '<mark class="change change-light">' in page.text
    form = {"question": [old.pk, copy.pk], f"version-{old.pk}": 1, f"version-{copy.pk}": 1, "keep": copy.pk}
    response = as_teacher.post(reverse("question_merge"), form, follow=True)
    assert "These had both questions and now have one" in response.text
    assert "“Mine”" in response.text
    assert Question.objects.get(pk=old.pk).merged_into == copy

    merged, kept = (as_teacher.get(reverse("question_detail", args=[one.pk])) for one in (old, copy))
    assert f"question {copy.pk}</a>" in merged.text
    assert "This question was merged into" in merged.text
    assert "Undo the merge" in merged.text
    assert reverse("question_edit", args=[old.pk]) not in merged.text
    assert kept.context["merged_numbers"] == [old.pk]
    assert "Merged into this question" in kept.text


def test_only_the_ends_of_two_very_long_texts_are_aligned() -> None:
    """To align all words of two such texts would take minutes, while somebody waits for the page."""
    one, other = (" ".join(str(word % base) for word in range(12_000)) for base in (7, 11))
    pieces = marked_words(f"Find x. {one} Show your work.", f"Find x. {other} Show your work.")
    assert [piece.differs for piece in pieces] == [False, True, False]
    assert "".join(piece.text for piece in pieces) == f"Find x. {one} Show your work."
    assert pieces[0].text.startswith("Find x. 0 1")
    assert pieces[-1].text.endswith(" Show your work.")


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"keep": ""}, 422),
        ({"keep": "1"}, 422),
        ({"question": []}, 422),
        ({"versions": 2}, 409),
        ({"versions": "x"}, 409),
    ],
)
def test_a_merge_that_does_not_fit_what_was_compared_is_refused(as_teacher, copies, changed, status) -> None:
    numbers = [copies["old"].pk, copies["copy"].pk]
    form = {"question": numbers, "keep": numbers[0]} | changed
    versions = form.pop("versions", 1)
    response = as_teacher.post(reverse("question_merge"), form | {f"version-{number}": versions for number in numbers})
    assert (response.status_code, BulkChange.objects.count()) == (status, 0)


def test_the_ways_to_the_comparison(as_teacher, copies, run, teacher) -> None:
    """From a selection, from an exact duplicate and from similar questions; reviewers get none of them."""
    old, copy = copies["old"], copies["copy"]
    selection = as_teacher.get(reverse("selection", query={"id": [old.pk, copy.pk]}))
    assert compare_address(old, copy).replace("&", "&amp;") in selection.text
    similar = as_teacher.get(reverse("question_similar", args=[old.pk, "wording"]))
    assert f"question={old.pk}&amp;question={copy.pk}" in similar.text
    add_question(STORY, created_by=teacher, answer="18")
    assert (
        "Compare and merge" in as_teacher.get(reverse("question_detail", args=[old.pk]), query_params={"whole": 1}).text
    )


def test_responses_to_a_merged_question_are_shown_with_the_one_that_is_kept(as_teacher, copies, teacher) -> None:
    old, copy = copies["old"], copies["copy"]
    response_set = ResponseSet.objects.create(owner=teacher, title="Friday's test", layout="Table")
    ItemStatistics.objects.create(
        question=copy, response_set=response_set, version=1, people=9, figures={"facility": 0.5}
    )
    assert "Of questions that were merged" not in as_teacher.get(reverse("question_detail", args=[old.pk])).text
    form = {"question": [old.pk, copy.pk], f"version-{old.pk}": 1, f"version-{copy.pk}": 1, "keep": old.pk}
    as_teacher.post(reverse("question_merge"), form)
    page = as_teacher.get(reverse("question_detail", args=[old.pk])).text
    assert "Of questions that were merged" in page
    assert "50% of the marks" in page
    assert "are being computed" not in page


def test_programs_find_compare_merge_and_undo(copies, run, teacher) -> None:
    program = Program(teacher)
    old, copy = copies["old"].pk, copies["copy"].pk
    near = program("GET", f"/questions/near-copies?import_run={run.pk}&limit=2").json()
    again = program("GET", f"/questions/near-copies?import_run={run.pk}&limit=2&cursor={near['next']}").json()
    pairs = {(pair["merged"], pair["kept"]): pair for pair in [*near["items"], *again["items"]]}
    wanted = pairs[copy, old]
    assert (wanted["differs"], wanted["score"] >= 0.9) == ([], True)
    compared = program("GET", f"/questions/compare?question={old}&question={copy}").json()
    assert [item["question"]["id"] for item in compared] == [old, copy]
    assert [piece["text"].strip() for piece in compared[1]["wording"] if piece["differs"]] == ["does", "have"]
    body = {"pairs": [{name: wanted[name] for name in ("merged", "kept", "merged_version", "kept_version")}]}
    made = program("POST", "/questions/merge", body, **{"Idempotency-Key": "one"})
    assert (made.status_code, made.json()["description"]) == (
        201, f"Merge duplicates: question {copy} into question {old}",
    )  # fmt: skip
    assert program("POST", "/questions/merge", body, **{"Idempotency-Key": "one"}).json() == made.json()
    shown = program("GET", f"/questions/{copy}").json()
    assert (shown["merged_into"], shown["status"]) == (old, "retired")
    assert program("GET", f"/questions/{old}").json()["merged_into"] is None
    assert program("POST", f"/questions/{copy}/restore").status_code == 409
    assert program("POST", "/questions/merge", body).status_code == 409
    path = made["Location"].removeprefix("/api/v1")
    assert program("POST", f"{path}/undo").json()["kept"] == []
    assert program("GET", f"/questions/{copy}").json()["merged_into"] is None


def test_programs_learn_which_near_copies_would_be_refused(copies, run, teacher, admin_person) -> None:
    old, theirs = copies["old"], add_question(STORY, created_by=admin_person, import_run=run, answer="18")
    store_vectors(EmbeddingSet.objects.get(), [theirs])
    program = Program(teacher)
    near = program("GET", f"/questions/near-copies?import_run={run.pk}").json()["items"]
    refusals = {(pair["merged"], pair["kept"]): pair["refusal"] for pair in near}
    assert refusals[copies["copy"].pk, old.pk] == ""
    refused = program("POST", "/questions/merge", {"pairs": [{"merged": theirs.pk, "kept": old.pk}]})
    assert refused.status_code == 403
    assert refused.json()["error"]["message"] == refusals[theirs.pk, old.pk]


def test_formulas_of_answers_and_solutions_are_drawn_in_the_comparison(as_teacher, copies) -> None:
    Question.objects.filter(pk=copies["old"].pk).update(solution=r"$\frac{36}{2}$ are left.")
    page = as_teacher.get(compare_address(copies["old"], copies["copy"])).text
    assert "<mfrac>" in page
    assert "\\frac{36}{2}$ are left" not in page


def test_other_changes_of_many_questions_leave_merged_ones_alone(copies, teacher) -> None:
    program = Program(teacher)
    old, copy = copies["old"].pk, copies["copy"].pk
    program("POST", "/questions/merge", {"pairs": [{"merged": copy, "kept": old}]})
    made = program("POST", "/changes", {"kind": "restore", "questions": [copy]})
    assert made.status_code == 409
    assert Question.objects.get(pk=copy).status == "retired"
    refused = program("POST", "/changes", {"kind": "merge", "questions": [copy]})
    assert (refused.status_code, list(refused.json()["error"]["fields"])) == (422, ["kind"])
