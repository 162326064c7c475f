"""The page of the map, its points, and the questions pointed at."""

from __future__ import annotations

import re

import numpy as np
import pytest
from django.urls import reverse

from questionbank.bank.map_selectors import map_points, points_to_bytes
from questionbank.bank.vector_services import projection_store
from questionbank.models import EmbeddingSet, Question, Run
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory
from tests.questionbank.small_bank import add_set, store_vectors


@pytest.fixture
def projection(bank):
    """The six questions of the bank on a line."""
    return projection_store(
        embedding_set=EmbeddingSet.objects.get(lens="purpose"),
        question_ids=np.array([question.pk for question in bank.questions]),
        coordinates=np.stack([np.linspace(-1, 1, 6), np.zeros(6)], axis=1).astype(np.float32),
        method="tsne",
        settings={},
    )


def page_of(client, query: str = "") -> str:
    response = client.get(reverse("map") + query)
    assert response.status_code == 200
    return response.content.decode()


def legend_of(page: str) -> list[tuple[str, str]]:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    rows = body.split("<tr")[1:]
    names = [re.sub("<[^>]+>", "", row[row.index("<th") : row.index("</th>")]).strip() for row in rows]
    counts = [re.search(r'class="number">\s*(?:<a[^>]+>)?([\d,]+)', row)[1] for row in rows]
    return list(zip(names, counts, strict=True))


def test_an_empty_map_offers_to_draw_one_to_admins_alone(bank, as_teacher, admin_person) -> None:
    assert "Ask an admin to draw it." in page_of(as_teacher)
    assert reverse("map_draw") not in page_of(as_teacher)
    as_teacher.force_login(admin_person)
    assert f'action="{reverse("map_draw")}"' in page_of(as_teacher)


def test_without_vectors_the_page_says_what_is_missing(bank, as_admin) -> None:
    EmbeddingSet.objects.all().delete()
    page = page_of(as_admin)
    assert "needs questions with vectors" in page
    assert reverse("map_draw") not in page


def test_drawing_leads_to_its_job_and_a_second_time_says_so(bank, as_admin, admin_person) -> None:
    response = as_admin.post(reverse("map_draw"))
    run = Run.objects.get(kind="project")
    assert response.url == reverse("run_detail", args=[run.pk])
    assert run.requested_by == admin_person
    again = as_admin.post(reverse("map_draw"), follow=True)
    assert "being drawn already" in again.content.decode()
    assert reverse("run_detail", args=[run.pk]) in page_of(as_admin)
    assert Run.objects.count() == 1


def test_the_legend_is_a_table_with_counts_and_links(bank, projection, as_teacher) -> None:
    page = page_of(as_teacher)
    assert legend_of(page) == [("Algebra", "3"), ("Geometry", "1"), ("Number", "1")]
    algebra = bank.hierarchy.concepts.get(name="Algebra")
    assert f"{reverse('question_list')}?concept={algebra.pk}" in page
    assert "1 without a concept on this level" in page


def test_a_level_a_concept_and_the_difficulty_are_chosen_by_the_address(bank, projection, as_teacher) -> None:
    assert legend_of(page_of(as_teacher, "?colour=2")) == [("Equations", "3"), ("Circles", "1"), ("Fractions", "1")]
    algebra = bank.hierarchy.concepts.get(name="Algebra")
    inside = page_of(as_teacher, f"?concept={algebra.pk}")
    assert legend_of(inside) == [("Equations", "3")]
    assert f'data-level="2" data-within="{algebra.pk}" data-within-level="1"' in " ".join(inside.split())
    bands = legend_of(page_of(as_teacher, "?colour=difficulty"))
    assert [count for _name, count in bands] == ["2", "1", "1", "1", "1"]


def test_only_the_five_commonest_concepts_when_asked(bank, as_teacher) -> None:
    questions = [
        QuestionFactory(concepts=[ConceptFactory(hierarchy=bank.hierarchy, names=(f"Strand {n}",))]) for n in range(6)
    ]
    everything = bank.questions + questions
    projection_store(
        embedding_set=EmbeddingSet.objects.get(lens="purpose"),
        question_ids=np.array([question.pk for question in everything]),
        coordinates=np.zeros((12, 2), dtype=np.float32),
        method="pca",
        settings={},
    )
    assert len(legend_of(page_of(as_teacher))) == 9
    few = page_of(as_teacher, "?few=1")
    assert len(legend_of(few)) == 5
    assert 'data-rest="hidden"' in few


def test_a_map_of_another_encoder_is_marked_as_such(bank, projection, as_admin) -> None:
    assert "The encoder has changed since" not in page_of(as_admin)
    EmbeddingSet.objects.filter(lens="purpose").update(is_current=False)
    store_vectors(add_set("purpose", 64, encoder_name="newer"), bank.questions)
    assert "The encoder has changed since" in page_of(as_admin)


def test_the_map_says_of_when_it_is_and_which_questions_it_lacks(bank, projection, as_teacher, admin_person) -> None:
    store_vectors(EmbeddingSet.objects.get(lens="purpose"), [QuestionFactory()])
    page = page_of(as_teacher)
    assert "This map was drawn on" in page
    assert "not on it" in page
    assert "1 was added since" in page
    assert "Ask an admin to redraw it" in page
    assert "Redraw with all questions" not in page
    as_teacher.force_login(admin_person)
    assert "Redraw with all questions" in page_of(as_teacher)


def test_hierarchies_can_be_changed_where_there_are_several(bank, projection, as_teacher) -> None:
    assert 'name="hierarchy"' not in page_of(as_teacher)
    second_hierarchy = HierarchyFactory(name="Other")
    bank.questions[5].tags.create(concept=ConceptFactory(hierarchy=second_hierarchy, names=("Chance",)))
    page = page_of(as_teacher, f"?hierarchy={second_hierarchy.pk}")
    assert legend_of(page) == [("Chance", "1")]
    assert 'name="hierarchy"' in page


@pytest.mark.parametrize("query", ["?concept=999999", "?hierarchy=999999"])
def test_what_is_not_there_is_a_404(bank, projection, as_teacher, query) -> None:
    assert as_teacher.get(reverse("map") + query).status_code == 404


@pytest.mark.parametrize("query", ["?concept=x&hierarchy=-1&colour=9", "?colour=&few=7", "?concept=" + "9" * 40])
def test_nonsense_in_the_address_is_left_out(bank, projection, as_teacher, query) -> None:
    assert legend_of(page_of(as_teacher, query))[0] == ("Algebra", "3")


def test_points_come_in_one_binary_answer_that_is_not_sent_twice(bank, projection, as_teacher) -> None:
    address = f"{reverse('map_points_data')}?hierarchy={bank.hierarchy.pk}"
    response = as_teacher.get(address)
    assert response["Content-Type"] == "application/octet-stream"
    assert response.content == points_to_bytes(map_points(projection=projection, hierarchy=bank.hierarchy))
    tag = response["ETag"]
    assert as_teacher.get(address, headers={"If-None-Match": tag}).status_code == 304
    Question.objects.filter(pk=bank.questions[0].pk).update(status="retired")
    changed = as_teacher.get(address, headers={"If-None-Match": tag})
    assert (changed.status_code, len(changed.content)) == (200, 12 + 5 * 21)


def test_questions_pointed_at_come_in_the_order_asked_for(bank, as_teacher) -> None:
    last, first = bank.questions[3], bank.questions[0]
    response = as_teacher.get(f"{reverse('map_questions')}?id={last.pk}&id={first.pk}&id=999999&total=70")
    page = response.content.decode()
    assert page.index(f"Question {last.pk}") < page.index(f"Question {first.pk}")
    assert "999999" not in page
    assert "The nearest 2 of 70" in page
    assert "<math" in page


@pytest.mark.parametrize("query", ["", "?id=x", "?id=99999999999999999999", "?id=4&total=x"])
def test_asking_for_nothing_sensible_is_answered_with_a_sentence(bank, as_teacher, query) -> None:
    Question.objects.filter(pk=4).delete()
    page = as_teacher.get(reverse("map_questions") + query).content.decode()
    assert "no longer in the bank" in page


def test_a_concept_s_page_leads_to_it_on_the_map(bank, projection, as_teacher) -> None:
    concept = bank.hierarchy.concepts.get(name="Algebra")
    address = f"{reverse('map')}?concept={concept.pk}"
    assert address in as_teacher.get(reverse("concept_detail", args=[concept.pk])).content.decode()
    assert legend_of(as_teacher.get(address).content.decode()) == [("Equations", "3")]
