"""What serves: one read of the database, models loaded once, and languages the encoder does not know."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_write
from analytics.catalog import PROBES
from analytics.inference.heads import ConceptHead, ProbeHeads, save_heads
from analytics.records import ProblemRecord
from questionbank.bank.concept_services import hierarchy_make_default
from questionbank.core.errors import ServiceUnavailable
from questionbank.models import EmbeddingSet, ModelArtifact
from questionbank.registry import serving as serving_module
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.registry.serving import serving, solver_in_use
from questionbank.solving.solution_files import SolverByLanguage
from tests.factories import HierarchyFactory
from tests.questionbank import scripted_solver
from tests.questionbank.small_bank import add_question, add_set

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_artifacts")]

DIMENSION = 16


@pytest.fixture
def sets(db) -> dict[str, EmbeddingSet]:
    return {
        "purpose": add_set("purpose", DIMENSION, unknown_shares={"en": 0.01, "zh": 0.51}),
        "wording": add_set("wording", 2 * DIMENSION),
    }


def add_probes(folder, hierarchy: str, *, dimension: int = DIMENSION, first: str = "Algebra"):
    """Champion probes for vectors of the n-gram encoder, with two paths."""
    heads = ProbeHeads(
        encoder=f"char-ngrams-{dimension}",
        dimension=dimension,
        concepts=ConceptHead(
            paths=((first,), ("Geometry",)), leading=(), weights=np.ones((2, dimension)), bias=np.zeros(2)
        ),
    )
    path = folder / hierarchy
    artifact_write(path, Manifest("probes", hierarchy), lambda aside: save_heads(heads, aside))
    return artifact_promote(artifact=artifact_register(folder=path, scope=hierarchy))


def test_the_database_is_read_once_however_much_is_asked(sets, tmp_path, django_assert_num_queries):
    add_probes(tmp_path, "School")
    kept = serving()
    with django_assert_num_queries(1):
        now = serving()
        assert now is kept
        now.encoder("purpose")
        now.lens_for("wording", "zh")
        now.lens_for("purpose", "en", ["What is 2 + 2?"])
        assert now.embedding_set("purpose") == sets["purpose"]
        assert now.probes_for().hierarchy == "School"


def test_what_was_read_is_kept_until_one_of_its_rows_changes(sets, tmp_path):
    first = serving()
    add_probes(tmp_path, "School")
    second = serving()
    assert second is not first
    assert list(second.probe_artifacts) == ["School"]
    HierarchyFactory(name="School")
    assert serving().default_hierarchy == "School"


def test_a_set_for_one_language_serves_it_alone(sets):
    general = add_set("structure", DIMENSION)
    chinese = add_set("structure", 2 * DIMENSION, scope="zh", artifact=scripted_model("own"))
    now = serving()
    assert now.sets["structure"] == now.for_language("en").sets["structure"] == general
    assert now.for_language("en") is now
    own = now.for_language("zh-Hans")
    assert own.sets == {**sets, "structure": chinese}
    assert own.for_language("zh") is own
    assert now.set_of(chinese.artifact) == chinese
    assert now.set_of(scripted_model("other")) is None


def scripted_model(name: str) -> ModelArtifact:
    return ModelArtifact.objects.create(capability="analogy", name=name, location=name, manifest={}, checksum=name)


def test_a_language_the_encoder_does_not_know_is_served_by_wording_with_a_notice(sets):
    now = serving()
    assert now.serves("purpose", "en")
    assert not now.serves("purpose", "zh")
    assert now.serves("wording", "zh")
    chosen, encoder, notice = now.lens_for("purpose", "zh")
    assert chosen == sets["wording"]
    assert encoder.dimension == 2 * DIMENSION
    assert "cannot read Chinese" in notice
    assert now.lens_for("purpose", "en")[2] == ""
    assert now.lens_for("purpose", "zh", ["三角形"])[1].dimension == 2 * DIMENSION


def test_a_language_never_measured_is_unknown_unless_it_is_english(sets):
    sets["purpose"].unknown_shares = {}
    sets["purpose"].save()
    now = serving()
    assert now.serves("purpose", "en")
    assert not now.serves("purpose", "sw")


def test_without_vectors_there_is_a_sentence():
    with pytest.raises(ServiceUnavailable, match="cannot be compared yet"):
        serving().lens_for("purpose", "en", ["What is 2 + 2?"])


def test_a_set_of_a_large_bank_serves_once_it_has_its_index(sets, monkeypatch):
    monkeypatch.setattr("questionbank.registry.serving.EXACT_LIMIT", 1)
    EmbeddingSet.objects.filter(lens="purpose").update(state=EmbeddingSet.State.BUILDING)
    add_question("1 + 1")
    assert set(serving().sets) == {"purpose", "wording"}
    add_question("2 + 2")
    EmbeddingSet.objects.filter(lens="purpose").update(is_current=True)  # a change of its row
    assert set(serving().sets) == {"wording"}
    EmbeddingSet.objects.filter(lens="purpose").update(state=EmbeddingSet.State.READY)
    assert set(serving().sets) == {"purpose", "wording"}


def test_only_sets_in_use_serve(sets):
    EmbeddingSet.objects.filter(lens="purpose").update(is_current=False)
    assert "purpose" not in serving().sets


def test_probes_are_those_of_the_banks_default_hierarchy_never_the_newest(sets, tmp_path):
    first, second = HierarchyFactory(name="First"), HierarchyFactory(name="Second")
    add_probes(tmp_path, "Second", first="Of the second")
    assert serving().probes_for() is None  # the first has none, and nothing takes its place
    add_probes(tmp_path, "First", first="Of the first")
    add_probes(tmp_path, "Third", first="Of the third")
    assert serving().probes_for().heads.concepts.paths[0] == ("Of the first",)
    assert serving().probes_for(hierarchy="Third").hierarchy == "Third"
    assert serving().probes_for(hierarchy="Elsewhere") is None
    hierarchy_make_default(user=None, hierarchy=second)
    assert serving().probes_for().hierarchy == "Second"
    hierarchy_make_default(user=None, hierarchy=first)
    assert serving().default_hierarchy == "First"


def test_probes_of_another_encoder_are_not_used(sets, tmp_path):
    add_probes(tmp_path, "Elsewhere", dimension=DIMENSION + 1)
    assert serving().probes_for(hierarchy="Elsewhere") is None


def test_probes_whose_files_are_gone_give_a_sentence(sets, tmp_path):
    artifact = add_probes(tmp_path, "Lost")
    serving_module._models.clear()
    for file in (tmp_path / "artifacts" / artifact.location).iterdir():
        file.unlink()
    with pytest.raises(ServiceUnavailable, match="Lost"):
        serving().probes_for(hierarchy="Lost")


def test_threads_that_ask_together_load_a_model_once(sets, tmp_path, monkeypatch):
    add_probes(tmp_path, "Shared")
    serving_module._models.clear()
    loads, together = [], threading.Barrier(4)
    load = PROBES.load
    monkeypatch.setattr(PROBES, "load", lambda folder: loads.append(1) or load(folder))
    now = serving()

    def ask():
        together.wait()
        now.probes_for(hierarchy="Shared")

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1


def test_a_process_keeps_few_models(monkeypatch):
    monkeypatch.setattr(serving_module, "_KEPT_MODELS", 2)
    for number in range(5):
        serving_module._kept(f"model {number}", lambda number=number: number)
    assert list(serving_module._models) == ["model 3", "model 4"]


def test_a_model_that_rests_is_unloaded_and_loaded_again(monkeypatch):
    loads = []
    monkeypatch.setattr(serving_module, "_models", serving_module.OrderedDict())

    def load():
        return serving_module._kept("resting", lambda: loads.append("resting") or object())

    load()
    serving_module.models_unload(3600)
    load()
    assert loads == ["resting"]
    serving_module.models_unload(0)
    load()
    assert loads == ["resting", "resting"]


def test_a_solver_works_without_a_retriever_whose_files_are_gone(monkeypatch, caplog):
    solver = scripted_solver.served({})
    monkeypatch.setattr(serving_module, "solver_of", lambda _artifact: solver)
    assert solver_in_use(solver.artifact).solver.solver is solver.solver
    ModelArtifact.objects.create(
        capability="analogy",
        name="lost",
        state=ModelArtifact.State.CHAMPION,
        checksum="1" * 64,
        location="nowhere",
        manifest={},
    )
    assert solver_in_use(solver.artifact).solver.solver is solver.solver
    assert "Problems are solved without similar ones" in caplog.text


def test_pages_recall_the_banks_questions_by_the_vectors_of_the_retriever_in_use(monkeypatch):
    solver = scripted_solver.served({})
    monkeypatch.setattr(serving_module, "solver_of", lambda _artifact: solver)
    retriever = ModelArtifact.objects.create(
        capability="analogy", name="r", state=ModelArtifact.State.CHAMPION, checksum="1" * 64, manifest={}
    )
    monkeypatch.setattr(serving_module, "retriever_of", lambda artifact: artifact)
    asked = []
    monkeypatch.setattr(
        serving_module, "recalling", lambda solver, _retriever, *, solved, further: asked.append(further) or solver
    )
    solver_in_use(solver.artifact, with_bank=True)  # the bank has no vectors by it
    add_set("structure", artifact=retriever)
    solver_in_use(solver.artifact, with_bank=True)
    solver_in_use(solver.artifact)
    assert [further is None for further in asked] == [True, False, True]


def test_which_models_solve_is_read_once_for_many_problems(monkeypatch, django_assert_num_queries):
    solver = scripted_solver.served({})
    monkeypatch.setattr(serving_module, "solver_of", lambda _artifact: solver)
    with django_assert_num_queries(2):  # solvers, retriever
        solvers = SolverByLanguage()
        for number in range(5):
            assert solvers.unsolvable_reason(ProblemRecord("", f"How many are {number} and 2 pens?")) == ""
