"""Promotion and roll back of real (tiny) encoders: what serves always belongs together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from questionbank.bank.question_services import question_update
from questionbank.bank.vector_selectors import embedding_count_pending, embedding_index_exists
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.core import task_queue
from questionbank.core.errors import Conflict, NotAllowed, ValidationFailed
from questionbank.jobs import run_services as runs
from questionbank.models import (
    EmbeddingSet,
    ModelArtifact,
    ModelComparison,
    ModelEvent,
    Question,
    QuestionEmbedding,
    Run,
)
from questionbank.registry import lifecycle_services as promotion_service
from questionbank.registry import model_selectors as models
from questionbank.registry.artifact_services import artifact_delete, artifact_promote, artifact_register
from questionbank.registry.lifecycle_services import comparison_request, model_roll_back, model_swap, promotion_request
from questionbank.registry.model_selectors import model_events, models_by_capability, roll_back_target
from questionbank.registry.serving import serving
from tests.questionbank.small_bank import add_set
from tests.worker.encoder_bank import HIERARCHY, add_encoder_bank, tiny_encoder
from tests.worker.jobs import Killed, done
from worker import comparison as promotion_job
from worker.embedding import embed_pending
from worker.probes import jobs
from worker.reporting import run_here
from worker.table import TABLE
from worker.tasks import compare_models, embed_questions, promote_model

pytestmark = pytest.mark.django_db(transaction=True)

REASON = "Better neighbours on the held-out questions."


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """Two encoders of the same name whose vectors differ in length."""
    root = tmp_path_factory.mktemp("encoders")
    return [tiny_encoder(root / "old", seed=1, dimension=32), tiny_encoder(root / "new", seed=2, dimension=48)]


@pytest.fixture(autouse=True)
def nothing_is_sent(own_files, monkeypatch):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)


@pytest.fixture
def old(exported) -> ModelArtifact:
    """The champion, with vectors and probes."""
    add_encoder_bank(120)
    artifact = artifact_promote(artifact=artifact_register(folder=exported[0]))
    embedding_set = embedding_set_ensure(artifact=artifact)
    EmbeddingSet.objects.filter(pk=embedding_set.pk).update(is_current=True)
    add_set("wording", 64)
    embed_here()
    train_probes_here()
    return artifact


@pytest.fixture
def new(old, exported) -> ModelArtifact:
    return artifact_register(folder=exported[1], parent=old)


def embed_here() -> None:
    run_here(
        runs.run_create(kind="embed", capability="encoder", send=False),
        lambda reporter: {"stored": embed_pending(reporter)},
    )


def train_probes_here() -> None:
    parameters = {"hierarchy": HIERARCHY, "set": {"seed": "5", "iterations": "10"}}
    run_here(
        runs.run_create(kind="train", capability="probes", parameters=parameters, send=False), TABLE["probes"].train
    )


def promote(artifact: ModelArtifact, **arguments) -> Run:
    run = promotion_request(artifact=artifact, reason=REASON, override=True, **arguments)
    promote_model(run.pk)
    run.refresh_from_db()
    return run


def what_serves() -> tuple[str, str, str | None]:
    """(encoder of the vectors, state of its artifact, encoder that the probes read)."""
    now = serving()
    used = now.embedding_set("purpose")
    probes = now.probes_for(hierarchy=HIERARCHY)
    assert now.encoder("purpose").dimension == used.dimension
    assert probes is None or probes.heads.dimension == used.dimension
    return used.encoder_name, used.artifact.state, probes.heads.encoder if probes else None


def test_a_promotion_swaps_encoder_vectors_and_probes(old, new, admin_person):
    old_set = EmbeddingSet.objects.get(artifact=old)
    assert what_serves() == ("tiny", "champion", "tiny")
    with pytest.raises(Conflict, match="not been compared"):
        promotion_request(artifact=new, reason=REASON, user=admin_person)
    compared = comparison_request(candidate=new, user=admin_person)
    with pytest.raises(Conflict, match="under way"):
        comparison_request(candidate=new)
    done(compared, compare_models)
    comparison = ModelComparison.objects.get(pk=compared.result["comparison"])
    assert comparison.figures["suite"]["questions"] > 0
    assert what_serves() == ("tiny", "champion", "tiny")  # a comparison changes nothing

    run = promote(new, user=admin_person)
    assert (run.error, run.state) == ("", "succeeded")
    name = f"tiny ({new.checksum[:8]})"  # the same name twice would mix up their probes
    assert what_serves() == (name, "champion", name)
    old.refresh_from_db()
    old_set.refresh_from_db()
    assert (old.state, old_set.is_current, old_set.state) == ("archived", False, "retired")
    new_set = EmbeddingSet.objects.get(is_current=True, lens="purpose")
    assert (new_set.artifact, new_set.state) == (new, "ready")
    assert embedding_index_exists(embedding_set=new_set)
    assert QuestionEmbedding.objects.filter(embedding_set=new_set).count() == 120
    probes = ModelArtifact.objects.get(capability="probes", state="champion")
    assert (probes.parent, probes.manifest["config"]["seed"]) == (new, 5)  # the settings of the former ones
    event = model_events(capability="encoder").first()
    assert (event.kind, event.artifact, event.former, event.person) == ("promoted", new, old, admin_person)
    assert event.reason == REASON
    assert event.gate["comparison"] == comparison.pk
    groups = {group.capability: group for group in models_by_capability()}
    assert (groups["encoder"].champions, groups["encoder"].archived) == ([new], [old])
    assert run.result["model"] == new.pk


def test_only_an_admin_may_override_the_gate_and_that_is_kept(old, new, admin_person, teacher):
    with pytest.raises(NotAllowed):
        promotion_request(artifact=new, reason=REASON, user=teacher, override=True)
    with pytest.raises(ValidationFailed) as caught:
        promotion_request(artifact=new, reason="  ", user=admin_person, override=True)
    assert "reason" in caught.value.fields
    with pytest.raises(Conflict, match="in use already"):
        promotion_request(artifact=old, reason=REASON)
    promotion_request(artifact=new, reason=REASON, user=admin_person, override=True)
    with pytest.raises(Conflict, match="under way"):
        promotion_request(artifact=new, reason=REASON, override=True)
    promote_model(Run.objects.get(kind="promote").pk)
    gate = model_events(capability="encoder").first().gate
    assert (gate["passes"], gate["overridden"]) == (False, True)
    assert gate["reasons"] == ["It has not been compared with the model in use yet."]


def test_a_candidate_that_is_worse_is_refused_also_by_a_job_that_waited(old, new):
    worse = {
        "name": "precision_at_10_level_1", "label": "Precision", "higher_is_better": True, "worse": True,
        "candidate": 0.1, "champion": 0.9, "difference": -0.8, "low": -0.9, "high": -0.7,
    }  # fmt: skip
    better = worse | {"worse": False, "low": 0.1, "high": 0.2}
    fine = {"suite": {"questions": 50, "lost": 0}, "metrics": [better], "changed": []}
    ModelComparison.objects.create(candidate=new, champion=old, figures=fine)
    run = promotion_request(artifact=new, reason=REASON)
    ModelComparison.objects.create(candidate=new, champion=old, figures=fine | {"metrics": [worse]})
    with pytest.raises(Conflict, match=r"Precision is worse: 0\.100 against 0\.900"):
        promotion_service.gate_verdict(artifact=new)
    done(run, promote_model, state="failed")
    assert "Precision is worse" in run.error
    assert what_serves() == ("tiny", "champion", "tiny")


def test_a_killed_promotion_changes_nothing_and_goes_on_where_it_was(old, new, monkeypatch):
    def die(**arguments):
        raise Killed

    run = promotion_request(artifact=new, reason=REASON, override=True)
    with monkeypatch.context() as patched:
        patched.setattr(promotion_job, "model_swap", die)
        with pytest.raises(Killed):
            promote_model(run.pk)
    assert what_serves() == ("tiny", "champion", "tiny")
    written = set(QuestionEmbedding.objects.values_list("pk", flat=True))
    trained = ModelArtifact.objects.get(capability="probes", state="candidate")

    fits = []
    monkeypatch.setattr(jobs, "train_probes", lambda *args, **kwargs: fits.append(args))
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    runs.runs_reconcile()
    promote_model(run.pk)
    run.refresh_from_db()
    assert (run.error, run.state, run.attempts) == ("", "succeeded", 2)
    assert set(QuestionEmbedding.objects.values_list("pk", flat=True)) == written
    assert fits == []
    trained.refresh_from_db()
    assert trained.state == "champion"
    assert what_serves()[0] == what_serves()[2] == f"tiny ({new.checksum[:8]})"


def test_a_swap_that_dies_halfway_leaves_everything_as_it_was(old, new, monkeypatch):
    def die(**arguments):
        raise Killed

    run = promotion_request(artifact=new, reason=REASON, override=True)
    with monkeypatch.context() as patched:
        patched.setattr(promotion_service, "artifact_archive", die)  # after vectors, encoder and probes
        patched.setattr(promotion_service, "embedding_request", die)
        with pytest.raises(Killed):
            promote_model(run.pk)
    assert what_serves() == ("tiny", "champion", "tiny")
    new.refresh_from_db()
    assert new.state == "candidate"
    assert not ModelEvent.objects.filter(kind="promoted", artifact=new).exists()


def test_a_worker_that_lost_its_lease_swaps_nothing(old, new, monkeypatch):
    run = promotion_request(artifact=new, reason=REASON, override=True)
    probes = jobs.probes_beside

    def lose(reporter, **arguments):
        Run.objects.filter(pk=run.pk).update(lease=None, state="queued")
        return probes(reporter, **arguments)

    with monkeypatch.context() as patched:
        patched.setattr(jobs, "probes_beside", lose)
        promote_model(run.pk)
    run.refresh_from_db()
    assert run.state == "queued"
    assert what_serves() == ("tiny", "champion", "tiny")
    promote_model(run.pk)
    assert what_serves()[1:] == ("champion", f"tiny ({new.checksum[:8]})")


def test_readers_never_see_a_mixture_while_models_are_swapped_back_and_forth(old, new):
    promote(new)
    new_set = EmbeddingSet.objects.get(artifact=new)
    new_probes = ModelArtifact.objects.get(capability="probes", state="champion")
    stop = threading.Event()

    def read() -> list[tuple[str, str, str | None]]:
        seen = []
        try:
            while not stop.is_set():
                seen.append(what_serves())
        finally:
            connection.close()
        return seen

    with ThreadPoolExecutor(3) as readers:
        reading = [readers.submit(read) for _reader in range(3)]
        try:
            for _round in range(25):
                model_roll_back(capability="encoder", reason="Back")
                Run.objects.filter(kind="train", state="queued").delete()
                created = promotion_request(artifact=new_fresh(new), reason=REASON, override=True)
                run = runs.run_start(run_id=created.pk, worker="here")
                model_swap(run=run, artifact=new_fresh(new), embedding_set=new_set, beside=[new_probes])
                runs.run_succeed(run=run)
                new_probes.refresh_from_db()
        finally:
            stop.set()
        seen = [answer for each in reading for answer in each.result()]
    assert len(seen) > 50
    assert {answer[0] for answer in seen} == {"tiny", new_set.encoder_name}
    assert [answer for answer in seen if answer[0] != answer[2] or answer[1] != "champion"] == []


def new_fresh(artifact: ModelArtifact) -> ModelArtifact:
    return ModelArtifact.objects.get(pk=artifact.pk)


def test_a_roll_back_brings_back_vectors_and_probes_at_once(old, new, admin_person):
    with pytest.raises(Conflict, match="no former model"):
        model_roll_back(capability="encoder", reason="Back", user=admin_person)
    before = ModelArtifact.objects.get(capability="probes", state="champion")
    promote(new)
    assert roll_back_target("encoder") == old
    with pytest.raises(ValidationFailed):
        model_roll_back(capability="encoder", reason="", user=admin_person)
    assert model_roll_back(capability="encoder", reason="Worse on Friday's worksheets.", user=admin_person) == old
    assert what_serves() == ("tiny", "champion", "tiny")
    before.refresh_from_db()
    assert before.state == "champion"
    event = model_events(capability="encoder").first()
    assert (event.kind, event.artifact, event.former, event.person) == (
        "rolled_back", old, new, admin_person,
    )  # fmt: skip
    with pytest.raises(Conflict, match="no former model"):  # it is the first one
        model_roll_back(capability="encoder", reason="Once more")
    promote(new_fresh(new))  # an archived model can be promoted again, with what was built for it
    assert what_serves()[0] == what_serves()[2] == f"tiny ({new.checksum[:8]})"
    assert EmbeddingSet.objects.filter(lens="purpose").count() == 2


def test_a_roll_back_after_questions_were_edited_catches_up(old, new, admin_person):
    promote(new)
    question = Question.objects.order_by("pk").first()
    question_update(
        user=admin_person, question=question, version=question.version,
        text="Quite another circle", language="en", kind="open", concepts=[],
    )  # fmt: skip
    add_encoder_bank(4, seed=9)
    embed_questions(Run.objects.filter(kind="embed", state="queued").first().pk)
    model_roll_back(capability="encoder", reason="Back", user=admin_person)
    old_set = EmbeddingSet.objects.get(artifact=old)
    assert embedding_count_pending(embedding_set=old_set) == 5
    waiting = Run.objects.get(kind="embed", state="queued")
    embed_questions(waiting.pk)
    assert embedding_count_pending(embedding_set=old_set) == 0
    question.refresh_from_db()
    stored = QuestionEmbedding.objects.get(embedding_set=old_set, question=question)
    assert bytes(stored.content_hash) == bytes(question.content_hash)


def test_probes_are_not_rolled_back_to_those_that_read_vectors_of_a_former_encoder(old, new, monkeypatch):
    monkeypatch.setattr(models, "SMALLEST_SUITE", 1)
    reading_old = ModelArtifact.objects.get(capability="probes", state="champion")
    train_probes_here()
    assert roll_back_target("probes", HIERARCHY) == reading_old
    promote(new)
    with pytest.raises(Conflict, match="no former model"):
        model_roll_back(capability="probes", scope=HIERARCHY, reason="Back")
    assert what_serves()[2] == f"tiny ({new.checksum[:8]})"


def test_a_hierarchy_without_probes_for_the_old_vectors_gets_new_ones(old, new):
    promote(new)
    ModelArtifact.objects.filter(capability="probes", state="archived").delete()
    model_roll_back(capability="encoder", reason="Back")
    assert what_serves() == ("tiny", "champion", None)
    assert Run.objects.get(kind="train", state="queued").parameters["hierarchy"] == HIERARCHY


def test_deleting_a_model_takes_its_vectors_and_leaves_its_history(old, new, admin_person):
    promote(new)
    with pytest.raises(Conflict, match="model in use"):
        artifact_delete(artifact=new)
    old_set = EmbeddingSet.objects.get(artifact=old)
    comparing = runs.run_create(kind="evaluate", parameters={"candidate": 0, "champion": old.pk}, send=False)
    with pytest.raises(Conflict, match="under way"):
        artifact_delete(artifact=old)
    runs.run_cancel(run_id=comparing.pk)
    artifact_delete(artifact=old, reason="Too old", user=admin_person)
    assert not embedding_index_exists(embedding_set=old_set)
    assert not QuestionEmbedding.objects.filter(embedding_set=old_set.pk).exists()
    assert roll_back_target("encoder") is None
    event = model_events(capability="encoder").first()
    assert (event.kind, event.artifact, event.artifact_name, event.reason) == (
        "deleted", None, "tiny", "Too old",
    )  # fmt: skip
    with pytest.raises(Conflict, match="no former model"):
        model_roll_back(capability="encoder", reason="Back")


def test_a_deletion_waits_for_whoever_changes_what_serves(old, new):
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "user", "dbname")}
    with psycopg.connect(**address) as somebody, transaction.atomic(), connection.cursor() as cursor:
        somebody.execute("SELECT pg_advisory_xact_lock(hashtext('kindred/serving'))")
        cursor.execute("SET LOCAL lock_timeout = '50ms'")
        with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
            artifact_delete(artifact=new)
        somebody.rollback()
        artifact_delete(artifact=new)
    assert not ModelArtifact.objects.filter(pk=new.pk).exists()


def test_models_travel_by_commands(old, new, exported, no_default_models, tmp_path, capsys):
    call_command("export_model", str(old.pk), str(tmp_path / "taken"))
    with pytest.raises(CommandError, match=f"already, as model {old.pk}"):
        call_command("import_model", str(tmp_path / "taken"))
    with pytest.raises(CommandError, match="belongs to one hierarchy or language has a scope"):
        call_command("import_model", str(tmp_path / "taken"), scope="x")
    with pytest.raises(CommandError, match="not a model folder"):
        call_command("import_model", str(tmp_path / "nowhere"))
    artifact_delete(artifact=new)
    with pytest.raises(CommandError, match="needs a reason"):
        call_command("import_model", str(exported[1]), promote=True)
    call_command("import_model", str(exported[1]), promote=True, reason=REASON, override=True)
    assert "is now in use" in capsys.readouterr().out
    champion = ModelArtifact.objects.get(capability="encoder", state="champion")
    assert what_serves()[0] == f"tiny ({champion.checksum[:8]})"

    probes = ModelArtifact.objects.get(capability="probes", state="archived")
    call_command("export_model", str(probes.pk), str(tmp_path / "probes"))
    ModelArtifact.objects.filter(pk=probes.pk).delete()
    call_command("import_model", str(tmp_path / "probes"))
    imported = ModelArtifact.objects.get(capability="probes", state="candidate")
    assert imported.scope == HIERARCHY
    with pytest.raises(CommandError, match="is not in use"):  # they read the former encoder's vectors
        call_command("import_model", str(tmp_path / "probes"), scope="Other", promote=True, reason=REASON)
