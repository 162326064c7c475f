"""What is exported can be imported again."""

from __future__ import annotations

import json

import pytest

from analytics.records import ObservedFigures, QuestionRecord
from questionbank.bank.question_selectors import numbered_question_records
from questionbank.formats import read
from questionbank.formats.columns import OBSERVED_FIELDS
from questionbank.imports.export_services import export_file, with_figures, with_own_ids
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import ItemStatistics, KnowledgeConcept, Question
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["bank.jsonl.gz", "bank.csv"])
def test_an_exported_bank_comes_back_as_it_was(tmp_path, name):
    concept = ConceptFactory(names=("Algebra, pure", "x = 3"))
    QuestionFactory(text="=1 + 1\n\n  two ", source="s", source_id="q1", concepts=[concept], grade="3")
    QuestionFactory(
        text="中文 $x$",
        language="zh",
        kind="choice",
        options=[{"label": "A", "text": "-1"}, {"label": "B", "text": "2", "misconception": "m"}],
        answer="B",
        source="t",
        source_id="q2",
        difficulty=4.5,
        difficulty_scale="as published",
    )
    before = [record for _, record in numbered_question_records(Question.objects.all())]
    path = tmp_path / name
    assert export_file(path=path, format=name.split(".")[1], filters={})[0] == 2
    Question.objects.all().delete()
    assert import_file(path=path, options=ImportOptions(source="other")).created == 2
    assert [record for _, record in numbered_question_records(Question.objects.all())] == before


@pytest.mark.parametrize("name", ["bank.jsonl", "bank.csv"])
def test_concept_names_from_before_signs_were_refused_can_be_imported_again(tmp_path, name):
    concept = ConceptFactory(names=("Algebra", "Old"))
    KnowledgeConcept.objects.filter(pk=concept.pk).update(name="Inequalities; x > 3")
    QuestionFactory(concepts=[concept])
    path = tmp_path / name
    export_file(path=path, format=name.split(".")[1], filters={})
    ((_, record),) = read(path)
    assert record.concepts == (("Algebra", "Inequalities； x ＞ 3"),)


def test_only_what_matches_is_exported(tmp_path):
    QuestionFactory(language="zh", text="一")
    QuestionFactory(language="en", text="one")
    path = tmp_path / "bank.jsonl"
    assert export_file(path=path, format="jsonl", filters={"language": "zh"})[0] == 1
    assert [record.text for _, record in read(path)] == ["一"]


def test_an_export_of_one_hierarchy_takes_only_its_concepts_along(tmp_path):
    wanted = ConceptFactory(hierarchy=HierarchyFactory(name="maths"), names=("A", "B"))
    QuestionFactory(concepts=[wanted, ConceptFactory(names=("C",))])
    QuestionFactory(concepts=[ConceptFactory()])
    path = tmp_path / "bank.jsonl"
    export_file(path=path, format="jsonl", filters={"hierarchy": "maths"})
    assert [record.concepts for _, record in read(path)] == [(("A", "B"),)]


@pytest.fixture
def answered() -> Question:
    """A question with figures over all sets."""
    question = QuestionFactory(source="s", source_id="q1")
    figures = {"facility": 0.62345, "discrimination": -0.1, "difficulty": 0.5, "difficulty_error": 0.25, "sets": 2}
    ItemStatistics.objects.create(question=question, response_set=None, people=40, figures=figures)
    return question


@pytest.mark.parametrize("format", ["csv", "xlsx", "jsonl"])
def test_figures_of_responses_leave_with_a_question_and_do_not_count_where_they_come_back(answered, tmp_path, format):
    QuestionFactory(source="s", source_id="q2")
    path = tmp_path / f"bank.{format}"
    export_file(path=path, format=format, filters={})
    if format == "jsonl":
        first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        stated = [first.get(name) for name in OBSERVED_FIELDS]
        assert stated == [40, 0.6234, -0.1, 0.5, 0.01, 0.99]
        assert not second.keys() & {*OBSERVED_FIELDS}
    Question.objects.all().delete()
    report = import_file(path=path, options=ImportOptions(source="s"))
    assert (report.created, report.unread_columns, report.notes) == (2, [], [])
    assert report.warnings.ordered() == []
    assert set(Question.objects.values_list("facility", "responses")) == {(None, 0)}
    assert not ItemStatistics.objects.exists()


def test_figures_leave_only_with_those_who_may_see_them(answered, teacher, reviewer):
    records = [(answered.pk, QuestionRecord("q1", "?"))]
    expected = ObservedFigures(40, 0.6234, -0.1, 0.5, 0.01, 0.99)
    assert [record.observed for _pk, record in with_figures(records, user=teacher)] == [expected]
    assert [record.observed for _pk, record in with_figures(records, user=reviewer)] == [None]


def test_identifiers_that_two_sources_share_are_told_apart():
    records = [QuestionRecord(identifier, "?") for identifier in ("a", "b", "a", "a#2", "a")]
    assert [record.id for record in with_own_ids(records)] == ["a", "b", "a#2", "a#2#2", "a#3"]
