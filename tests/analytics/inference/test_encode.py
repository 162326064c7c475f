from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from analytics.artifacts import Manifest, artifact_write, file_sha256
from analytics.errors import ArtifactError, ChecksumError
from analytics.inference import encode
from analytics.inference.encode import load_encoder
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
