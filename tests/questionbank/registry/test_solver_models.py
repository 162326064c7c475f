"""The pages on which a solver is trained: one for each language."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from questionbank.models import ModelArtifact, ModelComparison, ModelEvent, Question, Run
from tests.questionbank.page_bank import text_of
from tests.questionbank.story_bank import add_problems

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]

TRAIN = reverse("model_train", args=["solver"])


def settings(client: Client, address: str = TRAIN) -> dict[str, object]:
    """What the untouched form sends."""
    form = client.get(address).context["form"]
    values = {field.name: field.value() for field in form if field.name != "hierarchies"}
    return {name: value for name, value in values.items() if value is not None and value is not False}


@pytest.fixture
def chinese_solver(db) -> ModelArtifact:
    return ModelArtifact.objects.create(
        capability="solver", scope="zh", name="zh", state="champion", location="zh",
        manifest={"config": {"epochs": 7}, "metrics": {}, "extra": {}},
    )  # fmt: skip


def test_problems_are_counted_by_language_and_the_language_is_chosen(as_admin: Client) -> None:
    made = add_problems(60)
    Question.objects.filter(pk__in=[question.pk for question in made[:20]]).update(language="zh")
    Question.objects.filter(pk=made[20].pk).update(language="de")
    page = text_of(as_admin.get(TRAIN))
    assert "Held out, with an equation Held out, with an answer only" in page
    assert "60 of 60 have an equation" in page
    assert "Near-duplicates of held-out or validation problems" in page
    assert re.search(r"English \d+ .* Chinese \d+", page)
    assert "1 problem is in a language that no solver can learn" in page
    response = as_admin.post(TRAIN, {**settings(as_admin), "language": "zh"})
    assert response.status_code == 302
    run = Run.objects.get(kind="train")
    assert run.parameters["language"] == "zh"
    assert run.parameters["set"]["backbone"] == "multilingual-e5-small"
    assert "Language Chinese" in text_of(as_admin.get(response.url))
    assert as_admin.post(TRAIN, {**settings(as_admin), "language": "de"}).status_code == 422


def test_training_like_a_chinese_solver_begins_with_its_language(as_admin: Client, chinese_solver) -> None:
    form = settings(as_admin, f"{TRAIN}?like={chinese_solver.pk}")
    assert (form["language"], form["epochs"]) == ("zh", 7)
    assert "language" not in settings(as_admin, f"{TRAIN}?defaults=1")


def test_the_pages_of_models_name_the_language(as_admin: Client, chinese_solver) -> None:
    assert f"zh (model {chinese_solver.pk}) Chinese" in text_of(as_admin.get(reverse("model_list")))
    assert "Chinese" in text_of(as_admin.get(reverse("model_detail", args=[chinese_solver.pk])))


def add_solver(name: str, state: str, accuracy: float) -> ModelArtifact:
    metrics = {"validation": {"validation_answer_accuracy": accuracy}}
    return ModelArtifact.objects.create(
        capability="solver", scope="en", name=name, state=state, location=name, manifest={"metrics": metrics}
    )


def test_figures_of_two_trainings_stand_side_by_side_only_where_they_were_measured_alike(as_admin: Client) -> None:
    champion, candidate = add_solver("served", "champion", 0.28), add_solver("new", "candidate", 1.0)
    page = text_of(as_admin.get(reverse("model_list")))
    assert "validation set" not in page  # nor beside those of another language, measured on other problems
    assert "28%" in text_of(as_admin.get(reverse("model_detail", args=[champion.pk])))
    for share in (0.5, 0.85):  # the last comparison counts
        metric = {"name": "answer_accuracy", "candidate": share, "champion": 0.8}
        ModelComparison.objects.create(
            candidate=candidate, champion=champion, figures={"suite": {}, "metrics": [metric]}
        )
    page = text_of(as_admin.get(reverse("model_list")))
    assert "28%" not in page
    assert "Candidate 85% correct on the bank’s held-out questions; the model in use 80%" in page
    ModelArtifact.objects.filter(pk=champion.pk).update(state="archived")  # the comparison is out of date
    page = text_of(as_admin.get(reverse("model_list")))
    assert "100%" not in page
    assert "85%" not in page


@pytest.mark.parametrize(("won", "missed"), [(0, 0), (3, 0), (3, 2)])
def test_a_comparison_counts_the_problems_that_one_solver_alone_solves_where_there_are_any(
    as_admin: Client, won: int, missed: int
) -> None:
    champion, candidate = add_solver("served", "champion", 0.3), add_solver("new", "candidate", 0.3)
    suite = {"questions": 40, "won": won, "lost": 0, "gained": 0, "missed": missed, "seed": 0}
    figures = {"suite": suite, "metrics": [], "changed_problems": []}
    ModelComparison.objects.create(candidate=candidate, champion=champion, figures=figures)
    page = text_of(as_admin.get(reverse("model_compare", args=[candidate.pk])))
    assert "40 word problems of the bank that are kept out of every training." in page
    assert ("This model solves 3 that the other one does not." in page) is (won > 0)
    assert ("The other one solves 2 that this model does not." in page) is (missed > 0)
    assert "solves 0" not in page


def test_a_comparison_counts_problems_with_an_equation_and_with_an_answer_only(as_admin: Client) -> None:
    champion, candidate = add_solver("served", "champion", 0.3), add_solver("new", "candidate", 0.3)
    question = add_problems(1)[0]
    suite = {
        "questions": 312, "with_equation": 280, "answer_only": 32, "won": 1, "lost": 0, "gained": 0, "missed": 0,
        "seed": 0,
    }  # fmt: skip
    changed = {
        "question": question.pk, "text": question.text, "equation": "", "answer": "24 pens", "is_won": True,
        "candidate": "6*4", "champion": "6+4",
    }  # fmt: skip
    figures = {"suite": suite, "metrics": [], "changed_problems": [changed]}
    comparison = ModelComparison.objects.create(candidate=candidate, champion=champion, figures=figures)
    address = reverse("model_compare", args=[candidate.pk])
    page = text_of(as_admin.get(address))
    assert "Of these, 280 have an equation, 32 have an answer only." in page
    assert f"Answer 24 pens {candidate.numbered_name} 6*4" in page
    suite |= {"questions": 280, "answer_only": 0}
    comparison.figures = {**figures, "changed_problems": [{**changed, "equation": "3*8"}]}
    comparison.save()
    page = text_of(as_admin.get(address))
    assert "an answer only" not in page
    assert f"Equation 3*8 {candidate.numbered_name} 6*4" in page


def test_each_language_is_rolled_back_on_its_own(as_admin: Client, chinese_solver) -> None:
    english = ModelArtifact.objects.create(
        capability="solver", scope="en", name="en-new", state="champion", location="en", manifest={}
    )
    former = ModelArtifact.objects.create(
        capability="solver", scope="en", name="en-old", state="archived", location="old", manifest={}
    )
    ModelEvent.objects.create(
        kind="promoted", capability="solver", scope="en", artifact=english, artifact_name="en-new", former=former
    )
    page = as_admin.get(reverse("model_list"))
    assert "Roll back (English)" in text_of(page)
    assert "Roll back (Chinese)" not in text_of(page)
    address = f"{reverse('model_roll_back', args=['solver'])}?scope=en"
    assert address in page.content.decode()
    assert as_admin.post(address, {"reason": "A trial.", "scope": "en"}).status_code == 302
    former.refresh_from_db()
    chinese_solver.refresh_from_db()
    assert former.state == chinese_solver.state == "champion"


def test_the_form_begins_with_the_solver_in_use_and_the_plain_encoder_stays_a_choice(
    as_admin: Client, chinese_solver
) -> None:
    for address in (TRAIN, f"{TRAIN}?quick=1"):
        form = settings(as_admin, address)
        assert (form["language"], form["backbone"], form["epochs"]) == ("zh", "in use", 5)
    page = as_admin.get(TRAIN)
    assert "fine-tune the solver in use" in text_of(page)
    assert 'href="?defaults=1"' in page.content.decode()
    plain = settings(as_admin, f"{TRAIN}?defaults=1")
    assert (plain["backbone"], plain["epochs"]) == ("all-MiniLM-L6-v2", 50)
    as_admin.post(TRAIN, settings(as_admin))
    further = Run.objects.get(kind="train")
    assert further.parameters["start"] == chinese_solver.pk
    assert (further.parameters["set"]["backbone"], further.parameters["set"]["epochs"]) == (
        f"model {chinese_solver.pk}",
        "5",
    )
    further.delete()
    as_admin.post(TRAIN, {**plain, "language": "en"})
    assert Run.objects.get(kind="train").parameters["set"] == {"backbone": "all-MiniLM-L6-v2"}


def test_a_language_without_a_solver_in_use_asks_for_another_backbone(as_admin: Client, chinese_solver) -> None:
    response = as_admin.post(TRAIN, {**settings(as_admin), "language": "en"})
    assert response.status_code == 422
    assert "no model is in use that could be trained further; name another backbone" in text_of(response)


def test_training_like_a_model_whose_backbone_is_unknown_here_begins_with_the_model(
    as_admin: Client, chinese_solver
) -> None:
    chinese_solver.manifest["config"]["backbone"] = "second"  # a folder of where the starter was trained
    chinese_solver.save()
    form = settings(as_admin, f"{TRAIN}?like={chinese_solver.pk}")
    assert (form["backbone"], form["epochs"]) == (f"model {chinese_solver.pk}", 7)
    assert as_admin.post(TRAIN, form).status_code == 302


def test_a_job_of_an_earlier_version_learned_from_english(as_admin: Client) -> None:
    run = Run.objects.create(kind="train", capability="solver", parameters={"set": {}}, title="Train the solver")
    assert "Language English" in text_of(as_admin.get(reverse("run_detail", args=[run.pk])))
