"""What is exported can be imported again."""

from __future__ import annotations

import pytest

from analytics.records import QuestionRecord
from questionbank.bank.question_selectors import numbered_question_records
from questionbank.formats import read
from questionbank.imports.export_services import export_file, with_own_ids
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import KnowledgeConcept, Question
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


def test_identifiers_that_two_sources_share_are_told_apart():
    records = [QuestionRecord(identifier, "?") for identifier in ("a", "b", "a", "a#2", "a")]
    assert [record.id for record in with_own_ids(records)] == ["a", "b", "a#2", "a#2#2", "a#3"]
