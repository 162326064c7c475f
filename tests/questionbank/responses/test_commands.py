"""The commands `import_responses` and `item_statistics`."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from questionbank.models import ItemStatistics, Question, QuestionList, QuestionListItem, Response, ResponseSet, School


def test_a_dry_run_says_what_would_be_imported(questions, letters, capsys):
    call_command("import_responses", str(letters), "--dry-run")
    assert "28 responses of 7 pupils to 4 questions would be imported." in capsys.readouterr().out
    assert not ResponseSet.objects.exists()


def test_an_import_says_what_was_left_out(questions, letters, capsys):
    letters.write_text("Name,t-1,Volume\nAda Lovelace,B,1\nBen,F,1\n", encoding="utf-8")
    call_command("import_responses", str(letters), "--class", "7b", "--date", "2026-05-01", "--json")
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report | {"set": 0} == {
        "layout": "Table with a row per pupil",
        "questions": 1,
        "unmatched": 1,
        "pupils": 1,
        "responses": 1,
        "refused": 1,
        "set": 0,
    }
    assert "line 3: t-1: “F” is not an option" in printed.err
    assert "Volume: not in the bank" in printed.err
    assert "Ada" not in printed.out + printed.err
    stored = ResponseSet.objects.get()
    assert (stored.title, stored.class_label, str(stored.day)) == ("Test 3", "7b", "2026-05-01")


@pytest.mark.parametrize(
    ("visible_to", "shown"), [("", ("all", None)), ("vale", ("school", "vale")), ("private", ("private", None))]
)
def test_an_option_says_who_sees_the_set(questions, letters, visible_to, shown):
    School.objects.create(name="Vale School", slug="vale")
    call_command("import_responses", str(letters), "--visible-to", visible_to)
    assert ResponseSet.objects.values_list("visibility", "school__slug").get() == shown


def test_numbers_are_places_on_a_list(questions, letters, teacher, capsys):
    chosen = QuestionList.objects.create(owner=teacher, name="Test")
    for place, question in enumerate(reversed(questions), start=1):
        QuestionListItem.objects.create(question_list=chosen, question=question, position=place)
    letters.write_text("Name,1,2,3,4\nAda,1,0,1,1\n", encoding="utf-8")
    call_command("import_responses", str(letters), "--list", str(chosen.pk), "--empty", "not-asked")
    scores = dict(Response.objects.values_list("question_id", "score"))
    assert [scores[question.pk] for question in reversed(questions)] == [1.0, 0.0, 1.0, 1.0]
    assert not ResponseSet.objects.get().counts_unreached


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["missing.csv"], "There is no file"),
        (["{file}", "--date", "1 May"], "'1 May' is not a date"),
        (["{file}", "--list", "999"], "There is no such list"),
        (["{file}", "--dry-run", "--visible-to", "vale"], "There is no school with the short name 'vale'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(questions, letters, arguments, reason):
    with pytest.raises(CommandError, match=reason) as caught:
        call_command("import_responses", *(text.format(file=letters) for text in arguments))
    assert caught.value.returncode == 1


def test_a_file_of_unknown_questions_ends_with_1(db, letters):
    with pytest.raises(CommandError, match="No response of this file can be used"):
        call_command("import_responses", str(letters))


def test_figures_are_computed_anew_after_a_key_is_corrected(questions, letters, capsys):
    call_command("import_responses", str(letters))
    Question.objects.filter(pk=questions[0].pk).update(answer="A")
    call_command("item_statistics")
    assert "4 questions have figures, from 1 set of responses." in capsys.readouterr().out
    options = ItemStatistics.objects.get(question=questions[0], response_set=None).options
    assert [option["label"] for option in options if option["weight"]] == ["A"]
