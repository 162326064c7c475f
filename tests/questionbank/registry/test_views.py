"""Models: looking at them, and training, comparing, promoting, rolling back and deleting them as an admin."""

from __future__ import annotations

import re

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.urls import reverse

from analytics.configuration import field_specs
from analytics.encoder.config import EncoderConfig
from analytics.paraphrase.config import ParaphraseConfig
from questionbank.capabilities.encoder import EncoderInBank
from questionbank.jobs.run_services import run_create, run_metrics, run_start, run_succeed
from questionbank.models import EmbeddingSet, ModelArtifact, ModelComparison, ModelEvent, ParaphrasePair, Run
from questionbank.registry.artifact_selectors import INSTALLED
from questionbank.registry.artifact_services import artifact_promote, model_event_create
from questionbank.training.start import MODEL_IN_USE
from questionbank.training.views import training_report
from tests.factories import asked_of
from tests.questionbank.page_bank import text_of

WORSE = {
    "name": "difficulty_mae", "label": "Error of the difficulty (MAE)", "higher_is_better": False,
    "questions": 40, "candidate": 0.25, "champion": 0.2, "difference": 0.05, "low": 0.02, "high": 0.08,
    "worse": True,
}  # fmt: skip
BETTER = {
    "name": "precision_at_10_level_2", "label": "Precision at 10, level 2", "higher_is_better": True,
    "questions": 60, "candidate": 0.61, "champion": 0.52, "difference": 0.09, "low": 0.03, "high": 0.15,
    "worse": False,
}  # fmt: skip
SUITE = {
    "questions": 60, "train_questions": 500, "left_out": 0, "lost": 0, "gained": 0, "difficulties": 40,
    "seed": 0,
}  # fmt: skip


def register(name: str, state: str = "candidate", **fields) -> ModelArtifact:
    values = {
        "capability": "encoder", "checksum": name.ljust(64, "0"), "location": f"encoder/{name}",
        "manifest": {
            "config": {"epochs": 7, "batch_size": 32}, "metrics": {"loss": 2.5}, "seed": 42,
            "license_note": "trained on the questions of this bank",
            "extra": {"command": "python manage.py train encoder --set epochs=7", "questions": 500},
        },
    }  # fmt: skip
    return ModelArtifact.objects.create(name=name, state=state, **values | fields)


@pytest.fixture
def champion(db) -> ModelArtifact:
    return register("the-champion", "champion")


@pytest.fixture
def candidate(champion) -> ModelArtifact:
    return register("the-candidate", parent=champion)


def compare(candidate, champion, *, metrics=(BETTER,), changed=(), **suite) -> ModelComparison:
    figures = {"suite": SUITE | suite, "metrics": list(metrics), "changed": list(changed)}
    return ModelComparison.objects.create(candidate=candidate, champion=champion, figures=figures)


def test_without_models_the_list_says_so(as_teacher) -> None:
    page = text_of(as_teacher.get(reverse("model_list")))
    assert "Question encoder" in page
    assert "No model of this kind is in use yet." in page


def test_everybody_sees_what_serves_what_waits_and_what_was(candidate, as_teacher) -> None:
    register("an-old-one", "archived")
    model_event_create(kind=ModelEvent.Kind.REGISTERED, artifact=candidate, reason="Tried more epochs.")
    page = text_of(as_teacher.get(reverse("model_list")))
    for expected in ("the-champion", "the-candidate", "1 archived model", "an-old-one", "Tried more epochs."):
        assert expected in page
    assert "Retrain" not in page


def test_an_admin_finds_the_button_to_retrain_and_models_marked_in_the_menu(as_admin) -> None:
    page = as_admin.get(reverse("model_list")).content.decode()
    assert reverse("model_train", args=["encoder"]) in page
    assert f'href="{reverse("model_list")}" aria-current="page"' in page


def test_what_is_under_way_is_named_with_a_link_to_it(candidate, as_teacher) -> None:
    run = run_create(
        kind=Run.Kind.EVALUATE, capability="encoder", title="Compare them", send=False,
        parameters={"candidate": candidate.pk, "champion": candidate.parent_id},
    )  # fmt: skip
    for address in (
        reverse("model_list"),
        reverse("model_detail", args=[candidate.pk]),
        reverse("model_compare", args=[candidate.pk]),
    ):
        page = as_teacher.get(address).content.decode()
        assert f'<a href="{reverse("run_detail", args=[run.pk])}">Compare them</a>' in page


def test_a_model_shows_settings_figures_origin_and_curves(candidate, champion, as_teacher) -> None:
    run = run_create(kind=Run.Kind.TRAIN, capability="encoder", title="Train", send=False)
    held = run_start(run_id=run.pk, worker="test worker")
    for step in (10, 20):
        run_metrics(run=held, step=step, metrics={"loss": 3 - step / 10, "loss_rank_0": 1.0})
    run_succeed(run=held, result={"model": candidate.pk})
    response = as_teacher.get(reverse("model_detail", args=[candidate.pk]))
    page = text_of(response)
    assert "epochs 7 not the default" in page
    assert "batch_size 32 number of questions per batch" in page
    assert "python manage.py train encoder --set epochs=7" in page
    assert "trained on the questions of this bank" in page
    assert "Loss 2.5" in page
    assert "Loss by rank" in page
    assert reverse("run_detail", args=[run.pk]) in response.content.decode()
    assert reverse("model_detail", args=[champion.pk]) in response.content.decode()
    assert "Promote" not in page
    assert "Delete" not in page


def test_a_starter_names_the_document_with_its_recipe_instead_of_its_last_command(champion, as_teacher) -> None:
    address = reverse("model_detail", args=[champion.pk])
    assert "Command to reproduce it" in text_of(as_teacher.get(address))
    model_event_create(kind=ModelEvent.Kind.PROMOTED, artifact=champion, reason=INSTALLED)
    page = text_of(as_teacher.get(address))
    assert "docs/results.md says how it was trained" in page
    assert "Command to reproduce it" not in page
    assert "--set epochs=7" not in page


def test_a_model_of_another_time_without_a_manifest_still_has_a_page(db, as_admin) -> None:
    artifact = register("bare", manifest={}, capability="gone", created_by=None)
    assert as_admin.get(reverse("model_detail", args=[artifact.pk])).status_code == 200


def test_a_model_that_is_not_there_is_a_404(as_admin) -> None:
    for name in ("model_detail", "model_compare", "model_promote", "model_delete"):
        assert as_admin.get(reverse(name, args=[4711])).status_code == 404
    for name in ("model_train", "model_roll_back", "model_history"):
        assert as_admin.get(reverse(name, args=["nothing"])).status_code == 404


# comparing


def test_a_candidate_that_was_not_compared_can_be(candidate, champion, as_admin) -> None:
    address = reverse("model_compare", args=[candidate.pk])
    assert "Not compared yet" in text_of(as_admin.get(address))
    response = as_admin.post(address)
    run = Run.objects.get(kind=Run.Kind.EVALUATE)
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert run.parameters == {"candidate": candidate.pk, "champion": champion.pk}
    assert "under way already" in text_of(as_admin.post(address, follow=True))
    assert Run.objects.count() == 1


def test_a_teacher_looks_at_a_comparison_and_cannot_ask_for_one(candidate, champion, as_teacher) -> None:
    compare(candidate, champion)
    address = reverse("model_compare", args=[candidate.pk])
    assert as_teacher.get(address).status_code == 200
    assert as_teacher.post(address).status_code == 403
    assert not Run.objects.exists()


def test_a_comparison_shows_figures_intervals_and_the_verdict(candidate, champion, as_teacher) -> None:
    compare(candidate, champion, metrics=[BETTER, WORSE], lost=3)
    response = as_teacher.get(reverse("model_compare", args=[candidate.pk]))
    page = text_of(response)
    assert "It does not pass the gate." in page
    suite = "the bank’s held-out questions"
    better = f"Precision at 10, level 2 on {suite} 60 questions better 0.610 0.520 0.090 0.030 to 0.150"
    worse = f"Error of the difficulty (MAE) on {suite} 40 questions; lower is better worse 0.250 0.200 0.050"
    assert better in page
    assert f"{worse} 0.020 to 0.080" in page
    assert "3 can only be read by the other model." in page
    points = re.findall(r'interval-point" cx="([\d.]+)%"', response.content.decode())
    assert [float(point) > 50 for point in points] == [True, False]  # less error would lie on the right


def test_a_comparison_lists_whose_neighbours_changed(candidate, champion, bank, as_teacher) -> None:
    first, second, third, *_rest = bank.questions
    changed = [
        {"question": first.pk, "overlap": 0.5, "candidate": [second.pk, third.pk], "champion": [third.pk]},
        {"question": 4711, "overlap": 0.0, "candidate": [second.pk], "champion": [4712]},
    ]
    compare(candidate, champion, changed=changed)
    response = as_teacher.get(reverse("model_compare", args=[candidate.pk]))
    page = response.content.decode()
    assert page.count(reverse("question_detail", args=[second.pk])) == 1
    assert page.count(reverse("question_detail", args=[third.pk])) == 2
    assert text_of(response).count("by both") == 2
    assert "50% stay" in text_of(response)
    assert "4711" not in page


def test_a_comparison_with_a_former_champion_is_said_to_be_one(candidate, champion, as_teacher) -> None:
    compare(candidate, champion)
    artifact_promote(artifact=register("the-next"))
    page = text_of(as_teacher.get(reverse("model_compare", args=[candidate.pk])))
    assert "compared with a model that served earlier" in page


# promoting


def test_a_candidate_that_passes_is_promoted_with_a_reason(candidate, champion, as_admin, admin_person) -> None:
    compare(candidate, champion)
    address = reverse("model_promote", args=[candidate.pk])
    response = as_admin.get(address)
    assert "It passes the gate." in text_of(response)
    assert 'name="override"' not in response.content.decode()
    response = as_admin.post(address, {"reason": "Better at level 2."})
    run = Run.objects.get(kind=Run.Kind.PROMOTE)
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert (run.parameters["reason"], run.parameters["override"]) == ("Better at level 2.", False)
    assert run.requested_by == admin_person
    page = as_admin.get(response["Location"])
    assert "Nothing changes until the job has finished." in text_of(page)
    assert not list(page.context["messages"])  # the live part alone says how the job is doing
    run_succeed(run=run_start(run_id=run.pk, worker="test worker"))
    assert "Nothing changes until" not in text_of(as_admin.get(response["Location"]))
    Run.objects.filter(pk=run.pk).update(state=Run.State.QUEUED)
    assert "Promote the-candidate" in text_of(as_admin.get(reverse("model_detail", args=[candidate.pk])))


def test_a_promotion_needs_a_reason(candidate, champion, as_admin) -> None:
    compare(candidate, champion)
    response = as_admin.post(reverse("model_promote", args=[candidate.pk]), {"reason": "  "})
    assert response.status_code == 422
    assert "Give a reason." in text_of(response)
    assert not Run.objects.exists()


def test_a_refused_promotion_says_why_and_can_be_overridden(candidate, champion, as_admin) -> None:
    compare(candidate, champion, metrics=[WORSE])
    address = reverse("model_promote", args=[candidate.pk])
    page = as_admin.get(address)
    assert "Error of the difficulty (MAE) is worse: 0.250 against 0.200" in text_of(page)
    assert 'name="override"' in page.content.decode()
    refused = as_admin.post(address, {"reason": "It is newer."})
    assert refused.status_code == 409
    assert "The model cannot be promoted" in text_of(refused)
    assert "It is newer." in refused.content.decode()
    assert not Run.objects.exists()
    as_admin.post(address, {"reason": "It is newer.", "override": "on"})
    assert Run.objects.get(kind=Run.Kind.PROMOTE).parameters["override"] is True


def test_without_a_comparison_the_gate_refuses(candidate, as_admin) -> None:
    page = text_of(as_admin.get(reverse("model_promote", args=[candidate.pk])))
    assert "It has not been compared with the model in use yet." in page
    assert "Compare it with the model in use first" in page


# rolling back and deleting


def test_rolling_back_brings_the_former_champion_back(candidate, champion, as_admin) -> None:
    for artifact, state in ((champion, "ready"), (candidate, "ready")):
        EmbeddingSet.objects.create(
            lens="purpose", artifact=artifact, encoder_name=artifact.name, dimension=4, state=state,
            is_current=artifact == champion,
        )  # fmt: skip
    address = reverse("model_roll_back", args=["encoder"])
    assert "There is no former model to go back to" in text_of(as_admin.get(address))
    assert as_admin.post(address, {"reason": "Try."}).status_code == 409
    EmbeddingSet.objects.update(is_current=False)
    EmbeddingSet.objects.filter(artifact=candidate).update(is_current=True)
    artifact_promote(artifact=candidate, reason="Better.")
    assert address in as_admin.get(reverse("model_list")).content.decode()
    assert f"Roll back to the-champion (model {champion.pk})?" in text_of(as_admin.get(address))
    assert as_admin.post(address, {"reason": ""}).status_code == 422
    response = as_admin.post(address, {"reason": "Teachers complained."}, follow=True)
    assert "“the-champion” is in use again." in text_of(response)
    champion.refresh_from_db()
    assert champion.state == ModelArtifact.State.CHAMPION
    assert "Teachers complained." in text_of(as_admin.get(reverse("model_history", args=["encoder"])))


def test_a_scope_that_no_hierarchy_can_have_has_no_former_model(candidate, as_admin) -> None:
    for scope in ("Nowhere", "Now\0here", "x" * 5000):
        response = as_admin.post(reverse("model_roll_back", args=["probes"]), {"scope": scope, "reason": "Back"})
        assert response.status_code == 409
        assert "There is no former model to go back to." in text_of(response)


def test_a_model_in_use_is_neither_promoted_nor_deleted(champion, as_admin) -> None:
    for address, sentence in (
        ("model_promote", "It is in use already."),
        ("model_delete", "It is in use and cannot be deleted."),
    ):
        response = as_admin.get(reverse(address, args=[champion.pk]))
        assert sentence in text_of(response)
        assert 'name="reason"' not in response.content.decode()
    response = as_admin.post(reverse("model_delete", args=[champion.pk]))
    assert response.status_code == 409
    assert "The model in use cannot be deleted" in text_of(response)
    assert ModelArtifact.objects.filter(pk=champion.pk).exists()


def test_a_candidate_is_deleted_with_its_files_and_leaves_its_history(candidate, as_admin) -> None:
    storages["artifacts"].save(f"{candidate.location}/manifest.json", ContentFile(b"{}"))
    address = reverse("model_delete", args=[candidate.pk])
    assert f"Delete the-candidate (model {candidate.pk})?" in text_of(as_admin.get(address))
    page = text_of(as_admin.post(address, {"reason": "Not needed."}, follow=True))
    assert "“the-candidate” is deleted." in page
    assert not ModelArtifact.objects.filter(pk=candidate.pk).exists()
    assert not storages["artifacts"].exists(f"{candidate.location}/manifest.json")
    event = ModelEvent.objects.get(kind=ModelEvent.Kind.DELETED)
    assert (event.artifact_name, event.reason) == ("the-candidate", "Not needed.")


@pytest.mark.parametrize("name", ["model_promote", "model_delete"])
def test_a_teacher_changes_nothing(name, candidate, as_teacher) -> None:
    assert as_teacher.post(reverse(name, args=[candidate.pk]), {"reason": "Mine."}).status_code == 403
    assert ModelArtifact.objects.filter(pk=candidate.pk).exists()
    assert not Run.objects.exists()


def test_the_history_of_nothing_says_so(as_teacher) -> None:
    assert "Nothing has happened yet" in text_of(as_teacher.get(reverse("model_history", args=["encoder"])))


# training


def defaults() -> dict[str, str]:
    """What a browser sends of the untouched form."""
    sent = {spec.name: str(spec.default) for spec in field_specs(EncoderConfig) if spec.type is not bool}
    return sent | {spec.name: "on" for spec in field_specs(EncoderConfig) if spec.type is bool and spec.default}


TRAIN = "/models/train/encoder/"


def test_the_form_has_every_setting_with_default_bounds_and_help(bank, as_admin) -> None:
    page = as_admin.get(TRAIN).content.decode()
    for spec in field_specs(EncoderConfig):
        assert f'name="{spec.name}"' in page, spec.name
    field = re.search(r'<input[^>]*name="epochs"[^>]*>', page)[0]
    for attribute in ('value="5"', 'min="1"', 'max="1000"', 'type="number"'):
        assert attribute in field
    assert "Number of passes over the training questions (1 – 1,000)" in page
    assert re.search(r'<option value="khar" selected>', page)


def test_the_report_stands_above_the_form(bank, as_admin) -> None:
    page = text_of(as_admin.get(TRAIN))
    assert "What it learns from All ready questions of the bank." in page
    assert "With fewer than 1000 training questions an encoder learns very little." in page
    assert page.index("What it learns from") < page.index("Start the training Cancel")


def test_an_empty_bank_has_a_form_too(db, as_admin) -> None:
    assert as_admin.get(TRAIN).status_code == 200


def test_the_untouched_form_asks_for_the_defaults(bank, as_admin, admin_person) -> None:
    response = as_admin.post(TRAIN, defaults())
    assert not list(as_admin.get(response["Location"]).context["messages"])
    run = Run.objects.get(kind=Run.Kind.TRAIN)
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert asked_of(run) == {"set": {}}
    assert (run.queue, run.requested_by) == ("train", admin_person)


def test_only_what_was_changed_is_asked_for(bank, as_admin) -> None:
    sent = defaults() | {"epochs": "2", "learning_rate": "0.0002", "hierarchies": ["School"]}
    del sent["augment_words"]  # a box that is not ticked is not sent
    as_admin.post(TRAIN, sent)
    assert asked_of(Run.objects.get(kind=Run.Kind.TRAIN)) == {
        "set": {"epochs": "2", "learning_rate": "0.0002", "augment_words": "False"},
        "hierarchies": ["School"],
    }


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"epochs": "0"}, "Enter a number from 1 to "),
        ({"batch_size": "many"}, "Enter a whole number."),
        ({"temperatures": "0.1, 0.2"}, "Temperatures by rank must be 5 positive numbers"),
        ({"temperatures": "0.1, 0.1, nan, 0.3, inf"}, "Temperatures by rank must be 5 positive numbers"),
        ({"seed": "9" * 30}, " to 2,147,483,647."),
        ({"adapter_rank": "8", "objective": "masked-language"}, "Adapter rank must be 0"),
        ({"hierarchies": ["Nowhere"]}, "Nowhere is not one of the available choices"),
        ({"device": "gpuu"}, "Device cannot be 'gpuu'; it is auto, cpu or cuda"),
        ({"backbone": "/no/such/folder"}, "There is no folder /no/such/folder."),
        ({"backbone": "nonsense"}, "is neither a package name, a local folder nor a hub id"),
    ],
)
def test_a_wrong_setting_is_named_beside_its_field(bank, as_admin, wrong, problem) -> None:
    response = as_admin.post(TRAIN, defaults() | wrong)
    assert response.status_code == 422
    assert text_of(response).count(problem) == 2  # in the summary, and beside the field
    assert not Run.objects.exists()


def test_looking_at_other_questions_keeps_what_was_entered_and_starts_nothing(bank, as_admin) -> None:
    response = as_admin.post(TRAIN, defaults() | {"epochs": "9", "hierarchies": ["School"], "action": "report"})
    assert response.status_code == 200
    assert "Questions tagged in School." in text_of(response)
    assert re.search(r'<input[^>]*name="epochs" value="9"', response.content.decode())
    assert not Run.objects.exists()


def test_a_second_training_is_refused_and_the_first_is_named(bank, as_admin) -> None:
    as_admin.post(TRAIN, defaults())
    response = as_admin.post(TRAIN, defaults())
    assert response.status_code == 409
    assert "is being trained already" in text_of(response)
    assert reverse("run_detail", args=[Run.objects.get().pk]) in response.content.decode()


def test_the_form_can_begin_with_the_settings_of_a_model(bank, champion, as_admin) -> None:
    address = reverse("model_train", args=["encoder"])
    page = as_admin.get(address).content.decode()
    assert f"?like={champion.pk}" in page
    assert field_value(page, "epochs") == str(EncoderConfig().epochs)
    like = as_admin.get(f"{address}?like={champion.pk}").content.decode()
    assert (field_value(like, "epochs"), field_value(like, "momentum")) == ("7", "0.999")
    for odd in ("", "x", "999999", "9" * 400, "-1"):
        assert field_value(as_admin.get(address, {"like": odd}).content.decode(), "epochs") == "5"


def test_the_settings_of_a_last_layer_are_those_of_the_whole_training(bank, champion, as_admin) -> None:
    """Its backbone may be a folder of another machine; what it began with was trained with settings of its own."""
    first = {"backbone": "all-MiniLM-L6-v2", "objective": "contrast", "epochs": 3}
    layer = {"backbone": "some/where", "objective": "last-layer", "metric_steps": 100, "epochs": 5}
    for begun_with, backbone, epochs in ((first, "all-MiniLM-L6-v2", "3"), (layer, MODEL_IN_USE, "5")):
        champion.manifest |= {"config": layer, "extra": {"begun_with": {"config": begun_with}}}
        champion.save()
        like = as_admin.get(f"{TRAIN}?like={champion.pk}").content.decode()
        assert field_value(like, "backbone") == backbone
        assert (field_value(like, "epochs"), field_value(like, "metric_steps")) == (epochs, "100")


def test_the_quick_training_is_offered_behind_a_model_without_settings_too(bank, champion, as_admin) -> None:
    champion.manifest |= {"config": {}}
    champion.save()
    page = as_admin.get(TRAIN).content.decode()
    assert "?quick=1" in page
    assert "?like=" not in page
    assert "These settings are for quick training" in as_admin.get(f"{TRAIN}?quick=1").content.decode()


def test_the_form_can_begin_with_the_quick_training_where_an_encoder_is_in_use(bank, as_admin, request) -> None:
    assert "?quick=1" not in as_admin.get(TRAIN).content.decode()
    assert field_value(as_admin.get(f"{TRAIN}?quick=1").content.decode(), "backbone") == "all-MiniLM-L6-v2"
    champion = request.getfixturevalue("champion")
    assert "?quick=1" in as_admin.get(TRAIN).content.decode()
    quick = as_admin.get(f"{TRAIN}?quick=1").content.decode()
    assert "“in use”: the encoder in use now" in quick
    assert (field_value(quick, "backbone"), field_value(quick, "metric_steps")) == (MODEL_IN_USE, "30")
    as_admin.post(TRAIN, defaults() | {name: str(value) for name, value in EncoderInBank.quick.settings.items()})
    asked = Run.objects.get(kind=Run.Kind.TRAIN).parameters
    assert asked["set"] == {"backbone": f"model {champion.pk}", "objective": "last-layer", "metric_steps": "30"}
    assert asked["start"] == request.getfixturevalue("champion").pk


# scorers of paraphrases

TRAIN_SCORER = "/models/train/paraphrase/"


def scorer_defaults(**changed: str) -> dict[str, str]:
    specs = field_specs(ParaphraseConfig)
    sent = {spec.name: str(spec.default) for spec in specs if spec.type is not bool}
    ticked = {spec.name: "on" for spec in specs if spec.type is bool and spec.default}
    return sent | ticked | {"decisions": "on"} | changed


@pytest.fixture
def decided(db) -> None:
    for outcome, count in (("accept", 3), ("reject", 2), ("edit", 1)):
        for number in range(count):
            ParaphrasePair.objects.create(
                original=f"Ann has {number} pens. How many?", paraphrase=f"{outcome} {number}", source="typed",
                state="decided", outcome=outcome, outcome_text="Better." if outcome == "edit" else "",
            )  # fmt: skip


def test_an_admin_retrains_the_scorer_from_a_form_with_report_and_decisions(
    bank, decided, as_admin, admin_person
) -> None:
    assert "Retrain paraphrase scorer" in text_of(as_admin.get(reverse("model_list")))
    response = as_admin.get(TRAIN_SCORER)
    page = text_of(response)
    for spec in field_specs(ParaphraseConfig):
        assert f'name="{spec.name}"' in response.content.decode(), spec.name
    assert "6 decided pairs: 3 accepted, 2 rejected, 1 accepted with changes." in page
    assert re.search(r'<input[^>]*name="decisions"[^>]*checked', response.content.decode())
    assert "of 6 are in English" in page
    assert "held out for comparison" in page
    response = as_admin.post(TRAIN_SCORER, scorer_defaults(epochs="2"))
    run = Run.objects.get(kind=Run.Kind.TRAIN)
    assert response["Location"] == reverse("run_detail", args=[run.pk])
    assert (run.capability, run.queue, run.requested_by) == ("paraphrase", "train", admin_person)
    assert asked_of(run) == {"set": {"epochs": "2"}, "decisions": True}
    assert "learned from as well" in text_of(as_admin.get(response["Location"]))


def test_decisions_can_be_left_out_and_wrong_settings_are_named(bank, decided, as_admin) -> None:
    sent = scorer_defaults(without="nothing_of_ours")
    response = as_admin.post(TRAIN_SCORER, sent)
    assert response.status_code == 422
    assert "There is no operator nothing_of_ours" in text_of(response)
    sent = scorer_defaults(hierarchies="School")
    del sent["decisions"]
    look = as_admin.post(TRAIN_SCORER, sent | {"action": "report"})
    assert "Questions tagged in School." in text_of(look)
    assert not re.search(r'<input[^>]*name="decisions"[^>]*checked', look.content.decode())
    as_admin.post(TRAIN_SCORER, sent)
    assert asked_of(Run.objects.get()) == {"set": {}, "hierarchies": ["School"], "decisions": False}


def test_an_empty_bank_has_a_form_for_the_scorer_too(db, as_admin) -> None:
    page = text_of(as_admin.get(TRAIN_SCORER))
    assert "0 decided pairs" in page
    assert "No question is held out" in page


def test_a_comparison_of_scorers_shows_figures_and_the_pairs_whose_score_changes(as_admin) -> None:
    old = register("old-scorer", "champion", capability="paraphrase")
    new = register("new-scorer", capability="paraphrase")
    auc = BETTER | {"name": "verdict_auc_demo", "label": "ROC AUC", "measure": "verdict", "suite": "demo"}
    gap = BETTER | {
        "name": "score_separation_decided", "label": "Separation", "measure": "score", "suite": "decided",
        "worse": True, "decides": False,
    }  # fmt: skip
    pair = {
        "original": "Ann has <b>3</b> pens.", "paraphrase": "Ann has some pens.", "label": 0, "suite": "made",
        "candidate": 0.31, "champion": 0.92,
    }  # fmt: skip
    figures = {
        "suite": {
            "questions": 40, "pairs": 90, "left_out": 3, "lost": 0, "gained": 0, "seed": 0,
            "suites": [{"name": "demo", "pairs": 32, "questions": 23}],
        },
        "metrics": [auc, gap], "changed_pairs": [pair],
    }  # fmt: skip
    ModelComparison.objects.create(candidate=new, champion=old, figures=figures)
    response = as_admin.get(reverse("model_compare", args=[new.pk]))
    page = text_of(response)
    assert "It passes the gate." in page
    assert "Separation is worse" in page
    assert "90 labelled pairs of 40 questions" in page
    assert "the demo’s hand-written pairs: 32 pairs of 23 questions" in page
    assert "3 labelled pairs are left out" in page
    assert "ROC AUC of the verdict on the demo’s hand-written pairs" in page
    folded = response.content.decode().partition("<summary>The score")[2].partition("</details>")[0]
    assert "Separation of the score on reviewers’ decisions" in folded
    assert "ROC AUC of the verdict" not in folded
    assert "Pairs whose verdict changes most" in page
    assert "Questions whose neighbours" not in page
    assert "<b>3</b>" not in response.content.decode()
    assert "Probability that it is valid: 31% instead of 92%" in page
    assert "decided ones keep their score" in text_of(as_admin.get(reverse("model_promote", args=[new.pk])))


def test_a_comparison_of_an_earlier_version_must_be_measured_again(as_admin) -> None:
    """It measured no verdict, and may have let a scorer pass whose macro F1 had fallen."""
    old = register("old-scorer", "champion", capability="paraphrase")
    new = register("new-scorer", capability="paraphrase")
    figures = {
        "suite": {"questions": 40, "pairs": 90, "decided": 10, "lost": 0, "gained": 0, "seed": 0},
        "metrics": [BETTER | {"name": "auc_made", "label": "ROC AUC, operators' pairs", "decides": True}],
        "changed_pairs": [{"original": "a", "paraphrase": "b", "kind": "made", "candidate": 1, "champion": 0}],
    }  # fmt: skip
    ModelComparison.objects.create(candidate=new, champion=old, figures=figures)
    page = text_of(as_admin.get(reverse("model_compare", args=[new.pk])))
    assert "It does not pass the gate." in page
    assert "Measure again" in page


def test_a_candidate_that_is_not_better_says_so_and_needs_an_override(candidate, champion, as_admin) -> None:
    equal = BETTER | {"low": -0.01, "high": 0.02}
    compare(candidate, champion, metrics=[equal])
    page = text_of(as_admin.get(reverse("model_compare", args=[candidate.pk])))
    assert "It is not better than the model in use, so" in page
    assert "It passes the gate." not in page
    address = reverse("model_promote", args=[candidate.pk])
    refused = as_admin.post(address, {"reason": "Smaller."})
    assert refused.status_code == 409
    assert "not better than the one in use" in text_of(refused)
    as_admin.post(address, {"reason": "Smaller.", "override": "on"})
    assert Run.objects.get(kind=Run.Kind.PROMOTE).parameters["override"] is True


def test_a_champion_is_never_said_to_fail_against_itself(candidate, champion, as_admin) -> None:
    compare(candidate, champion, metrics=[BETTER | {"low": -0.01, "high": 0.02}])
    ModelArtifact.objects.filter(pk=champion.pk).update(state=ModelArtifact.State.ARCHIVED)
    ModelArtifact.objects.filter(pk=candidate.pk).update(state=ModelArtifact.State.CHAMPION)
    page = text_of(as_admin.get(reverse("model_compare", args=[candidate.pk])))
    assert f"{candidate.numbered_name} is in use. It was compared with a model that served earlier," in page
    assert "This model is in use, although it is not better than the other model." in page
    assert f"significantly better or worse than {champion.numbered_name}." in page
    assert "the model in use, so it does not pass" not in page


def test_a_training_form_names_the_bounds_of_a_number(bank, as_admin) -> None:
    address = reverse("model_train", args=["probes"])
    response = as_admin.post(address, {"hierarchies": "Number theory", "test_share": "3"})
    assert response.status_code == 422
    assert "Enter a number from 0.05 to 0.5." in text_of(response)


def test_the_first_scorer_is_promoted_with_a_plain_statement(as_admin) -> None:
    first = register("first-scorer", capability="paraphrase")
    page = text_of(as_admin.get(reverse("model_promote", args=[first.pk])))
    assert "No model of this kind is in use, so there is nothing to compare it with." in page
    assert "Compare it with the model in use first" not in page
    as_admin.post(reverse("model_promote", args=[first.pk]), {"reason": "The first one."})
    assert Run.objects.get(kind=Run.Kind.PROMOTE).parameters["override"] is False


def test_a_language_s_first_model_takes_over_from_the_general_one(as_admin) -> None:
    general = register("general", "champion", capability="analogy")
    chinese = register("chinese", capability="analogy", scope="zh")
    page = text_of(as_admin.get(reverse("model_promote", args=[chinese.pk])))
    serves = f"The general model, general (model {general.pk}), serves Chinese now."
    assert f"{serves} This model takes over for Chinese" in page
    assert "Not compared" in page
    assert "The general model serves Chinese now. A model for one language is compared only with" in page
    assert "No model of this kind is in use" not in page
    assert "It passes the gate." not in page
    assert serves in text_of(as_admin.get(reverse("model_compare", args=[chinese.pk])))


def test_a_scorer_is_rolled_back_at_once(as_admin) -> None:
    old = register("old-scorer", "champion", capability="paraphrase")
    artifact_promote(artifact=register("new-scorer", capability="paraphrase"))
    address = reverse("model_roll_back", args=["paraphrase"])
    page = text_of(as_admin.get(address))
    assert f"Roll back to old-scorer (model {old.pk})?" in page
    assert "vectors" not in page
    response = as_admin.post(address, {"reason": "Reviewers complained."}, follow=True)
    assert "“old-scorer” is in use again." in text_of(response)


def field_value(page: str, name: str) -> str:
    input_tag = re.search(rf'<input[^>]*name="{name}"[^>]*>', page)
    assert input_tag, name
    value = re.search(r'value="([^"]*)"', input_tag[0])
    return value[1] if value else ""


def test_a_large_bank_s_training_data_are_counted_by_a_job(as_admin, bank, monkeypatch) -> None:
    monkeypatch.setattr("questionbank.training.views.COUNTED_AT_ONCE", 1)
    cache.clear()
    page, part = reverse("model_train", args=["encoder"]), reverse("model_training_report", args=["encoder"])
    for _ in range(2):  # who looks again waits for the same count
        assert "The questions are being counted" in as_admin.get(page).content.decode()
    run = Run.objects.get(kind=Run.Kind.REPORT)
    assert (run.capability, run.queue, run.parameters) == ("encoder", "light", {"hierarchies": []})
    assert 'hx-trigger="every 2s"' in as_admin.get(part).content.decode()

    training_report("encoder")(hierarchies=None)  # as the job does
    assert "What it learns from" in as_admin.get(part).content.decode()
    assert "What it learns from" in as_admin.get(page).content.decode()
    assert Run.objects.filter(kind=Run.Kind.REPORT).count() == 1
