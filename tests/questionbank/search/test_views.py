"""The search page."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from django.urls import reverse
from lxml import html

from analytics.analysed_text import EACH_PART
from analytics.question_content import QuestionContent, QuestionPart, as_json
from questionbank.bank.search_index import search_vector, vocabulary_refresh
from questionbank.models import KnowledgeConcept, Question
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_concept

LIST = "/questions/"


def questions_of(response) -> set[Question]:
    page = response.context["page"]
    return {hit.question for hit in [*page.hits, *page.closest]}


def test_a_page_asks_the_database_little_and_nothing_for_each_hit(
    bank, as_teacher, django_assert_max_num_queries
) -> None:
    QuestionFactory.create_batch(14)
    for address, most in ((f"{LIST}?q=marbles", 21), (LIST, 30)):
        as_teacher.get(address)  # what a process keeps is read once
        with django_assert_max_num_queries(most) as asked:
            assert as_teacher.get(address).status_code == 200
        assert not [query["sql"] for query in asked.captured_queries if "auth_permission" in query["sql"]]


def test_a_question_in_parts_is_found_by_a_part_which_is_named_and_begins_with_mathematics(as_teacher) -> None:
    parts = [QuestionPart("Expand $3(x+2)$"), QuestionPart("Factorise $x^2+7x+12$")]
    content = as_json(QuestionContent(parts=tuple(parts)))
    question = QuestionFactory(text=EACH_PART, kind="parts", content=content)
    response = as_teacher.get(LIST, {"q": "factorise"})
    assert questions_of(response) == {question}
    assert response.context["page"].hits[0].parts == ("b",)
    page = response.content.decode()
    assert "in part (b)" in page
    assert EACH_PART not in page
    title = as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode()
    assert "<title>Expand 3(x + 2) (b) Factorise x² + 7x + 12 · " in " ".join(title.split())


def test_without_a_query_everything_ready_is_listed(bank, as_teacher) -> None:
    QuestionFactory(text="An unfinished one.", status="draft")
    assert questions_of(as_teacher.get(LIST)) == set(bank.questions)


def test_a_concept_filter_takes_its_whole_subtree_and_offers_the_next_level(bank, as_teacher) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    response = as_teacher.get(LIST, {"concept": algebra.pk})
    assert questions_of(response) == set(bank.questions[:3])
    steps = response.context["steps"]
    assert [step.name for step in steps.chain] == ["Algebra"]
    assert [(step.name, step.count) for group in steps.groups for step in group.steps] == [("Equations", 3)]


def test_ranges_of_difficulty_are_a_click_each_with_their_counts(bank, as_teacher) -> None:
    response = as_teacher.get(LIST)
    bands = {band.label: band.count for band in response.context["bands"]}
    assert bands == {"0 to 20 %": 2, "20 to 40 %": 1, "40 to 60 %": 1, "60 to 80 %": 1, "80 to 100 %": 1}
    assert "?difficulty_min=20&amp;difficulty_max=40" in response.content.decode()
    within = as_teacher.get(LIST, {"difficulty_min": "20", "difficulty_max": "50"})
    assert [(band.low, band.high) for band in within.context["bands"]] == [("20", "40"), ("40", "50")]
    for band in within.context["bands"]:
        band_response = as_teacher.get(LIST, {"difficulty_min": band.low, "difficulty_max": band.high})
        assert band_response.context["page"].total == band.count


@pytest.mark.parametrize(("bounds", "is_found"), [((50, 70), True), ((20, 30), False)])
def test_a_search_filters_by_the_difficulty_that_it_shows(bank, as_teacher, bounds, is_found) -> None:
    QuestionFactory(difficulty=2, difficulty_scale="1-5", facility=0.4, responses=90)
    query = dict(zip(("difficulty_min", "difficulty_max"), map(str, bounds), strict=True))
    page = " ".join(as_teacher.get(LIST, query).content.decode().split())
    assert ("60% observed" in page) == is_found


def test_swapped_bounds_of_difficulty_are_put_in_order(bank, as_teacher) -> None:
    wanted = as_teacher.get(LIST, {"difficulty_min": "10", "difficulty_max": "90"}).context["page"].total
    swapped = as_teacher.get(LIST, {"difficulty_min": "90", "difficulty_max": "10"}, follow=True)
    assert swapped.context["page"].total == wanted > 0
    assert 'value="10"' in swapped.content.decode()


def test_the_address_of_a_form_is_redirected_to_the_short_one(bank, as_teacher) -> None:
    response = as_teacher.get(LIST, {"q": "circle", "grade": "", "kind": "", "status": "ready"})
    assert response.status_code == 302
    assert response["Location"] == f"{LIST}?q=circle"


def test_combined_concepts_are_listed_with_counts_and_links_that_take_them_out(bank, as_teacher) -> None:
    given = {"concepts_any": f"{bank.linear.pk},{bank.circle.pk}", "concepts_none": "4711"}
    response = as_teacher.get(LIST, given)
    assert questions_of(response) == set(bank.questions[:4])
    alternatives, left_out = response.context["combination"].groups
    assert [(one.name, one.count) for one in alternatives.concepts] == [("Linear equations", 3), ("Circles", 1)]
    assert alternatives.concepts[0].without == f"{LIST}?{urlencode(given | {'concepts_any': bank.circle.pk})}"
    assert left_out.value == "4711"
    page = response.content.decode()
    assert "The concept “4711” no longer exists, so it leaves out no questions." in page
    assert f'name="concepts_any" value="{given["concepts_any"]}" form="search-form"' in page


def test_concepts_are_found_and_combined_on_a_page_of_its_own_without_javascript(bank, as_teacher) -> None:
    page = html.fromstring(as_teacher.get(LIST, {"concept": bank.linear.pk}).content)
    [link] = [link for link in page.iter("a") if "Combine several concepts" in link.text_content()]
    address = link.get("href")
    page = html.fromstring(as_teacher.get(address).content)
    form = page.get_element_by_id("find").getparent().getparent()
    fields = dict(form.form_values()) | {"find": "circ"}
    response = as_teacher.get(form.action, fields)
    [(choice, count, ways)] = response.context["found"]
    assert (choice.path[-1], count) == ("Circles", 0)
    assert [way.label for way in ways] == ["All of", "At least one of", "None of"]
    response = as_teacher.get(ways[1].address)
    assert [way.is_chosen for way in response.context["found"][0][2]] == [False, True, False]
    results = as_teacher.get(response.context["results"])
    assert results.context["filters"].concepts_all == (bank.linear.pk,)
    assert results.context["filters"].concepts_any == (bank.circle.pk,)


def test_htmx_gets_the_results_alone_and_the_short_address_for_the_browser(bank, as_teacher) -> None:
    response = as_teacher.get(LIST, {"q": "circle", "grade": "", "status": "ready"}, headers={"HX-Request": "true"})
    page = response.content.decode()
    assert 'id="results"' in page
    assert "<html" not in page
    assert response["HX-Push-Url"] == f"{LIST}?q=circle"


def test_going_back_in_the_browser_gets_the_whole_page(bank, as_teacher) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in as_teacher.get(LIST, headers=headers).content.decode()


def test_a_new_search_starts_without_filters_and_offers_the_last_ones(bank, as_teacher) -> None:
    as_teacher.get(LIST, {"grade": "7", "concept": bank.linear.pk, "difficulty_max": "40"})
    response = as_teacher.get(LIST, {"q": "solve"})
    assert response.context["filters"].is_default
    address = f"{LIST}?concept={bank.linear.pk}&amp;difficulty_max=40&amp;grade=7&amp;q=solve"
    page = response.content.decode()
    words = f"Search again with the last filters: {bank.linear.name}, Grade 7,"
    assert re.search(rf'<a href="{re.escape(address)}">\s*{re.escape(words)}', page)
    assert "Search again with" not in as_teacher.get(LIST, {"q": "solve", "grade": "7"}).content.decode()
    for anywhere in ("/", "/paste/"):
        assert 'name="recall"' not in as_teacher.get(anywhere).content.decode()


def test_clearing_forgets_the_filters_and_keeps_the_query(bank, as_teacher) -> None:
    as_teacher.get(LIST, {"grade": "7"})
    cleared = as_teacher.get(LIST, {"q": "solve", "grade": "7", "clear": "1"})
    assert cleared["Location"] == f"{LIST}?q=solve"
    assert "Search again with" not in as_teacher.get(LIST, {"q": "solve"}).content.decode()


def test_looking_at_one_s_own_drafts_is_not_offered_again(bank, as_teacher, teacher) -> None:
    as_teacher.get(LIST, {"owner": teacher.pk, "status": "any"})
    assert "Search again with" not in as_teacher.get(LIST).content.decode()


def test_answers_are_shown_on_request(bank, as_teacher) -> None:
    question = QuestionFactory(text="How old is the oldest oak?", answer="forty")
    assert "forty" not in as_teacher.get(LIST).content.decode()
    page = as_teacher.get(LIST, {"answers": "1"}).content.decode()
    assert "forty" in page.partition("<strong>Answer:</strong>")[2]
    assert questions_of(as_teacher.get(LIST, {"q": "oldest oak", "answers": "1"})) == {question}


def test_results_are_sorted_and_the_usual_order_stays_out_of_the_address(bank, as_teacher) -> None:
    hits = as_teacher.get(LIST, {"order": "hardest"}).context["page"].hits
    difficulties = [hit.question.difficulty_percent for hit in hits]
    known = [value for value in difficulties if value is not None]
    assert known == sorted(known, reverse=True)
    assert difficulties[: len(known)] == known
    for usual in ({"order": "newest"}, {"order": "relevance", "q": "solve"}, {"order": "sideways"}):
        assert "order" not in as_teacher.get(LIST, usual)["Location"]


def test_concepts_are_grouped_by_hierarchy_with_their_counts(bank, as_teacher) -> None:
    second_concept = add_concept("Sets", hierarchy="Second hierarchy")
    QuestionFactory(concepts=[second_concept])
    groups = as_teacher.get(LIST).context["steps"].groups
    assert [(group.hierarchy, group.count) for group in groups][1] == ("Second hierarchy", 1)
    assert [step.name for step in groups[1].steps] == ["Sets"]


def test_what_is_only_near_stands_under_its_own_heading(bank, as_teacher) -> None:
    page = as_teacher.get(LIST, {"q": "marbles zebra"}).content.decode()
    assert "No exact matches" in page
    assert "Closest in meaning:" in page
    assert "No matching questions" in as_teacher.get(LIST, {"q": "qwrtpsdf"}).content.decode()


def test_nothing_found_says_what_to_try_without_an_empty_filter_by_concept(bank, as_teacher) -> None:
    assert 'id="filter-concept"' in as_teacher.get(LIST).content.decode()
    page = as_teacher.get(LIST, {"grade": "99"}).content.decode()
    assert "No matching questions" in page
    assert "Try fewer filters." in page
    assert 'value="99"' in page  # the filter that excludes everything is still shown as chosen
    assert 'id="filter-concept"' not in page
    chosen = as_teacher.get(LIST, {"source": "no such book", "concept": bank.linear.pk}).content.decode()
    assert "All concepts" in chosen


def test_long_results_come_in_pages_that_link_to_one_another(bank, as_teacher) -> None:
    QuestionFactory.create_batch(20)
    first = as_teacher.get(LIST)
    assert 'rel="next"' in first.content.decode()
    second = as_teacher.get(LIST, {"cursor": first.context["page"].next_cursor})
    assert 'rel="prev"' in second.content.decode()
    assert not questions_of(first) & questions_of(second)
    assert len(questions_of(first) | questions_of(second)) == 26
    assert "1–20 of 26" in first.content.decode()
    assert "21–26 of 26" in second.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        {"cursor": "nonsense"},
        {"q": "a" * 5000},
        {"q": "\x00"},
        {"q": r"$\frac{"},
        {"concept": "9" * 30, "difficulty_min": "nan", "owner": "-1", "kind": "<script>", "grade": "'"},
    ],
)
def test_no_address_breaks_the_page(bank, as_teacher, query) -> None:
    assert as_teacher.get(LIST, query, follow=True).status_code in (200, 422)


def test_question_text_cannot_bring_markup_into_the_page(bank, as_teacher) -> None:
    QuestionFactory(text='<img src=x onerror="alert(1)"> $\\text{<script>alert(2)</script>}$')
    page = as_teacher.get(LIST, {"q": "<script>alert(3)</script>"}, follow=True).content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_the_box_is_sent_by_post_and_answered_by_an_address_that_can_be_shared(bank, as_teacher) -> None:
    response = as_teacher.post(LIST, {"q": "circle", "grade": ""})
    assert (response.status_code, response["Location"]) == (302, f"{LIST}?q=circle")


def test_a_long_chinese_question_is_searched_at_a_short_address(bank, as_teacher) -> None:
    typed = "一个长方形的长是十二厘米，宽是五厘米，求它的面积。" * 41  # 1,025 characters, 9 kB in an address
    response = as_teacher.post(LIST, {"q": typed})
    assert response.status_code == 302
    assert len(response["Location"]) < 100
    page = as_teacher.get(response["Location"])
    assert page.context["query"] == typed
    again = as_teacher.post(LIST, {"q": typed})
    assert again["Location"] == response["Location"]


def test_htmx_gets_the_long_search_at_once_with_its_address(bank, as_teacher) -> None:
    typed = "三角形" * 400
    response = as_teacher.post(LIST, {"q": typed, "language": "zh"}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert response["HX-Push-Url"].startswith(f"{LIST}?language=zh&long=")
    assert "?long=" in response.content.decode()  # links of the part keep the search


def test_a_question_is_found_by_its_number(bank, as_teacher) -> None:
    wanted = bank.questions[2]
    for typed in (f"{wanted.pk}", f"#{wanted.pk}", f"Question {wanted.pk}", f"question #{wanted.pk}"):
        hits = as_teacher.get(LIST, {"q": typed}).context["page"].hits
        assert hits[0].question == wanted, typed
        assert hits[0].found_by == ("number",)
    assert len(as_teacher.get(LIST, {"q": f"#{wanted.pk}"}).context["page"].hits) == 1


def test_a_number_that_no_question_has_is_said_so(bank, as_teacher) -> None:
    assert "There is no question 99999999." in as_teacher.get(LIST, {"q": "#99999999"}).content.decode()


def test_plain_maths_is_shown_as_it_was_read(bank, as_teacher) -> None:
    page = as_teacher.get(LIST, {"q": "sqrt(50)"}).content.decode()
    assert "Read as" in page
    assert "<msqrt>" in page.split("Read as")[1]
    assert "Read as" not in as_teacher.get(LIST, {"q": "circle"}).content.decode()


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("Work out ½ × 3¾ today.", "1/2 x 3 3/4"),
        ("Write 10⁻³ as a decimal.", "10^-3"),
        ("Add x₁ and x₂.", "x_1"),
        ("Write 10^-3 as a decimal.", "10⁻³"),
        (r"Simplify $\frac{7}{8}$ of it.", "⅞"),
        ("Simplify 7/8 of it.", "⅞"),
        ("The e\ufb03ciency is 𝑥² ≤ 5.", "efficiency"),
    ],
)
def test_a_question_is_found_however_its_characters_were_typed(bank, as_teacher, stored, typed) -> None:
    question = bank.questions[0]
    question.text = stored
    question.search_vector = search_vector(question)
    question.save()
    hits = as_teacher.get(LIST, {"q": typed}).context["page"].hits
    assert question in [hit.question for hit in hits if "text" in hit.found_by or "formula" in hit.found_by]


def test_the_page_names_the_concept_that_a_search_names(bank, as_teacher) -> None:
    page = as_teacher.get(LIST, {"q": "equations"}).content.decode()
    concept = KnowledgeConcept.objects.get(name="Equations")
    assert f"?concept={concept.pk}" in page.split("named-concepts")[1].split("</ul>")[0]
    assert "3 questions" in page.split("named-concepts")[1].split("</ul>")[0]


def test_a_corrected_search_can_be_searched_as_it_was_typed(bank, as_teacher) -> None:
    vocabulary_refresh()
    corrected = as_teacher.get(LIST, {"q": "probabilty"})
    assert corrected.context["page"].corrected == "probability"
    assert "?q=probabilty&amp;exact=1" in corrected.content.decode()
    assert as_teacher.get(LIST, {"q": "probabilty", "exact": "1"}).context["page"].corrected == ""


def test_others_drafts_are_in_no_search_of_a_teacher(bank, client, teacher, admin_person, django_user_model) -> None:
    draft = bank.questions[0]
    Question.objects.filter(pk=draft.pk).update(status="draft", created_by=teacher)
    colleague = django_user_model.objects.create_user("colleague")
    colleague.groups.add(*teacher.groups.all())
    link = reverse("question_detail", args=[draft.pk])
    for person, sees in ((teacher, True), (admin_person, True), (colleague, False)):
        client.force_login(person)
        for parameters in ({"status": "draft"}, {"status": "any"}, {"q": f"#{draft.pk}"}):
            page = client.get(reverse("question_list"), parameters, follow=True).content.decode()
            assert (link in page) is sees, (person, parameters)


def test_filters_from_the_words_are_links_that_take_them_off(bank, as_teacher) -> None:
    response = as_teacher.get(LIST, {"q": "grade 9 area of a circle"})
    assert [hit.question for hit in response.context["page"].hits] == [bank.questions[3]]
    page = response.content.decode()
    assert "Grade 9" in page
    assert "?q=grade+9+area+of+a+circle&amp;off=grade" in page
    assert 'name="off"' not in page
    off = as_teacher.get(LIST, {"q": "grade 6 area of a circle", "off": "grade"})
    assert bank.questions[3] in {hit.question for hit in off.context["page"].hits}
    page = off.content.decode()
    assert '<input type="hidden" name="off" value="grade">' in page  # of what a selection takes
    assert "Take off this filter" not in page
    assert as_teacher.get(LIST, {"q": "circle", "off": "nonsense"})["Location"] == f"{LIST}?q=circle"


def test_grades_are_named_in_the_school_system(bank, as_teacher, settings) -> None:
    settings.SCHOOL_SYSTEM = "england"
    QuestionFactory(text="Add 1 and 2.", grade="7")
    page = as_teacher.get(f"{LIST}?grade=7").content.decode()
    assert "<li>Year 8</li>" in page
    assert "Grade 7" not in page
    found = as_teacher.get(f"{LIST}?q=year+8")
    assert {hit.question.grade for hit in found.context["page"].hits} == {"7"}


def test_a_task_is_a_filter_of_its_own(bank, as_teacher) -> None:
    story = QuestionFactory(text="Ann has 3 bags of 5 apples each. How many apples has she?")
    response = as_teacher.get(LIST, {"task": "word_problem"})
    assert story in questions_of(response)
    assert bank.questions[4] not in questions_of(response)
    assert '<option value="word_problem" selected>' in response.content.decode()
    assert as_teacher.get(LIST, {"task": "nonsense"})["Location"] == LIST
