"""Text ranking, vector ranking and their fusion."""

from __future__ import annotations

import pytest

from questionbank.models import Question
from questionbank.registry.serving import serving
from questionbank.search import text_search
from questionbank.search.concept_search import ConceptNames
from questionbank.search.filters import Condition
from questionbank.search.query import ParsedQuery, parse_query, vocabulary
from questionbank.search.ranking import Matches, fuse, rank_by_vectors
from questionbank.search.terms import terms_of
from questionbank.search.text_search import TextRanking, rank_by_terms, rank_by_text
from tests.questionbank.small_bank import add_question, add_set, fill, store_vectors

pytestmark = pytest.mark.django_db


def ranked(typed: str, questions=None) -> list[str]:
    parsed = parse_query(typed, vocabulary())
    among = Question.objects.filter(status="ready") if questions is None else questions
    ids = rank_by_text(parsed.tokens, Condition.of(among), vocabulary()).ids
    texts = Question.objects.in_bulk(ids)
    return [texts[pk].text for pk in ids]


def test_questions_with_all_words_come_before_those_with_some():
    fill("area of a circle", "triangle", "the area of a triangle drawn in a circle", "nothing of it")
    texts = ranked("triangle area")
    assert texts[0] == "the area of a triangle drawn in a circle"
    assert sorted(texts[1:]) == ["area of a circle", "triangle"]


def test_rare_words_count_for_more_than_common_ones():
    fill(*(f"find the number {n}" for n in range(30)), "find a dodecahedron", "the number of the find")
    assert ranked("find the dodecahedron number zzz")[0] == "find a dodecahedron"


def test_words_that_stand_together_in_a_short_text_come_first():
    long = "A right triangle and, after many other words about something else, an area of a field of corn."
    fill(long, "The triangle area rule")
    assert ranked("triangle area") == ["The triangle area rule", long]


def test_where_enough_hold_all_words_others_are_not_offered(monkeypatch):
    monkeypatch.setattr(text_search, "ENOUGH", 2)
    fill("red ball", "red box and ball", "red car", "blue ball")
    assert set(ranked("red ball")) == {"red ball", "red box and ball"}


def test_common_words_alone_still_find_what_holds_them_all(monkeypatch):
    monkeypatch.setattr(text_search, "FROM_ONE_WORD", 3)
    monkeypatch.setattr(text_search, "CANDIDATE_BUDGET", 3)
    fill(*(f"how {n}" for n in range(8)), *(f"many {n}" for n in range(8)), "how many")
    assert ranked("how many")[0] == "how many"


def test_where_only_the_rarest_word_leads_questions_with_all_words_are_found(monkeypatch):
    monkeypatch.setattr(text_search, "FROM_ONE_WORD", 3)
    fill(*(f"red {n}" for n in range(5)), *(f"ball {n}" for n in range(5)), "a red ball")
    terms = terms_of(("red", "ball"), ConceptNames(), vocabulary())
    ids = rank_by_terms(terms, Condition("TRUE")).ids
    texts = [Question.objects.get(pk=pk).text for pk in ids]
    assert texts[0] == "a red ball"
    assert not any(text.startswith("ball") for text in texts)  # "red" leads, "ball" alone does not


@pytest.mark.parametrize("looked_through", [100, 8])
def test_words_side_by_side_lead_to_questions_unless_both_are_common(monkeypatch, looked_through):
    monkeypatch.setattr(text_search, "FROM_ONE_WORD", 3)
    monkeypatch.setattr(text_search, "LOOKED_THROUGH", looked_through)
    fill(*(f"red box {n}" for n in range(9)), *(f"ball {n}" for n in range(8)))
    terms = terms_of(("red", "box", "ball"), ConceptNames(), vocabulary())
    texts = Question.objects.filter(pk__in=rank_by_terms(terms, Condition("TRUE")).ids)
    assert {text.split()[0] for text in texts.values_list("text", flat=True)} == (
        {"ball", "red"} if looked_through > 9 else {"ball"}
    )


def test_formulas_are_found_by_their_parts_in_any_spelling():
    fill(r"Solve $x^{2}+5x+6=0$", r"Solve $y^{3}=8$", "Solve nothing")
    assert ranked("x^2+5x+6=0")[0] == r"Solve $x^{2}+5x+6=0$"
    assert ranked(r"\(y^3=8\)")[0] == r"Solve $y^{3}=8$"


def test_chinese_words_are_found():
    fill("一个三角形的面积是多少", "小明有三个苹果", language="zh")
    assert ranked("三角形 面积")[0] == "一个三角形的面积是多少"


def test_filters_apply_to_the_text_ranking():
    fill("red ball", grade="7")
    fill("red ball of wool", grade="8")
    assert ranked("red ball", Question.objects.filter(grade="8")) == ["red ball of wool"]
    assert ranked("red ball", Question.objects.none()) == []


def test_the_query_tells_how_much_of_it_the_best_question_holds():
    fill("red ball", "green box")
    tokens = parse_query("red ball", vocabulary()).tokens
    assert rank_by_text(tokens, Condition("TRUE"), vocabulary()).held == pytest.approx(1.0)
    half = rank_by_text(("red", "zebra"), Condition("TRUE"), vocabulary()).held
    assert 0.1 < half < 0.9
    assert rank_by_text(("zebra",), Condition("TRUE"), vocabulary()) == TextRanking()


def test_vectors_rank_by_nearness_and_respect_filters():
    near, far = fill("A train travels 60 km in one hour.", "Factorise the polynomial.")
    store_vectors(add_set("wording"), [near, far])
    parsed = parse_query("a train that travels 50 km", vocabulary())
    assert rank_by_vectors(parsed, None, serving()).ids == [near.pk]  # what is far in meaning is no answer
    assert rank_by_vectors(parsed, Question.objects.filter(pk=near.pk), serving()).ids == [near.pk]
    assert rank_by_vectors(parsed, Question.objects.filter(pk=far.pk), serving()).ids == []


def test_without_vectors_text_search_is_left():
    parsed = parse_query("anything", vocabulary())
    assert rank_by_vectors(parsed, None, serving()).ids == []


def test_the_language_of_the_filter_chooses_the_vectors():
    english = add_set("purpose", 16, encoder_name="char-ngrams-16", unknown_shares={"en": 0.0, "zh": 0.5})
    wording = add_set("wording", 512)
    purpose_question, wording_question = fill("x = 1", "x = 1 or 2")
    store_vectors(english, [purpose_question])
    store_vectors(wording, [wording_question])
    parsed = parse_query("$x = 1$", vocabulary())
    assert rank_by_vectors(parsed, None, serving()).ids == [purpose_question.pk]
    ranking = rank_by_vectors(parsed, None, serving(), language="zh")
    assert ranking.ids == [wording_question.pk]
    assert ranking.notice


def words(text: str = "red ball") -> ParsedQuery:
    return ParsedQuery("words", text, searched=text)


def test_fusion_says_who_found_what():
    fused = fuse(words(), Matches(TextRanking([1, 2], held=1.0), [2, 3]))
    assert {hit.id: hit.found_by for hit in fused} == {1: ("text",), 2: ("text", "vector"), 3: ("vector",)}
    formula = fuse(ParsedQuery("formula", "x=1", searched="$x=1$"), Matches(TextRanking([1], held=1.0)))
    assert formula[0].found_by == ("formula",)


def test_scores_are_reciprocal_ranks():
    fused = fuse(words(), Matches(TextRanking([7, 8], held=1.0), [8]))
    assert [hit.id for hit in fused] == [7, 8]
    assert fused[0].score == pytest.approx(1 / 61, abs=1e-6)
    assert fused[1].score == pytest.approx(1 / 62 + 0.01 / 61, abs=1e-6)


def test_few_words_that_questions_hold_are_led_by_text_and_else_by_vectors():
    text, vectors = [1, 2, 3], [9, 3, 1]
    assert [hit.id for hit in fuse(words(), Matches(TextRanking(text, held=0.9), vectors))][:3] == [1, 2, 3]
    assert fuse(words(), Matches(TextRanking([1, 2], held=0.2), [9, 8]))[0].id == 9


def test_a_question_that_holds_the_query_literally_leads():
    others = fill(*(f"Alice has {n} red balls and gives some of them to Bob." for n in range(5)))
    exact = add_question("Zoe thinks. A bag holds seven red balls in two rows. How many?")
    typed = "A bag holds seven red balls in two rows."
    parsed = ParsedQuery("question", typed, searched=typed)
    fused = fuse(parsed, Matches(TextRanking([*(question.pk for question in others), exact.pk], held=1.0), []))
    assert fused[0].id == exact.pk
