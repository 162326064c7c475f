from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_write
from analytics.errors import ArtifactError, ChecksumError, DataError
from analytics.inference.demands import DEMANDS, SURFACE_COUNTS, OrderHead
from analytics.inference.heads import ConceptHead, DifficultyHead, ProbeHeads, load_heads, save_heads

PATHS = (("Root", "A"), ("Root", "B", "b"), ("Root", "C"))


@pytest.fixture
def heads():
    surface = np.zeros(len(SURFACE_COUNTS), dtype=np.float32)
    surface[0] = 1.0  # the logarithm of the text's length
    common = {"radius": 0.5, "scale": "1-5", "lowest": 1.0, "highest": 5.0, "coverage": 0.9, "intercept": 1.0}
    return ProbeHeads(
        encoder="by hand",
        dimension=2,
        concepts=ConceptHead(
            PATHS, ("Root",), np.array([[1, 0], [0, 1], [0, 0]], dtype=np.float32), np.zeros(3, dtype=np.float32)
        ),
        difficulty=DifficultyHead(np.zeros(2, dtype=np.float32), np.zeros(3, dtype=np.float32), surface, **common),
        difficulty_of_vector=DifficultyHead(
            np.array([1, 0], dtype=np.float32),
            np.array([0, 0, 2], dtype=np.float32),
            np.zeros(0),
            middle_radius=0.25,
            **common,
        ),
        order=OrderHead(
            vector_weights=np.array([1, 0], dtype=np.float32),
            demand_weights=np.zeros(len(DEMANDS), dtype=np.float32),
            demand_centre=np.zeros(len(DEMANDS), dtype=np.float32),
            demand_spread=np.ones(len(DEMANDS), dtype=np.float32),
            words=("text",),
            word_weights=np.array([0.5], dtype=np.float32),
            difficulty_weight=2.0,
        ),
    )


@pytest.fixture
def folder(heads, tmp_path):
    artifact_write(tmp_path / "m", Manifest("probes", "p"), lambda aside: save_heads(heads, aside))
    return tmp_path / "m"


def test_probabilities_and_difficulty_by_hand(heads):
    """Logits (ln 2, 0, 0): probabilities 1/2, 1/4, 1/4. Difficulty 1 + ln 2 + 2 * 1/4 = 2.193, +- 0.5."""
    (prediction,) = heads.predict(np.array([[np.log(2), 0]]), top=2)
    assert [guess.path for guess in prediction.concepts] == [PATHS[0], PATHS[1]]
    assert [guess.probability for guess in prediction.concepts] == pytest.approx([0.5, 0.25])
    estimate = prediction.difficulty
    assert estimate.value == pytest.approx(1.5 + np.log(2))
    assert (estimate.low, estimate.high) == pytest.approx((1 + np.log(2), 2 + np.log(2)))
    assert estimate.middle == pytest.approx((1.25 + np.log(2), 1.75 + np.log(2)))


def test_with_the_text_its_surface_counts(heads):
    (prediction,) = heads.predict(np.zeros((1, 2)), texts=["x" * 9])
    assert prediction.difficulty.value == pytest.approx(1 + np.log(10))


def test_the_order_reads_vector_text_and_difficulty(heads):
    """1 of the vector, 0.5 of the word, and 2 times the share ln(10) / 4 of the scale."""
    (prediction,) = heads.predict(np.array([[1.0, 0.0]]), texts=["some text"])
    assert prediction.order == pytest.approx(1 + 0.5 + 2 * np.log(10) / 4)
    assert heads.predict(np.array([[1.0, 0.0]]))[0].order is None


def test_values_and_intervals_are_cut_to_the_scale(heads):
    easy, hard = (heads.predict(np.array([[value, 0.0]]))[0].difficulty for value in (-9.0, 9.0))
    assert (easy.value, easy.low, easy.high) == (1.0, 1.0, 1.5)
    assert (hard.value, hard.low, hard.high) == (5.0, 4.5, 5.0)


def test_large_scores_do_not_overflow(heads):
    (prediction,) = heads.predict(np.array([[1e4, -1e4]]))
    assert prediction.concepts[0].probability == pytest.approx(1)


def test_saved_and_loaded_heads_predict_the_same(heads, folder):
    loaded = load_heads(folder)
    vectors = np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32)
    texts = ["some text"] * 30
    assert loaded.predict(vectors) == heads.predict(vectors)
    assert loaded.predict(vectors, texts=texts) == heads.predict(vectors, texts=texts)
    assert (loaded.encoder, loaded.dimension, loaded.concepts.leading) == ("by hand", 2, ("Root",))
    assert loaded.manifest.name == "p"


def test_many_questions_are_predicted_in_order(heads, monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(25, 2))
    whole = heads.predict(vectors, texts=["a"] * 25)
    monkeypatch.setattr("analytics.inference.heads._CHUNK", 10)
    assert heads.predict(vectors, texts=["a"] * 25) == whole
    assert heads.predict(np.zeros((0, 2))) == []


def test_vectors_of_another_encoder_are_refused(heads):
    with pytest.raises(DataError, match="by hand vectors of dimension 2"):
        heads.predict(np.zeros((1, 384)))
    with pytest.raises(DataError, match="2 vectors need as many texts"):
        heads.predict(np.zeros((2, 2)), texts=["one"])


def test_a_damaged_folder_is_refused(folder):
    labels = folder / "heads.json"
    labels.write_text(labels.read_text().replace("Root", "Boot"))
    with pytest.raises(ChecksumError):
        load_heads(folder)


def test_an_artifact_of_something_else_is_refused(tmp_path):
    artifact_write(tmp_path / "m", Manifest("encoder", "e"), lambda aside: (aside / "a").write_text("1"))
    with pytest.raises(ArtifactError, match="no probes that can be read"):
        load_heads(tmp_path / "m")


@pytest.mark.parametrize("change", ["surface", "missing", "labels"])
def test_files_that_do_not_belong_together_are_refused(folder, tmp_path, change):
    def copy(aside):
        for name in ("heads.npz", "heads.json"):
            shutil.copy(folder / name, aside)
        with np.load(aside / "heads.npz") as stored:
            arrays = dict(stored)
        if change == "surface":
            arrays["difficulty.surface"] = np.zeros(3)
        elif change == "missing":
            del arrays["concepts.bias"]
        else:
            body = json.loads((aside / "heads.json").read_text())
            del body["dimension"]
            (aside / "heads.json").write_text(json.dumps(body))
        np.savez(aside / "heads.npz", **arrays)

    artifact_write(tmp_path / "bad", Manifest("probes", "p"), copy)
    with pytest.raises(ArtifactError, match="no probes that can be read"):
        load_heads(tmp_path / "bad")
