"""Models and their files in the storage."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from django.core.files.storage import storages

from analytics.artifacts import Manifest, artifact_read, artifact_write
from analytics.backbone import sources
from analytics.backbone.sources import PackagedWeights
from analytics.capability import Starter
from analytics.catalog import CAPABILITIES
from questionbank.core import task_queue
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.models import EmbeddingSet, ModelArtifact, ModelEvent, ParaphrasePair, Run
from questionbank.operations import backups
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_selectors import artifact_champion, artifact_folder, lens_champion
from questionbank.registry.artifact_services import (
    artifact_delete,
    artifact_import,
    artifact_install_default,
    artifact_register,
)
from questionbank.review.pair_services import PairInput, pairs_create
from tests.altered import altered
from tests.questionbank.small_bank import add_question

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("own_artifacts")
def test_what_a_folder_holds_beside_its_model_is_neither_registered_nor_backed_up_and_goes_with_it(tmp_path):
    folder = tmp_path / "model"

    def write(into: Path) -> None:
        (into / "weights").mkdir()
        (into / "weights" / "a.bin").write_bytes(b"\0\1")

    artifact_write(folder, Manifest("probes", "p"), write)
    (folder / "notes.txt").write_text("mine")
    artifact = artifact_register(folder=folder)
    kept = artifact_folder(artifact)
    assert artifact_read(kept).name == "p"
    assert not (kept / "notes.txt").exists()
    (kept / ".packed-model-1").mkdir()
    (kept / ".packed-model-1" / "graph.weights").write_bytes(b"derived")
    backed_up = [name for _folder, name in backups._kept(())]
    assert f"{artifact.location}/weights/a.bin" in backed_up
    assert not any("packed" in name for name in backed_up)

    artifact_delete(artifact=artifact)
    assert not any(path.is_file() for path in Path(storages["artifacts"].path("")).rglob("*"))


@pytest.fixture
def installed_encoder(db, monkeypatch) -> ModelArtifact:
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    encoder = ModelArtifact.objects.create(capability="encoder", name="e", state="champion", location="e")
    for lens in ("purpose", "wording"):
        EmbeddingSet.objects.create(lens=lens, encoder_name=lens, dimension=4, is_current=True)
    return encoder


def starter_scorer(monkeypatch, tmp_path) -> None:
    """Let the starter of the scorer lie in a folder of this test, and let no other model be installed beside it."""
    for word, row in dict(CAPABILITIES).items():
        starters = {"paraphrase": (Starter(str(tmp_path / "starter")),), "encoder": row.starters[:1]}.get(word, ())
        monkeypatch.setitem(CAPABILITIES, word, altered(row, starters=starters))


@pytest.fixture
def export(monkeypatch, tmp_path) -> list[list[str]]:
    """Instead of PyTorch: writes a folder that is registered as a scorer, and keeps the commands."""
    commands = []

    def run(command, **_options) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        folder = Path(command[command.index("--output") + 1])
        arguments = command[command.index("export-starters") + 1 : command.index("--output")]
        for number, argument in enumerate(arguments):
            word, _equals, source = argument.partition("=")
            language = "zh" if source.endswith("chinese") else "en"
            manifest = Manifest(word, "starter", extra={"dimension": 4, "languages": [language]})
            artifact_write(folder / str(number), manifest, lambda aside, text=source: (aside / "a").write_text(text))
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(artifacts.subprocess, "run", run)
    starter_scorer(monkeypatch, tmp_path)
    return commands


def test_the_starter_scorer_becomes_the_first_champion_once(installed_encoder, export, tmp_path):
    artifact_install_default()  # there is no starter: nothing to install
    assert not export
    pairs_create(pairs=[PairInput("a", "b")], source=ParaphrasePair.Source.TYPED, user=None, request_scores=False)
    (tmp_path / "starter").mkdir()
    lines: list[str] = []
    artifact_install_default(report=lines.append)
    scorer = artifact_champion(capability="paraphrase")
    assert (scorer.name, scorer.created_by) == ("starter", None)
    assert f"paraphrase={tmp_path / 'starter'}" in export[0]
    assert ModelEvent.objects.filter(artifact=scorer, kind="promoted").get().reason == artifacts.INSTALLED
    assert Run.objects.get(kind="score").parameters == {"pairs": [ParaphrasePair.objects.get().pk]}
    assert len(lines) == 1
    artifact_install_default()
    assert len(export) == 1


@pytest.mark.usefixtures("own_artifacts")
def test_all_default_models_are_exported_by_one_process(db, export, monkeypatch, tmp_path):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    (tmp_path / "starter").mkdir()
    lines: list[str] = []
    artifact_install_default(report=lines.append)
    assert len(export) == 1
    assert lines == ["Making the default models (2, once; up to some minutes) ..."]
    champions = ModelArtifact.objects.filter(state="champion").values_list("capability", flat=True)
    assert set(champions) == {"encoder", "paraphrase"}
    assert not ModelArtifact.objects.exclude(state="champion").exists()


@pytest.mark.usefixtures("own_artifacts")
def test_what_reads_the_general_model_is_not_installed_again_with_a_language(db, export, monkeypatch, tmp_path):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    general, chinese = CAPABILITIES["encoder"].starters[0], Starter(str(tmp_path / "chinese"), scope="zh")
    monkeypatch.setitem(CAPABILITIES, "encoder", altered(CAPABILITIES["encoder"], starters=(general, chinese)))
    companion = Starter(str(tmp_path / "starter"), along_with="encoder")
    monkeypatch.setitem(CAPABILITIES, "paraphrase", altered(CAPABILITIES["paraphrase"], starters=(companion,)))
    chinese.path.mkdir()
    companion.path.mkdir()
    artifact_install_default()
    installed = ModelArtifact.objects.values_list("capability", "scope", "state")
    assert sorted(installed) == [
        ("encoder", "", "champion"), ("encoder", "zh", "champion"), ("paraphrase", "", "champion"),
    ]  # fmt: skip


@pytest.mark.usefixtures("own_artifacts")
def test_a_bank_that_has_questions_gets_the_vectors_of_a_new_lens(installed_encoder, export, monkeypatch, tmp_path):
    row = CAPABILITIES["analogy"]
    installable = altered(row, starters=(Starter(str(tmp_path / "retriever")),))
    monkeypatch.setitem(CAPABILITIES, "analogy", installable)
    artifact_install_default()  # there is no starter: as before
    assert not export
    (tmp_path / "retriever").mkdir()
    add_question("Ann has 3 pens and 4 cups. How many things is that?")
    Run.objects.all().delete()
    artifact_install_default()
    champion = artifact_champion(capability="analogy")
    current = EmbeddingSet.objects.get(lens=row.lens.word, is_current=True)
    assert (current.artifact, current.dimension) == (champion, 4)
    assert Run.objects.get().kind == "embed"


@pytest.mark.usefixtures("own_artifacts")
def test_models_before_a_damaged_starter_are_installed(db, monkeypatch, tmp_path):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    starter_scorer(monkeypatch, tmp_path)
    (tmp_path / "starter").mkdir()

    def run(command, **_options) -> subprocess.CompletedProcess[str]:
        folder = Path(command[command.index("--output") + 1]) / "0"
        manifest = Manifest("encoder", "starter", extra={"dimension": 4})
        artifact_write(folder, manifest, lambda aside: (aside / "a").write_text("x"))
        return subprocess.CompletedProcess(command, 1, "", "starter was written\nit is damaged\n")

    monkeypatch.setattr(artifacts.subprocess, "run", run)
    with pytest.raises(ServiceUnavailable, match=r"for paraphrase cannot be installed: it is damaged$"):
        artifact_install_default()
    assert artifact_champion(capability="encoder") is not None
    assert artifact_champion(capability="paraphrase") is None


def test_a_champion_that_somebody_chose_is_no_reason_to_install(installed_encoder, export, tmp_path):
    (tmp_path / "starter").mkdir()
    ModelArtifact.objects.create(capability="paraphrase", name="ours", state="champion", location="o")
    artifact_install_default()
    assert not export


@pytest.mark.usefixtures("own_artifacts")
def test_each_language_gets_its_own_solver(installed_encoder, export, monkeypatch, tmp_path):
    english, chinese = (Starter(str(tmp_path / name), scope=code) for name, code in (("e", "en"), ("chinese", "zh")))
    row = altered(CAPABILITIES["solver"], starters=(english, chinese))
    monkeypatch.setitem(CAPABILITIES, "solver", row)
    english.path.mkdir()
    artifact_install_default()
    assert artifact_champion(capability="solver", scope="en").name == "starter"
    assert artifact_champion(capability="solver", scope="zh") is None
    chinese.path.mkdir()
    artifact_install_default()
    assert artifact_champion(capability="solver", scope="zh").manifest["extra"]["languages"] == ["zh"]
    assert [command[command.index("export-starters") + 1] for command in export] == [
        f"solver={english.path}", f"solver={chinese.path}",
    ]  # fmt: skip


@pytest.mark.usefixtures("own_artifacts")
def test_a_language_gets_its_own_retriever_unless_the_general_one_knows_it(
    installed_encoder, export, monkeypatch, tmp_path
):
    general, chinese = Starter(str(tmp_path / "general")), Starter(str(tmp_path / "chinese"), scope="zh")
    monkeypatch.setitem(CAPABILITIES, "analogy", altered(CAPABILITIES["analogy"], starters=(general, chinese)))
    general.path.mkdir()
    artifact_install_default()
    first = EmbeddingSet.objects.get(lens="structure", is_current=True)
    first.unknown_shares = {"zh": 0.02}
    first.save()
    chinese.path.mkdir()
    artifact_install_default()
    assert artifact_champion(capability="analogy", scope="zh") is None
    first.unknown_shares = {"zh": 0.5}
    first.save()
    artifact_install_default()
    sets = EmbeddingSet.objects.filter(lens="structure", is_current=True)
    assert dict(sets.values_list("scope", "artifact__scope")) == {"": "", "zh": "zh"}
    assert lens_champion(capability="analogy", language="zh-CN").scope == "zh"
    assert (
        lens_champion(capability="analogy", language="en")
        == lens_champion(capability="analogy", language="fr")
        == artifact_champion(capability="analogy")
    )


def test_a_starter_for_an_encoder_that_is_not_installed_is_left_out(installed_encoder, export, monkeypatch, tmp_path):
    starter = Starter(str(tmp_path), scope="zh", backbone="elsewhere")
    monkeypatch.setitem(sources.PACKAGED, "elsewhere", PackagedWeights("x", "no_such_package_here", "", "", "", ""))
    monkeypatch.setitem(CAPABILITIES, "solver", altered(CAPABILITIES["solver"], starters=(starter,)))
    artifact_install_default()
    assert not export


@pytest.mark.usefixtures("own_artifacts")
def test_an_imported_solver_serves_a_language_that_it_has_learned(db, tmp_path):
    def folder(name: str, **extra: object) -> Path:
        artifact_write(
            tmp_path / name, Manifest("solver", name, extra=extra), lambda aside: (aside / "a").write_text(name)
        )
        return tmp_path / name

    def scope(path: Path, named: str = "") -> str:
        return artifact_import(folder=path, loads=lambda _word, _folder: None, scope=named).scope

    assert scope(folder("first", languages=["zh-Hans", "en"])) == "zh"
    assert scope(folder("both", languages=["zh", "en"]), "en") == "en"
    assert scope(folder("unknown"), "zh-CN") == "zh"
    with pytest.raises(ValidationFailed, match="names no language"):
        scope(folder("silent"))
    with pytest.raises(ValidationFailed, match="problems in English, not in Chinese"):
        scope(folder("english", languages=["en"]), "zh")
