"""For whom rows are read: what the database computes, and what each viewer sees."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from questionbank.bank.concept_selectors import concept_tree
from questionbank.bank.search_index import facet_counts_settle, facet_cube
from questionbank.bank.vector_selectors import Candidates, nearest, stored_vector
from questionbank.core.cached import VersionedCache
from questionbank.models import EmbeddingSet, Question, Run, School, User
from questionbank.models.visibility import seen_sql, viewer_audiences
from questionbank.people.permissions import audiences_of, viewing_as, viewing_for
from questionbank.registry.serving import serving
from questionbank.search.facets import count_facets
from questionbank.search.filters import SearchFilters, fetch
from questionbank.search.search import search_questions
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import store_vectors


@pytest.fixture
def two_schools(bank, teacher, reviewer) -> tuple[School, School]:
    """The teacher's school and the reviewer's, each with a question; another of the teacher's is private."""
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    ours.people.add(teacher)
    theirs.people.add(reviewer)
    teacher.refresh_from_db()
    reviewer.refresh_from_db()
    concepts = [bank.linear]
    made = [
        QuestionFactory(text="Solve $7x = 21$ at Hillside.", visibility="school", school=ours, concepts=concepts),
        QuestionFactory(text="Solve $7x = 28$ at Lakeside.", visibility="school", school=theirs, concepts=concepts),
        QuestionFactory(text="Solve $7x = 35$ alone.", visibility="private", created_by=teacher, concepts=concepts),
    ]
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, made)
    return ours, theirs


def endings(questions) -> set[str]:
    return {question.text.split()[-1] for question in questions if "7x" in question.text}


def test_the_database_computes_the_audience(two_schools, teacher) -> None:
    ours, theirs = two_schools
    audiences = Question.objects.filter(text__contains="7x").order_by("pk").values_list("audience", flat=True)
    assert list(audiences) == [ours.pk, theirs.pk, -teacher.pk]
    assert Question.objects.filter(audience=0).count() == 6


@pytest.mark.parametrize("fields", [{"visibility": "school"}, {"visibility": "all", "school": True}])
def test_a_question_has_a_school_if_and_only_if_one_sees_it(two_schools, fields) -> None:
    fields = {name: two_schools[0] if value is True else value for name, value in fields.items()}
    with pytest.raises(IntegrityError, match="question_has_its_school"), transaction.atomic():
        QuestionFactory(**fields)


def test_a_school_with_questions_is_not_deleted(two_schools) -> None:
    with pytest.raises(ProtectedError):
        two_schools[0].delete()


def test_a_private_question_of_somebody_deleted_is_for_admins_alone(two_schools, django_user_model, teacher) -> None:
    Question.objects.filter(created_by=teacher).exclude(visibility="private").update(created_by=None)
    teacher.delete()
    assert Question.objects.get(visibility="private").audience is None
    with viewing_as(django_user_model.objects.create_user("somebody")):
        assert not Question.objects.filter(visibility="private").exists()
        assert facet_cube().total(facet_cube().everything()) == 6


def test_a_person_knows_their_schools_without_another_query(two_schools, teacher, django_assert_num_queries) -> None:
    ours, theirs = two_schools
    stale = User.objects.get(pk=teacher.pk)
    theirs.people.add(teacher)
    stale.first_name = "Ada"
    stale.save()  # writes the schools that it has read
    fresh = User.objects.get(pk=teacher.pk)
    with django_assert_num_queries(0):
        assert fresh.school_ids == [ours.pk, theirs.pk]
    theirs.people.remove(teacher)
    assert User.objects.get(pk=teacher.pk).school_ids == [ours.pk]


def test_each_viewer_sees_what_is_for_them(two_schools, teacher, reviewer, admin_person) -> None:
    seen = {}
    for name, viewer in {"system": None, "admin": admin_person, "teacher": teacher, "reviewer": reviewer}.items():
        with viewing_as(viewer):
            seen[name] = endings(Question.objects.all())
            assert endings(Question.unrestricted.all()) == {"Hillside.", "Lakeside.", "alone."}
            query = f"SELECT count(*) FROM questionbank_question WHERE text LIKE '%7x%' AND {seen_sql()}"
            assert fetch(query, None) == [(len(seen[name]),)]
    everything = {"Hillside.", "Lakeside.", "alone."}
    assert seen == {
        "system": everything,
        "admin": everything,
        "teacher": {"Hillside.", "alone."},
        "reviewer": {"Lakeside."},
    }
    with viewing_as(AnonymousUser()):  # type: ignore[arg-type]
        assert not Question.objects.exists()


def test_counts_are_those_of_the_viewer(two_schools, bank, teacher, reviewer) -> None:
    for viewer, number in ((None, 9), (teacher, 8), (reviewer, 7), (None, 9)):
        with viewing_as(viewer):
            assert count_facets(filters=SearchFilters()).total == number
            cube = facet_cube()
            assert cube.total(cube.everything()) == number
            assert cube.by_concept[bank.linear.pk] == number - 3
            [algebra] = [node for node in concept_tree(hierarchy=bank.hierarchy) if node.name == "Algebra"]
            assert algebra.questions == number - 3
    facet_counts_settle()
    with viewing_as(reviewer):
        assert count_facets(filters=SearchFilters()).total == 7


def test_moving_a_question_moves_its_count(two_schools, teacher, reviewer) -> None:
    Question.objects.filter(visibility="private").update(visibility="school", school=two_schools[1])
    with viewing_as(teacher):
        assert count_facets(filters=SearchFilters()).total == 7
    with viewing_as(reviewer):
        assert count_facets(filters=SearchFilters()).total == 8


@pytest.mark.parametrize("query", ["", "solve 7x", "Lakeside", "Solve $7x = 28$ at Lakeside.", "7x = 28"])
def test_a_search_finds_nothing_of_another_school(two_schools, teacher, query) -> None:
    with viewing_as(teacher):
        page = search_questions(query=query, filters=SearchFilters(), serving=serving())
    found = endings([hit.question for hit in (*page.hits, *page.closest)])
    assert "Lakeside." not in found
    assert query == "Lakeside" or "Hillside." in found


def test_a_word_of_another_school_alone_corrects_nothing(two_schools, teacher) -> None:
    from questionbank.bank.search_index import vocabulary_refresh

    vocabulary_refresh()
    corrected = {}
    for viewer in (None, teacher):
        with viewing_as(viewer):
            page = search_questions(query="lakesidd", filters=SearchFilters(), serving=serving())
            corrected[viewer] = page.corrected
    assert "lakeside" in corrected[None].lower()
    assert corrected[teacher] == ""


def test_no_way_to_look_for_neighbours_leaves_the_viewers_questions(two_schools, bank, teacher, reviewer) -> None:
    embedding_set = EmbeddingSet.objects.filter(lens="wording").get()
    vector = stored_vector(embedding_set=embedding_set, question=Question.objects.get(text__contains="28"))
    assert vector is not None
    everything = list(Question.objects.values_list("pk", flat=True))
    for viewer, number in ((teacher, 8), (reviewer, 7), (None, 9)):
        with viewing_as(viewer):
            ways = (None, everything, Question.objects.all(), Candidates(Question.objects.all()))
            for among in ways:
                for exact in (False, True):
                    found = nearest(embedding_set=embedding_set, vector=vector, k=20, question_ids=among, exact=exact)
                    assert len(found) == number


def test_what_all_viewers_share_is_read_as_the_system(two_schools, teacher) -> None:
    shared = VersionedCache(lambda: 0, lambda: Question.objects.count())
    with viewing_as(teacher):
        assert shared() == 9


def test_a_job_sees_what_its_person_sees_if_it_works_for_them(two_schools, teacher) -> None:
    teacher = User.objects.get(pk=teacher.pk)
    for kind, expected in (("import", audiences_of(teacher)), ("embed", None)):
        with viewing_for(Run(kind=kind, requested_by=teacher)):
            assert viewer_audiences() == expected
    with viewing_for(Run(kind="import")):
        assert viewer_audiences() is None
