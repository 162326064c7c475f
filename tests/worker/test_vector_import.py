"""Vectors from files become the rows that a worker would have stored, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analytics.__main__ import main
from questionbank.bank.question_selectors import content_hash
from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.models import EmbeddingSet, Question, QuestionEmbedding
from questionbank.registry.artifact_selectors import artifact_folder
from questionbank.registry.artifact_services import artifact_register
from tests.worker.encoder_bank import tiny_encoder, tiny_retriever
from tests.worker.jobs import Reporter
from worker import blocks, embedding

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_artifacts", "no_default_models")]

TEXTS = [f"Tom has {number} bags of {number % 7 + 2} apples. How many has he?" for number in range(30)]
FORMULA = "Solve $2x + 3 = 11$ for the number $x$."


@pytest.fixture(autouse=True)
def indexes(monkeypatch):
    """Which sets were indexed: an index cannot be built concurrently inside a test's transaction."""
    built = []
    monkeypatch.setattr(
        embedding.embeddings, "embedding_index_build", lambda *, embedding_set: built.append(embedding_set.pk)
    )
    return built


def questions(*texts: str, language: str = "en", options=()) -> list[Question]:
    return Question.objects.bulk_create(
        Question(
            text=text, language=language, source_id=f"q{number}", options=list(options),
            content_hash=content_hash(text=text, options=options),
        )
        for number, text in enumerate(texts)
    )  # fmt: skip


def embedded(folder: Path, texts, *options: str) -> Path:
    """What `python -m analytics embed` makes of texts, in blocks as large as a worker's."""
    file = folder / "questions.jsonl"
    rows = [{"id": f"q{number}", "text": text} for number, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ["embed", "--input", str(file), "--output", str(folder / "vectors"), *options]
    assert main([*arguments, "--block-rows", "8"]) == 0
    return folder / "vectors"


def rows_of(embedding_set: EmbeddingSet) -> dict[int, tuple[object, bytes]]:
    rows = QuestionEmbedding.objects.filter(embedding_set=embedding_set)
    return {row.question_id: (row.vector, bytes(row.content_hash)) for row in rows}


def set_of(folder: Path, make) -> EmbeddingSet:
    row = embedding_set_ensure(artifact=artifact_register(folder=make(folder)))
    EmbeddingSet.objects.filter(pk=row.pk).update(is_current=True)
    row.refresh_from_db()
    return row


@pytest.mark.parametrize("make", [tiny_encoder, tiny_retriever], ids=["encoder", "retriever"])
def test_the_rows_are_those_that_a_worker_stores(tmp_path, monkeypatch, indexes, make):
    monkeypatch.setattr(embedding, "SMALL_JOB", 0)
    monkeypatch.setattr(embedding, "BLOCK_SIZE", 8)
    monkeypatch.setattr(blocks, "HELP_SECONDS", float("inf"))  # nobody else is there
    row = set_of(tmp_path / "model", make)
    texts = [*TEXTS[:8], FORMULA, *TEXTS[8:]]
    questions(*texts)
    embedding.embed_pending(Reporter(), sets=[row])
    by_worker = rows_of(row)
    assert len(by_worker) == len(texts)
    QuestionEmbedding.objects.all().delete()
    EmbeddingSet.objects.filter(pk=row.pk).update(state=EmbeddingSet.State.BUILDING)
    indexes.clear()

    folder = embedded(tmp_path, texts, "--model", str(artifact_folder(row.artifact)))
    done = embedding.import_vectors(Reporter(), folder)
    compared = sum(vector is not None for vector, _hash in by_worker.values())
    assert done == {"encoder": row.encoder_name, "stored": compared, "missing": 0, "changed": 0}
    assert rows_of(row) == by_worker
    assert indexes == [row.pk]
    row.refresh_from_db()
    assert row.state == EmbeddingSet.State.READY
    assert embedding.import_vectors(Reporter(), folder)["stored"] == 0
    assert rows_of(row) == by_worker


@pytest.fixture
def wording(db) -> EmbeddingSet:
    return EmbeddingSet.objects.create(lens="wording", encoder_name="char-ngrams-512", dimension=512, is_current=True)


def test_the_text_decides_and_what_has_changed_is_counted(tmp_path, wording, indexes, capsys):
    same, spaced, changed, new, twin = questions(
        TEXTS[0], TEXTS[1].replace(" ", "  "), TEXTS[2] + " Explain.", "What is 2 + 2?", TEXTS[0]
    )
    Question.objects.filter(pk=new.pk).update(source_id="")
    Question.objects.filter(pk=twin.pk).update(
        options=[{"text": "5"}], content_hash=content_hash(text=TEXTS[0], options=[{"text": "5"}])
    )
    folder = embedded(tmp_path, TEXTS[:3], "--model", "char-ngrams")
    call_command("import_vectors", str(folder), verbosity=0)
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "Vectors stored for char-ngrams-512: 3",
        "Questions without one: 2, of which 1 have the id of a row with another text."
        " embed_questions computes their vectors.",
    ]
    assert rows_of(wording).keys() == {same.pk, spaced.pk, twin.pk}
    assert bytes(QuestionEmbedding.objects.get(question=twin).content_hash) == bytes(
        Question.objects.get(pk=twin.pk).content_hash
    )
    assert indexes == [wording.pk]
    Question.objects.filter(pk=changed.pk).update(text=TEXTS[2], content_hash=content_hash(text=TEXTS[2]))
    assert embedding.import_vectors(Reporter(), folder)["stored"] == 1


def test_questions_in_languages_that_the_encoder_does_not_know_get_none(tmp_path):
    row = set_of(tmp_path / "model", tiny_encoder)
    known, chinese = [*questions(TEXTS[0]), *questions("一列火车2小时行60千米", language="zh")]
    texts = [TEXTS[0], chinese.text]
    folder = embedded(tmp_path, texts, "--model", str(artifact_folder(row.artifact)))
    assert embedding.import_vectors(Reporter(), folder)["stored"] == 1
    assert rows_of(row).keys() == {known.pk}


def test_another_encoders_or_dimensions_vectors_are_refused_with_one_sentence(tmp_path, wording):
    questions(*TEXTS)
    set_of(tmp_path / "model", tiny_encoder)
    other = tiny_encoder(tmp_path / "other", seed=1, name="other")
    folder = embedded(tmp_path, TEXTS[:3], "--model", str(other))
    with pytest.raises(CommandError, match=r"^The vectors in \S+ are by other, which is no model of the bank: "):
        call_command("import_vectors", str(folder), verbosity=0)
    (tmp_path / "b").mkdir()
    folder = embedded(tmp_path / "b", TEXTS[:3], "--model", "char-ngrams")
    EmbeddingSet.objects.filter(pk=wording.pk).update(dimension=8)
    with pytest.raises(CommandError, match=r"^The vectors have 512 numbers, those of char-ngrams-512 8\.$"):
        call_command("import_vectors", str(folder), verbosity=0)
    assert not QuestionEmbedding.objects.exists()


def test_a_folder_that_is_not_complete_or_damaged_is_refused(tmp_path, wording):
    questions(*TEXTS)
    with pytest.raises(CommandError, match="holds no results of `python -m analytics embed`"):
        call_command("import_vectors", str(tmp_path), verbosity=0)
    folder = embedded(tmp_path, TEXTS, "--model", "char-ngrams")
    block = folder / "questions.jsonl-000001.parquet"
    whole = block.read_bytes()
    block.write_bytes(whole[:-9])
    with pytest.raises(CommandError, match=r"000001\.parquet is missing or damaged: repeat the command"):
        call_command("import_vectors", str(folder), verbosity=0)
    assert not rows_of(wording)
    block.write_bytes(whole)
    call_command("import_vectors", str(folder), verbosity=0)
    assert len(rows_of(wording)) == 30
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"is_complete": False}))
    with pytest.raises(CommandError, match="is not complete: repeat the command that began it"):
        call_command("import_vectors", str(folder), verbosity=0)
