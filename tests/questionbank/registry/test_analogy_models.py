"""The pages on which a retriever of analogous problems is trained and compared."""

from __future__ import annotations

import html

import pytest
from django.test import Client
from django.urls import reverse

from analytics.splits import is_held_out
from analytics.text.fingerprints import story_key
from questionbank.models import ModelArtifact, ModelComparison, ModelEvent, Question, Run
from questionbank.registry.artifact_services import model_event_create
from tests.factories import asked_of
from tests.questionbank.page_bank import text_of
from tests.questionbank.small_bank import write_question
from tests.questionbank.story_bank import add_story, story

SHARE = {
    "name": "same_graph_at_8", "label": "Share of 8 exemplars with the same computation", "higher_is_better": True,
    "questions": 40, "candidate": 0.61, "champion": 0.52, "difference": 0.09, "low": 0.03, "high": 0.15,
    "worse": False,
}  # fmt: skip
SUITE = {
    "questions": 40, "fewest": 20, "train_questions": 300, "left_out": 0, "lost": 0, "gained": 2, "seed": 0
}  # fmt: skip


@pytest.fixture
def stories(db) -> list[Question]:
    return [add_story(*story(number)) for number in range(60)]


@pytest.fixture
def models(db) -> tuple[ModelArtifact, ModelArtifact]:
    manifest = {"config": {"epochs": 3, "slot_text": True}, "metrics": {}, "extra": {"slot_text": True}}
    champion, candidate = (
        ModelArtifact.objects.create(
            capability="analogy", name=name, state=state, location=name, checksum=name.ljust(64, "0"),
            manifest=manifest,
        )
        for name, state in (("served", "champion"), ("new", "candidate"))
    )  # fmt: skip
    return candidate, champion


def test_an_admin_reads_what_a_training_would_learn_and_asks_for_it(stories, as_admin: Client) -> None:
    page = text_of(as_admin.get(reverse("model_train", args=["analogy"])))
    assert "Retrain: Retriever of analogous problems" in page
    assert "60 of 60 have an equation" in page
    assert "3 computations are shared" in page
    assert "more are needed" in page
    assert "Learn only from known equations" in page
    assert "English" in page
    response = as_admin.post(
        reverse("model_train", args=["analogy"]), {**defaults(as_admin), "known_only": "on", "epochs": 2}
    )
    assert response.status_code == 302
    run = Run.objects.get(kind="train")
    assert asked_of(run) == {"set": {"epochs": "2"}, "known_only": True}


def defaults(client: Client) -> dict[str, object]:
    """What the untouched form sends."""
    form = client.get(reverse("model_train", args=["analogy"])).context["form"]
    values = {field.name: field.value() for field in form if field.name not in ("hierarchies", "known_only")}
    return {name: value for name, value in values.items() if value is not False}


def test_too_few_problems_are_refused_above_the_form(db, as_admin: Client) -> None:
    for number in range(3):
        add_story(*story(3 * number))
    response = as_admin.post(reverse("model_train", args=["analogy"]), {**defaults(as_admin), "known_only": "on"})
    assert response.status_code == 422
    assert "a batch needs 16: 13 more are needed" in text_of(response)
    assert not Run.objects.exists()


def test_the_form_begins_with_a_quick_training_or_the_settings_of_a_former_one(
    stories, models, as_admin: Client
) -> None:
    address = reverse("model_train", args=["analogy"])
    quick = as_admin.get(address, {"quick": 1})
    assert quick.context["form"]["backbone"].value() == "in use"
    assert "takes minutes on any machine" in text_of(quick)
    like = as_admin.get(address, {"like": models[1].pk}).context["form"]
    assert (like["epochs"].value(), like["slot_text"].value()) == (3, True)


def test_a_comparison_shows_both_figures_and_neighbours_that_are_computed_alike(
    stories, models, as_teacher: Client
) -> None:
    candidate, champion = models
    first, alike, different = stories[0], stories[3], stories[1]
    row = {"question": first.pk, "overlap": 0.5, "candidate": [alike.pk], "champion": [different.pk]}
    ModelComparison.objects.create(
        candidate=candidate, champion=champion, figures={"suite": SUITE, "metrics": [SHARE], "changed": [row]}
    )
    response = as_teacher.get(reverse("model_compare", args=[candidate.pk]))
    page = text_of(response)
    assert "is better: 0.610 against 0.520" in page
    assert "40 held-out questions have an equation; their exemplars come from 300 others." in page
    assert "2 can only be read by this one." in page
    assert "How many of the eight nearest questions are the same for both models." in page
    assert response.content.decode().count('badge-accent">same computation') == 1


def test_the_list_shows_a_candidate_beside_the_champion_on_the_same_questions(models, as_teacher: Client) -> None:
    candidate, champion = models
    figures = {"suite": SUITE, "metrics": [SHARE], "changed": []}
    ModelComparison.objects.create(candidate=candidate, champion=champion, figures=figures)
    page = text_of(as_teacher.get(reverse("model_list")))
    figure = "61% of the 8 exemplars of a problem have the same computation"
    assert f"{figure}, on the bank’s held-out questions; the model in use 52%" in page


def test_rolling_back_the_first_retriever_of_a_language_says_that_it_goes_out_of_use(models, as_admin: Client) -> None:
    general = models[1]
    chinese = ModelArtifact.objects.create(
        capability="analogy", scope="zh", name="own", state="champion", location="own", manifest={"extra": {}}
    )
    model_event_create(kind=ModelEvent.Kind.PROMOTED, artifact=chinese)
    address = f"{reverse('model_roll_back', args=['analogy'])}?scope=zh"
    listed = text_of(as_admin.get(reverse("model_list")))
    assert "Take out of use (Chinese)" in listed
    assert "Roll back (Chinese)" not in listed
    assert "Take out of use" in text_of(as_admin.get(reverse("model_detail", args=[chinese.pk])))
    page = text_of(as_admin.get(address))
    assert f"Take own (model {chinese.pk}) out of use?" in page
    assert f"served (model {general.pk}), the model for all languages, takes over at once" in page
    assert "is in use again" not in page
    answer = text_of(as_admin.post(address, {"reason": "A trial.", "scope": "zh"}, follow=True))
    assert "“own” is out of use. “served” is now in use for Chinese." in answer
    chinese.refresh_from_db()
    assert chinese.state == "archived"


def test_a_comparison_on_too_few_questions_says_what_is_missing(stories, models, as_teacher: Client) -> None:
    candidate, champion = models
    ModelComparison.objects.create(
        candidate=candidate,
        champion=champion,
        figures={"suite": SUITE | {"questions": 7}, "metrics": [], "changed": []},
    )
    page = text_of(as_teacher.get(reverse("model_compare", args=[candidate.pk])))
    assert "7 held-out questions have an equation" in page
    assert "With fewer than 20, a difference cannot be told from chance" in page
    assert "there are 7, 20 are needed" in page


def test_pairs_show_one_graph_in_two_stories_and_no_problem_that_is_held_out(stories, as_admin: Client) -> None:
    address = reverse("model_graph_pairs")
    assert address in as_admin.get(reverse("model_train", args=["analogy"])).content.decode()
    response = as_admin.get(address)
    pairs = response.context["pairs"]
    assert len(pairs) == 3
    assert "3 computations are shared by several problems" in text_of(response)
    for pair in pairs:
        first, second = pair.computations
        assert first.key == second.key
        assert story_key(pair.first.text) != story_key(pair.second.text)
        assert pair.problems == Question.objects.filter(equation__graph_key=first.key).count()
        assert not any(is_held_out(question.text) for question in (pair.first, pair.second))
        assert pair.first.text[:20] in html.unescape(response.content.decode())
    keys = {key for pair in pairs for key in [pair.computations[0].key]}
    assert len(keys) == 3


def test_pairs_of_copies_and_an_empty_bank_are_explained(db, as_admin: Client) -> None:
    assert "No two problems share a computation yet" in text_of(as_admin.get(reverse("model_graph_pairs")))
    for pens in range(20, 40):
        write_question(f"Ann has {pens} pens and loses 3. How many has she?", equation=f"{pens}-3")
    page = text_of(as_admin.get(reverse("model_graph_pairs")))
    assert "1 computation is shared by several problems" in page
    assert "tell one story, or are held out" in page


def test_a_pair_is_of_one_language_and_texts_without_words_do_no_harm(db, as_admin: Client) -> None:
    texts = {
        "en": ["Ann has {} pens and loses 3. How many has she?", "A bus with {} seats loses 3. How many are left?"],
        "zh": ["小红有{}支铅笔，丢了3支，还剩多少支？", "一本书有{}页，看了3页，还剩多少页没看？"],
        "": ["□{} − 3 = ○?", "△{} − 3 = ?"],
    }
    for language, stories in texts.items():
        for number in range(20, 44):
            write_question(stories[number % 2].format(number), language=language or "en", equation=f"{number}-3")
    response = as_admin.get(reverse("model_graph_pairs"))
    pairs = response.context["pairs"]
    assert sorted(pair.first.language for pair in pairs) == ["en", "zh"]
    assert all(pair.first.language == pair.second.language for pair in pairs)
    assert "小红有" in response.content.decode()
