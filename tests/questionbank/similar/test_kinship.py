"""Which of two questions is harder: by responses, by sources, else by the order that the probes learned."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from django.urls import reverse

from analytics.artifacts import Manifest, artifact_write
from analytics.inference.demands import DEMANDS, OrderHead
from analytics.inference.heads import ConceptHead, ProbeHeads, save_heads
from questionbank.bank.question_selectors import content_hash
from questionbank.models import Question, QuestionEmbedding
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.registry.serving import serving
from questionbank.similar.kinship import compare, expected_places, order_scores, standing
from questionbank.worksheets.services import worksheet_add, worksheet_create
from tests.questionbank.small_bank import add_concept, add_question, add_set, store_vectors

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_artifacts")]

DIMENSION = 512
EQUATIONS = ("Algebra", "Equations", "Linear equations")


@pytest.fixture
def bank(db, tmp_path):
    """Twelve equations to solve, one to prove, and probes that find what is proved harder by a score of 2."""
    nothing = np.zeros(len(DEMANDS), dtype=np.float32)
    order = OrderHead(
        vector_weights=np.zeros(DIMENSION, dtype=np.float32),
        demand_weights=nothing,
        demand_centre=nothing,
        demand_spread=nothing + 1,
        words=("prove",),
        word_weights=np.array([2], dtype=np.float32),
        difficulty_weight=0.0,
    )
    concepts = ConceptHead((EQUATIONS,), (), np.zeros((1, DIMENSION), dtype=np.float32), np.zeros(1))
    heads = ProbeHeads(f"char-ngrams-{DIMENSION}", DIMENSION, concepts=concepts, order=order)
    artifact_write(tmp_path / "p", Manifest("probes", "p"), lambda aside: save_heads(heads, aside))
    artifact_promote(artifact=artifact_register(folder=tmp_path / "p", scope="Test hierarchy"))
    concept = add_concept(*EQUATIONS)
    texts = ["Prove that $x + 2 = 7$ has one solution.", *(f"Solve the equation $x + {n} = 7$." for n in range(2, 14))]
    questions = [add_question(text, concepts=[concept]) for text in texts]
    for lens in ("purpose", "wording"):
        store_vectors(add_set(lens, DIMENSION), questions)
    return questions


def compared(question, other):
    scores = order_scores([question, other], serving())
    return compare(question, scores.get(question.pk), other, scores.get(other.pk))


def test_the_order_says_how_probably_a_question_is_harder(bank):
    comparison = compared(bank[1], bank[0])
    assert comparison.probability == pytest.approx(1 / (1 + np.exp(-2)))
    assert comparison.sentence == "Probably harder (88%)."
    assert compared(bank[0], bank[1]).sentence == "Probably easier (88%)."


def test_near_one_half_it_cannot_tell(bank):
    assert compared(bank[1], bank[2]).sentence == "Cannot tell which is harder."


def test_what_sources_say_counts_before_the_order(bank):
    proof, equation, another = bank[:3]
    for question, difficulty in ((proof, 1), (equation, 4), (another, 4)):
        Question.objects.filter(pk=question.pk).update(
            difficulty=difficulty, difficulty_scale="1-5", difficulty_percent=25 * (difficulty - 1)
        )
        question.refresh_from_db()
    comparison = compared(proof, equation)
    assert (comparison.probability, comparison.sentence) == (1, "Difficulty 75% instead of 0% (published).")
    assert compared(equation, another) is None


def test_questions_that_the_order_was_not_learned_for_have_no_score(bank):
    Question.objects.filter(pk=bank[1].pk).update(language="zh")
    Question.objects.filter(pk=bank[2].pk).update(kind="description")
    Question.objects.filter(pk=bank[3].pk).update(content_hash=b"another text")
    assert set(order_scores(list(Question.objects.all()), serving())) == {
        question.pk for question in bank if question not in bank[1:4]
    }


def test_a_score_is_found_once_and_anew_for_a_changed_text(bank, django_assert_num_queries):
    models, proof = serving(), bank[0]
    before = order_scores(bank, models)
    with django_assert_num_queries(0):
        assert order_scores(bank, models) == before
    proof.text = "Show that $x + 2 = 7$ has one solution."
    proof.content_hash = content_hash(text=proof.text)
    proof.save()
    assert proof.pk not in order_scores(bank, models)  # until it has a vector
    QuestionEmbedding.objects.filter(question=proof).update(content_hash=proof.content_hash)
    assert order_scores(bank, models) == {**before, proof.pk: pytest.approx(before[proof.pk] - 2)}


def test_a_question_has_a_place_on_its_topic_and_on_the_one_above_where_that_has_too_few(bank):
    scores = order_scores(bank[:1], serving())

    def place(*concept):
        return standing(
            question=bank[0], score=scores[bank[0].pk], concept_ids=[add_concept(*concept).pk], serving=serving()
        )

    stands = place(*EQUATIONS)
    assert (stands.concept.name, stands.others, stands.tenths) == ("Linear equations", 12, 9)
    assert place("Algebra", "Inequalities").concept.name == "Algebra"
    assert place("Geometry") is None


def test_pages_say_what_is_harder_like_this_and_where_a_question_stands(bank, client, teacher):
    client.force_login(teacher)
    page = client.get(reverse("question_detail", args=[bank[0].pk])).content.decode()
    assert " ".join(page.split()).count("Harder than about 9 of 10 questions on") == 1
    assert "Probably easier (88%)." in page
    address = reverse("question_similar", args=[bank[1].pk, "harder"])
    (hit,) = client.get(address).context["hits"]
    assert hit.question == bank[0]
    assert hit.reason.startswith("Probably harder (88%).")
    pasted = client.post(reverse("paste"), {"text": "Prove that $x + 3 = 7$ has one solution.", "action": "look"})
    assert "Harder than about 9 of 10 questions on" in " ".join(pasted.content.decode().split())


def test_a_worksheet_is_ordered_by_it_where_no_difficulty_is_known(bank, client, teacher):
    client.force_login(teacher)
    worksheet = worksheet_create(user=teacher, name="Equations")
    worksheet_add(user=teacher, worksheet=worksheet, questions=[bank[0], bank[5]])
    client.post(reverse("worksheet_by_difficulty", args=[worksheet.pk]))
    assert [item.question for item in worksheet.items.all()] == [bank[5], bank[0]]


def test_questions_on_different_topics_are_placed_by_their_difficulties():
    """Of three, the second has the higher score, but its topic is another; nothing is known of the fourth."""
    now = datetime.now(UTC)
    questions = [Question(pk=pk, created_at=now) for pk in range(1, 5)]
    places = expected_places(
        questions,
        scores={1: 0.0, 2: 9.0, 3: 30.0},
        percents={1: 50.0, 2: 20.0, 3: 50.0},
        topics={1: ("Number",), 2: ("Algebra",), 3: ("Number",)},
    )
    assert places == pytest.approx({1: 0.5, 2: 0.0, 3: 1.0})
