from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_write, file_sha256
from analytics.errors import ArtifactError, ChecksumError
from analytics.inference import encode
from analytics.inference.encode import HashedNgramEncoder, load_encoder
from analytics.inference.onnx import open_session

TEXTS = ["What is 3 + 4?", "x", "", "Find the area of a circle with radius 5.", "7 apples"] * 3


def test_a_vector_does_not_depend_on_the_batch(tiny_export, monkeypatch):
    encoder = load_encoder(tiny_export)
    whole = encoder.encode(TEXTS)
    monkeypatch.setattr(encode, "_BATCH_TOKENS", 20)
    np.testing.assert_allclose(encoder.encode(TEXTS), whole, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)


def test_no_texts_give_an_empty_table(tiny_export):
    assert load_encoder(tiny_export).encode([]).shape == (0, 32)


def test_many_threads_may_share_an_encoder(tiny_export):
    encoder = load_encoder(tiny_export)
    alone = encoder.encode(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for together in pool.map(lambda _: encoder.encode(TEXTS), range(8)):
            np.testing.assert_allclose(together, alone, atol=1e-5)


def test_unknown_share_tells_a_foreign_script(tiny_export):
    encoder = load_encoder(tiny_export)
    assert encoder.unknown_share(["area of a circle"]) == 0
    assert encoder.unknown_share(["圆的面积"]) == 1
    assert encoder.unknown_share(["ab 圆"]) == pytest.approx(1 / 3)
    assert encoder.unknown_share([""]) == 0


def test_a_session_is_opened_once_for_a_model(tiny_export):
    path = tiny_export / "model.onnx"
    assert open_session(path, file_sha256(path)) is open_session(path, file_sha256(path))
    with pytest.raises(ChecksumError):
        open_session(path, "another")


def test_models_on_the_same_backbone_share_a_tokenizer_but_for_where_it_cuts(tiny_export, tmp_path):
    shutil.copy(tiny_export / "tokenizer.json", tmp_path)
    assert encode.shared_tokenizer(tiny_export, 8) is encode.shared_tokenizer(tmp_path, 8)
    long_text = "3 + 4 " * 20
    assert len(encode.shared_tokenizer(tmp_path, 8).encode(long_text).ids) == 8
    assert len(encode.shared_tokenizer(tmp_path).encode(long_text).ids) > 40


def test_an_artifact_of_something_else_is_refused(tmp_path):
    artifact_write(tmp_path / "m", Manifest("probes", "p"), lambda aside: (aside / "a").write_text("1"))
    with pytest.raises(ArtifactError, match="no exported encoder"):
        load_encoder(tmp_path / "m")


def test_damaged_weights_are_refused(tiny_export, tmp_path):
    shutil.copytree(tiny_export, tmp_path / "m")
    with (tmp_path / "m" / "model.onnx").open("ab") as stream:
        stream.write(b"\0")
    with pytest.raises(ChecksumError):
        load_encoder(tmp_path / "m")


def test_files_that_are_no_model_are_an_artifact_error(tiny_export, tmp_path):
    from analytics.artifacts import artifact_read

    manifest = artifact_read(tiny_export)

    def garbage(aside):
        (aside / "model.onnx").write_bytes(b"not a model")
        shutil.copy(tiny_export / "tokenizer.json", aside)

    artifact_write(tmp_path / "m", Manifest("encoder", "bad", extra=manifest.extra), garbage)
    with pytest.raises(ArtifactError, match="not a model that can be run"):
        load_encoder(tmp_path / "m")


HOUSE = "A house costs 450,000 dollars. What is a tenth of it?"


@pytest.fixture
def encoder():
    return HashedNgramEncoder()


def test_dimension_and_name_say_which_encoder_it_is(encoder):
    assert (encoder.name, encoder.dimension) == ("char-ngrams-512", 512)
    assert HashedNgramEncoder(256).name == "char-ngrams-256"
    assert encoder.encode([HOUSE]).dtype == np.float32


def test_rows_have_length_one_and_empty_texts_are_zero(encoder):
    norms = np.linalg.norm(encoder.encode([HOUSE, "", "x", " \n\t"]), axis=1)
    np.testing.assert_allclose(norms, [1, 0, 1, 0], atol=1e-6)


def test_case_width_and_blanks_do_not_count(encoder):
    usual, spaced, wide = encoder.encode(["Find x = 5", "  find\n X =  5 ", "ｆｉｎｄ ｘ ＝ ５"])
    np.testing.assert_array_equal(usual, spaced)
    np.testing.assert_array_equal(usual, wide)


def test_numbers_count_a_little(encoder):
    same, changed, equation = encoder.encode([HOUSE, HOUSE.replace("450", "720"), "Solve for y."])
    assert 0.8 < same @ changed < 0.999
    assert same @ equation < 0.3


def test_chinese_is_compared_by_single_characters_too(encoder):
    question, near, far = encoder.encode(["圆的面积是多少", "圆面积多少", "小明有三个苹果"])
    assert question @ near > 0.4 > 0.2 > question @ far


def test_a_text_has_the_same_vector_alone_and_among_many(encoder, monkeypatch):
    texts = [f"{HOUSE} Part {number}." for number in range(50)] + ["", "圆"]
    together = encoder.encode(texts)
    monkeypatch.setattr("analytics.inference.encode._CHUNK_CHARACTERS", 100)
    np.testing.assert_allclose(encoder.encode(texts), together, atol=1e-6)
    np.testing.assert_allclose(encoder.encode(texts[7:8])[0], together[7], atol=1e-6)


def test_cosines_approach_those_of_exact_counts():
    """With very many places collisions vanish: the cosine is that of the weighted n-gram counts."""
    texts = ["aa ab", "ab ba aa"]

    def grams(text):
        padded = f" {text} "
        counts = Counter(
            padded[start : start + size] for size in range(1, 5) for start in range(len(padded) - size + 1)
        )
        del counts[" "]
        return {gram: 1 + np.log(count) for gram, count in counts.items()}

    first, second = map(grams, texts)
    dot = sum(value * second.get(gram, 0) for gram, value in first.items())
    expected = dot / np.sqrt(sum(v * v for v in first.values()) * sum(v * v for v in second.values()))
    a, b = HashedNgramEncoder(1 << 20).encode(texts)
    assert float(a @ b) == pytest.approx(expected, abs=1e-5)


def test_vectors_do_not_depend_on_the_process():
    script = (
        "from analytics.inference.encode import HashedNgramEncoder\n"
        "print(HashedNgramEncoder().encode(['Find x', '圆的面积']).tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_known_values_stay_as_they_are(encoder):
    """Stored vectors would no longer match a query if the hash ever changed."""
    vector = encoder.encode(["7"])[0]
    places = {int(place): round(float(vector[place]), 4) for place in np.flatnonzero(vector)}
    assert places == {45: -0.5, 225: 0.5, 412: -0.5, 474: 0.5}


def test_a_huge_text_is_cut_rather_than_exhausting_memory(encoder):
    long = "word " * 4000
    np.testing.assert_array_equal(encoder.encode([long + "and more"]), encoder.encode([long]))
