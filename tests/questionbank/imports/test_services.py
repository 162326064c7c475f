"""Importing a file into the bank: what arrives, what is linked, and that it is all or nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from django.contrib.postgres.search import SearchQuery
from django.db import connection

from analytics.errors import Cancelled
from analytics.text.tokens import search_tokens
from questionbank.bank.question_selectors import concept_paths, content_hash
from questionbank.bank.question_services import question_retire
from questionbank.core.errors import ImportRefused, ValidationFailed
from questionbank.imports import pipeline as import_pipeline
from questionbank.imports import services as imports
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import (
    KnowledgeConcept,
    KnowledgeHierarchy,
    Question,
    QuestionEquation,
    QuestionTag,
    Run,
    VocabularyWord,
)
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db

FULL = {
    "id": "q1",
    "text": "Anna has 3 apples and buys 2. How many has she?",
    "options": [{"label": "A", "text": "5"}, {"label": "B", "text": "6", "misconception": "counts one twice"}],
    "answer": "A",
    "solution": "$3+2=5$",
    "equation": "3+2",
    "numbers": ["3", "2"],
    "concepts": [["Arithmetic", "Addition"], ["Word problems"]],
    "difficulty": 2,
    "difficulty_scale": "1-5",
    "grade": 1,
    "stage": "elementary",
    "facility": 0.75,
    "responses": 40,
}


def bank() -> tuple[int, ...]:
    """Numbers of rows that an import may change."""
    return tuple(
        model.objects.count()
        for model in (Question, QuestionTag, QuestionEquation, KnowledgeConcept, KnowledgeHierarchy, Run)
    )


def test_every_field_arrives(jsonl, admin_person):
    report = import_file(path=jsonl(FULL), user=admin_person)
    question = Question.objects.get()
    assert (question.source, question.source_id, question.text) == ("questions", "q1", FULL["text"])
    assert (question.language, question.kind, question.status, question.version) == ("en", "choice", "ready", 1)
    assert question.options == FULL["options"]
    assert (question.answer, question.solution) == ("A", "$3+2=5$")
    assert (question.grade, question.stage) == ("1", "elementary")
    assert (question.difficulty, question.difficulty_scale, question.difficulty_percent) == (2, "1-5", 25)
    assert (question.facility, question.responses) == (0.75, 40)
    assert bytes(question.content_hash) == content_hash(text=question.text, options=question.options)
    assert question.created_by == admin_person
    assert (question.equation.expression, question.equation.numbers) == ("3+2", ["3", "2"])
    assert concept_paths([question.pk])[question.pk] == [("Arithmetic", "Addition"), ("Word problems",)]
    assert set(question.tags.values_list("set_by", "user")) == {("import", admin_person.pk)}
    assert KnowledgeHierarchy.objects.get().name == "questions"
    assert (report.rows, report.created, report.duplicates, report.refused_count) == (1, 1, 0, 0)
    assert (report.concepts_created, report.questions_tagged, report.languages) == (3, 1, {"en": 1})


def test_questions_with_a_program_or_calculations_are_computed_alike(jsonl):
    import_file(
        path=jsonl(
            {"text": "5 bags hold 6 figs each. 4 figs are bad.", "program": "multiply(n0,n1)|subtract(#0,n2)|"},
            {"text": "8 rows have 9 chairs each. 3 are broken.", "calculations": ["8*9=72", "72-3=69"]},
            {"text": "2 shelves hold 7 books each. 1 is lent.", "equation": "2*7-1"},
            {"text": "3 nets hold 4 balls each. 2 are flat.", "calculations": ["3*4=12"], "answer": "10"},
        )
    )
    equations = QuestionEquation.objects.all()
    assert {equation.expression for equation in equations} == {"5*6-4", "8*9-3", "2*7-1"}
    assert len({equation.graph_key for equation in equations}) == 1
    assert {equation.set_by for equation in equations} == {"source"}


def test_an_imported_question_is_found_by_its_words_and_those_of_its_options(jsonl):
    import_file(path=jsonl({"text": "How many apples?", "options": [{"label": "A", "text": "eleven pears"}]}))
    for word, hits in (("apples", 1), ("pear", 1), ("oranges", 0)):
        query = SearchQuery(" ".join(search_tokens(word)), config="simple")
        assert Question.objects.filter(search_vector=query).count() == hits


def test_the_vocabulary_is_refreshed(jsonl):
    import_file(path=jsonl({"text": "many apples"}, {"text": "many pears"}))
    words = dict(VocabularyWord.objects.values_list("word", "questions"))
    assert (words["many"], words["apple"]) == (2, 1)


def test_one_refused_line_and_nothing_is_written(jsonl):
    before = bank()
    path = jsonl({"id": "a", "text": "1 + 1", "concepts": [["A"]]}, {"id": "b", "text": 5}, "no json")
    with pytest.raises(ImportRefused, match=r"^2 lines of 3 in questions\.jsonl cannot be imported") as caught:
        import_file(path=path)
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(2, "text"), (3, "")]
    assert bank() == before


def test_skip_invalid_imports_the_rest_and_reports_the_refused(jsonl):
    report = import_file(
        path=jsonl({"text": "1 + 1"}, {"text": 5}, {"text": "2 + 2"}), options=ImportOptions(skip_invalid=True)
    )
    assert list(Question.objects.order_by("pk").values_list("text", flat=True)) == ["1 + 1", "2 + 2"]
    assert (report.created, report.refused_count, report.refused[0].line) == (2, 1, 2)


def test_a_file_without_a_usable_line_is_refused_even_then(jsonl):
    with pytest.raises(ImportRefused, match=r"No line of questions\.jsonl can be imported"):
        import_file(path=jsonl({"text": 5}, "[]"), options=ImportOptions(skip_invalid=True))


def test_the_first_thousand_refused_lines_are_kept_and_all_are_counted(jsonl):
    with pytest.raises(ImportRefused, match="1,500 lines of 1,501") as caught:
        import_file(path=jsonl({"text": "1 + 1"}, *[{"text": 5}] * 1500))
    assert len(caught.value.problems) == 1000


def test_a_dry_run_tells_everything_and_writes_nothing(jsonl):
    QuestionFactory(text="1 + 1")
    before = bank()
    rows = [
        {"text": "1  +  1"},
        {"text": "2 + 2", "concepts": [["A", "B"]]},
        {"text": "2 + 2"},
        {"text": 5},
        {"text": "3 + 3", "concepts": [["A", "C"]]},
    ]
    report = import_file(path=jsonl(*rows), options=ImportOptions(dry_run=True))
    assert bank() == before
    assert not report.written
    assert (report.rows, report.created, report.duplicates) == (5, 2, 2)
    assert (report.refused_count, report.concepts_created) == (1, 3)
    assert [(link.line, link.first_line) for link in report.links] == [(1, None), (3, 2)]
    real = import_file(path=jsonl(*rows), options=ImportOptions(skip_invalid=True))
    assert (real.created, real.duplicates, real.concepts_created) == (2, 2, 3)


@pytest.mark.parametrize("dry_run", [True, False])
def test_templates_and_questions_without_their_figure_are_counted(jsonl, dry_run):
    texts = ("Solve $left=right$.", "name1 has {a} pens.", "What is the area of the shape below? [image]", "2 + 2?")
    path = jsonl(*({"text": text} for text in texts))
    report = import_file(path=path, options=ImportOptions(dry_run=dry_run))
    assert (report.templates, report.without_figure) == (2, 1)


def test_a_line_that_the_bank_has_is_linked_and_its_new_tags_are_added(jsonl):
    hierarchy = HierarchyFactory(name="maths")
    known = ConceptFactory(hierarchy=hierarchy, names=("Number",))
    question = QuestionFactory(text="How  much is ($1+1$)?", concepts=[known])
    report = import_file(
        path=jsonl({"text": "How much is （$1+1$）?", "concepts": [["Number"], ["Algebra", "Sums"]]}),
        options=ImportOptions(hierarchy="maths"),
    )
    assert Question.objects.count() == 1
    assert (report.created, report.duplicates, report.questions_tagged) == (0, 1, 1)
    assert [(link.line, link.question) for link in report.links] == [(1, question.pk)]
    assert concept_paths([question.pk])[question.pk] == [("Number",), ("Algebra", "Sums")]
    assert dict(question.tags.values_list("concept__name", "set_by")) == {"Number": "person", "Sums": "import"}


def test_case_makes_another_question_and_so_do_other_options(jsonl):
    options = [{"label": "A", "text": "1"}, {"label": "B", "text": "2"}]
    rows = [{"text": "Find x"}, {"text": "Find X"}, {"text": "Find x", "options": options}]
    assert import_file(path=jsonl(*rows)).created == 3


def test_repeats_in_the_file_are_linked_to_the_first_and_bring_their_tags(jsonl):
    rows = [{"id": "a", "text": "1 + 1", "concepts": [["A"]]}, {"id": "b", "text": "1 + 1", "concepts": [["B"]]}]
    report = import_file(path=jsonl(*rows))
    question = Question.objects.get()
    assert question.source_id == "a"
    assert [(link.line, link.question, link.first_line) for link in report.links] == [(2, question.pk, 1)]
    assert concept_paths([question.pk])[question.pk] == [("A",), ("B",)]


def test_a_retired_question_does_not_count_as_there(jsonl):
    question_retire(user=None, question=QuestionFactory(text="1 + 1"))
    assert import_file(path=jsonl({"text": "1 + 1"})).created == 1


def test_the_same_file_again_changes_nothing(jsonl):
    path = jsonl(FULL, {"text": "1 + 1", "concepts": [["Arithmetic", "Addition", "Sums"]]})
    import_file(path=path)
    before = bank()[:-1]
    report = import_file(path=path)
    assert (report.created, report.duplicates, report.concepts_created, report.questions_tagged) == (0, 2, 0, 0)
    assert bank()[:-1] == before


def test_concepts_grow_where_some_are_there_and_the_tree_stays_sound(jsonl):
    hierarchy = HierarchyFactory(name="h")
    ConceptFactory(hierarchy=hierarchy, names=("A", "B"))
    ConceptFactory(names=("A", "Z"))  # the same name in another hierarchy
    rows = [
        {"id": str(n), "text": f"{n} + 1", "concepts": [["A", "B", f"C{n % 40}"], ["D", f"E{n}"], ["A", "A"]]}
        for n in range(60)
    ]
    report = import_file(path=jsonl(*rows), options=ImportOptions(hierarchy="h"))
    assert report.concepts_created == 40 + 1 + 60 + 1
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])
    roots = KnowledgeConcept.objects.filter(hierarchy=hierarchy, depth=1)
    assert list(roots.order_by("path").values_list("name", "numchild")) == [("A", 2), ("D", 60)]
    more = {"id": "n", "text": "new", "concepts": [["A", "B", "C1", "X"], ["D", "E0", "Y"], ["N"]]}
    assert import_file(path=jsonl(more), options=ImportOptions(hierarchy="h")).concepts_created == 3
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])


def test_a_hierarchy_alone_can_be_imported(jsonl):
    report = import_file(
        path=jsonl({"id": 2, "name": "Number", "parent": 1}, {"id": 1, "name": "Maths"}),
        options=ImportOptions(hierarchy="h"),
    )
    assert (report.rows, report.created, report.concepts_created) == (2, 0, 2)
    assert list(KnowledgeConcept.objects.order_by("path").values_list("name", "depth")) == [("Maths", 1), ("Number", 2)]


def test_a_concept_cycle_is_refused_and_nothing_is_written(jsonl):
    before = bank()
    rows = [{"text": "1 + 1"}, {"id": 1, "name": "A", "parent": 2}, {"id": 2, "name": "B", "parent": 1}]
    for skip_invalid in (False, True):
        with pytest.raises(ImportRefused, match="The concepts form a cycle: "):
            import_file(path=jsonl(*rows), options=ImportOptions(skip_invalid=skip_invalid))
    assert bank() == before


def test_the_set_of_a_line_goes_before_the_name_of_the_file(jsonl):
    report = import_file(path=jsonl({"text": "1", "set": "mine"}, {"text": "2"}), options=ImportOptions(source="given"))
    assert report.sources == ["mine", "given"]
    assert dict(Question.objects.values_list("text", "source")) == {"1": "mine", "2": "given"}
    with pytest.raises(ValidationFailed, match="more than 120"):
        import_file(path=jsonl({"text": "3"}), options=ImportOptions(source="x" * 121))


def test_the_scale_of_a_known_set_is_taken_and_a_given_one_is_kept_to(jsonl):
    import_file(path=jsonl({"text": "1", "difficulty": 4}), options=ImportOptions(source="tal_scq_en"))
    import_file(path=jsonl({"text": "2", "difficulty": 4}))
    import_file(path=jsonl({"text": "3", "difficulty": 4}), options=ImportOptions(scale="1-5"))
    difficulties = {q.text: (q.difficulty_scale, q.difficulty_percent) for q in Question.objects.all()}
    assert difficulties == {"1": ("0-4", 100), "2": ("as published", None), "3": ("1-5", 75)}
    with pytest.raises(ImportRefused, match="1 line of 1"):
        import_file(path=jsonl({"text": "4", "difficulty": 6}), options=ImportOptions(scale="1-5"))


def test_an_import_leaves_one_row_that_tells_of_it(jsonl, admin_person):
    import_file(path=jsonl({"text": "1 + 1"}), user=admin_person, embed=False)
    run = Run.objects.get()
    assert (run.kind, run.state, run.requested_by) == ("import", "succeeded", admin_person)
    assert (run.result["created"], run.result["name"]) == (1, "questions.jsonl")


def test_vectors_are_asked_for_once_and_only_where_something_is_new(jsonl):
    path = jsonl({"text": "1 + 1"})
    import_file(path=path)
    import_file(path=path)
    import_file(path=jsonl({"text": "2 + 2"}), embed=False)
    assert Run.objects.filter(kind="embed").count() == 1


def test_a_cancel_leaves_nothing(jsonl):
    before = bank()
    calls = []

    def should_stop() -> bool:
        calls.append(1)
        return len(calls) > 3

    with pytest.raises(Cancelled):
        import_file(path=jsonl({"text": "1 + 1", "concepts": [["A"]]}), should_stop=should_stop)
    assert bank() == before


@pytest.mark.parametrize("step", ["insert_questions", "insert_parts", "insert_tags"])
def test_a_failure_at_any_step_leaves_nothing(jsonl, monkeypatch, step):
    before = bank()

    def fail(*args, **kwargs):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(import_pipeline.Staging, step, fail)
    with pytest.raises(RuntimeError):
        import_file(path=jsonl(FULL))
    assert bank() == before


def test_progress_rises_to_the_end(jsonl):
    seen = []
    rows = [{"id": str(n), "text": f"{n} + 1"} for n in range(1200)]
    import_file(path=jsonl(*rows), progress=lambda done, total, message: seen.append((done, total, message)))
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert {message for *_, message in seen} >= {"Reading the file", "Looking for duplicates", "Writing questions"}
    assert all(done <= total for done, total, _ in seen)


def test_a_large_text_fits_the_index(jsonl):
    words = " ".join(f"w{n}x" for n in range(9000))[:50_000]
    assert import_file(path=jsonl({"text": words, "solution": words})).created == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("rows", "times"), [(2, 0), (3, 1)])
def test_after_a_bulk_load_the_planner_knows_the_rows_and_the_tables_are_vacuumed(jsonl, monkeypatch, rows, times):
    monkeypatch.setattr(imports, "MANY", 3)
    before = vacuumed_tables()
    import_file(path=jsonl(*({"text": f"{n} + 1", "concepts": [["Sums"]]} for n in range(rows))))
    after = vacuumed_tables()
    assert {name: after[name][0] - before[name][0] for name in after} == dict.fromkeys(after, times)
    assert [after[name][1] for name in sorted(after)] == [1, rows, rows]


def vacuumed_tables() -> dict[str, tuple[int, int]]:
    """How often each table was vacuumed, and how many rows the planner takes it to have."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_class.relname, vacuum_count, pg_class.reltuples::int"
            " FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid WHERE pg_class.relname = ANY(%s)",
            [["questionbank_question", "questionbank_questiontag", "questionbank_knowledgeconcept"]],
        )
        return {name: (count, rows) for name, count, rows in cursor.fetchall()}


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_build_one_hierarchy_and_no_duplicate(tmp_path):
    """Both files name the same concepts and half of the same questions; both start from an empty bank."""
    paths = []
    for name, first in (("one", 0), ("two", 200)):
        path = tmp_path / f"{name}.csv"
        rows = "".join(
            f"{n} + 1 = ?,Root > Branch {n % 7} > Leaf {n % 30}; Other {n % 5}\n" for n in range(first, first + 400)
        )
        path.write_text("text,concepts\n" + rows)
        paths.append(path)
    barrier = threading.Barrier(2)
    outcomes, errors = [], []

    def work(path: Path) -> None:
        try:
            barrier.wait()
            outcomes.append(import_file(path=path, options=ImportOptions(hierarchy="shared"), embed=False))
        except Exception as error:  # noqa: BLE001 - told to the test
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(outcome.created for outcome in outcomes) == Question.objects.count() == 600
    assert sum(outcome.duplicates for outcome in outcomes) == 200
    concepts = KnowledgeConcept.objects.all()
    assert concepts.values("path").distinct().count() == concepts.count()
    assert sum(outcome.concepts_created for outcome in outcomes) == concepts.count()
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])
    tagged = {path for paths in concept_paths(Question.objects.values_list("pk", flat=True)).values() for path in paths}
    assert len(tagged) == concepts.filter(numchild=0).count()


SIDE = "Find the length of the side marked x."


def test_equal_texts_with_different_answers_are_two_questions(jsonl):
    report = import_file(
        path=jsonl({"text": SIDE, "answer": "12"}, {"text": SIDE, "answer": "20"}, {"text": SIDE, "answer": "$12$ "})
    )
    assert (report.created, report.duplicates) == (2, 1)
    assert list(Question.objects.order_by("pk").values_list("answer", flat=True)) == ["12", "20"]
    assert [(link.line, link.first_line) for link in report.links] == [(3, 1)]
    again = import_file(path=jsonl({"text": SIDE, "answer": "20"}, {"text": SIDE, "answer": "7"}))
    assert (again.created, again.links[0].question) == (1, Question.objects.get(answer="20").pk)


def test_answers_that_mean_the_same_are_one_question(jsonl):
    answers = [r"$\frac{2}{4}$", "0.5", "x = 1/2", "0.67", r"$\frac23$", "(x-3)(x+3)"]
    report = import_file(path=jsonl(*({"text": SIDE, "answer": answer} for answer in answers)))
    stored = list(Question.objects.order_by("pk").values_list("answer", flat=True))
    assert stored == [answers[0], *answers[3:]]  # 0.67 may be rounded
    assert [(link.line, link.first_line) for link in report.links] == [(2, 1), (3, 1)]
    again = import_file(path=jsonl({"text": SIDE, "answer": "$x^2-9$"}, {"text": SIDE, "answer": "50%"}))
    assert (again.created, again.duplicates) == (0, 2)
    Question.objects.update(status="retired")
    assert import_file(path=jsonl({"text": SIDE, "answer": "0.5"})).created == 1


def test_what_a_linked_question_does_not_keep_is_named(tmp_path):
    path = tmp_path / "seven.gift"
    detailed = "::Q4:: What is 7 times 8? {#56:2#close enough ####Use 7 times 7 plus 7.}\n"
    path.write_text(f"::Q3:: What is 7 times 8? {{#56}}\n\n{detailed}\n{detailed.replace('Q4', 'Q5')}")
    lost = [
        ("accepted", 2, [3, 5], "other accepted answers, their weights, tolerances and feedback"),
        ("solution", 2, [3, 5], "the worked solution"),
    ]
    for _in_the_file_then_in_the_bank in range(2):
        report = import_file(path=path)
        found = [(one.field, one.count, one.lines, one.reason) for one in report.warnings.ordered()]
        assert [(*one[:3], one[3].rpartition(": ")[2]) for one in found] == lost
    Question.objects.all().delete()
    path.write_text(detailed)
    for _first_and_the_same_again in range(2):
        assert import_file(path=path).warnings.ordered() == []


def test_a_line_without_an_answer_is_the_same_question_as_one_with_an_answer(jsonl):
    report = import_file(path=jsonl({"text": SIDE}, {"text": SIDE, "answer": "12"}, {"text": "Another?"}))
    assert (report.created, report.duplicates) == (2, 1)
    assert import_file(path=jsonl({"text": SIDE})).created == 0
    # the other way round the answer would be lost
    assert import_file(path=jsonl({"text": "Another?", "answer": "3"})).created == 1


def test_tags_go_to_the_question_with_the_same_answer(jsonl):
    import_file(
        path=jsonl(
            {"text": SIDE, "answer": "12", "concepts": [["Pythagoras"]]},
            {"text": SIDE, "answer": "20", "concepts": [["Similarity"]]},
        )
    )
    tagged = Question.objects.order_by("pk").values_list("answer", "tags__concept__name")
    assert list(tagged) == [("12", "Pythagoras"), ("20", "Similarity")]


def test_a_file_whose_every_line_fails_is_given_up(jsonl, monkeypatch):
    monkeypatch.setattr(import_pipeline, "HOPELESS_LINES", 50)
    report = import_file(path=jsonl(*["no json"] * 200), options=ImportOptions(dry_run=True))
    assert (report.rows, report.stopped_at, len(report.reasons.ordered())) == (50, 50, 1)
    report = import_file(path=jsonl({"text": "1"}, *["no json"] * 200), options=ImportOptions(dry_run=True))
    assert (report.rows, report.stopped_at) == (201, 0)


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("quiz.gift", "$CATEGORY: Algebra\n\n::a::2+2 {=4}\n\n$CATEGORY: Number\n\n::b::2+3 {=5}\n"),
        (
            "quiz.xml",
            "<quiz><question type='category'><category><text>Algebra</text></category></question>"
            "<question type='essay'><questiontext><text>One</text></questiontext></question>"
            "<question type='category'><category><text>Number</text></category></question>"
            "<question type='essay'><questiontext><text>Two</text></questiontext></question></quiz>",
        ),
    ],
)
def test_a_category_is_no_question_of_a_quiz(tmp_path, name, content, dry_run):
    path = tmp_path / name
    path.write_text(content)
    report = import_file(path=path, options=ImportOptions(dry_run=dry_run))
    assert (report.unit, report.rows, report.created, report.concept_rows) == ("question", 2, 2, 2)
    assert report.concepts_created == 2
