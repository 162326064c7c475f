"""The examples of docs/library.md, run in a process that cannot import Django, and what the library refuses."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from analytics.artifacts import Manifest
from analytics.backbone.backbone import Head, set_head
from analytics.backbone.bert import encode_bulk, load_backbone
from analytics.backbone.export import export_trained
from analytics.errors import AnalyticsError, ArtifactError, BackboneError, DataError
from analytics.library import Encoder, ParaphraseScorer, Probes, Retriever, Solver

ROOT = Path(__file__).parents[2]
SENTENCES = "sentence_transformers"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = """
import contextlib, io, json, sys

class WithoutDjango:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("django", "celery", "questionbank", "worker"):
            raise AssertionError(f"the library imports {name}")
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, WithoutDjango())
names, printed = {}, []
for example in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(example, names)
    printed.append(output.getvalue())
json.dump(printed, sys.__stdout__)
"""


@pytest.fixture(scope="module")
def examples() -> list[tuple[str, str]]:
    """The code of each example with what it prints."""
    blocks = BLOCK.findall((ROOT / "docs" / "library.md").read_text(encoding="utf-8"))
    pairs = [(code, output) for (kind, code), (_kind, output) in pairwise(blocks) if kind == "python"]
    return [(code, output) for code, output in pairs if find_spec(SENTENCES) or SENTENCES not in code]


def run(examples: Sequence[str], folder: Path, *missing: str) -> list[str]:
    """Return what pieces of code print in a process without Django; `missing` packages cannot be imported either."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *missing],
        input=json.dumps(examples),
        cwd=folder,
        env={"HOME": str(folder), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_examples_print_what_the_page_says(examples, tmp_path):
    (tmp_path / "questionbank").symlink_to(ROOT / "questionbank")
    assert run([code for code, _output in examples], tmp_path) == [output for _code, output in examples]
    kept = {folder.name.partition("-")[0] for folder in (tmp_path / ".cache" / "kindred").iterdir()}
    assert kept == {"encoder", "paraphrase", "solver", "analogy"}


LOAD = """
from analytics.library import Encoder
from analytics.errors import AnalyticsError
try:
    print(Encoder.load(%s).encode(["Solve it."]).shape)
except AnalyticsError as error:
    print(error)
"""


def test_only_making_a_packaged_model_needs_pytorch(tiny_export, tmp_path):
    made, packaged = run([LOAD % repr(str(tiny_export)), LOAD % ""], tmp_path, "torch")
    assert made == "(1, 32)\n"
    assert packaged == (
        "The packaged encoder model, which is put together on first use, needs torch:"
        " run pip install 'kindred[worker]'.\n"
    )


@pytest.fixture(scope="module", params=["no head", "one layer", "two layers"])
def encoder(request, tiny, tmp_path_factory) -> Encoder:
    """A tiny encoder, with a head after the pooling or without."""
    backbone = replace(tiny)
    if request.param != "no head":
        head = Head.two_layer(32) if request.param == "two layers" else Head.linear(torch.eye(32))
        torch.manual_seed(0)
        for layer in head.layers:
            torch.nn.init.normal_(layer.weight)
        set_head(backbone, head)
    folder = tmp_path_factory.mktemp("encoder") / "encoder"
    export_trained(backbone, folder, Manifest("encoder", "tiny"))
    return Encoder.load(folder)


TEXTS = ["Solve $x^2 = 9$.", "A bus had 12 seats.", "find " * 200, ""]


def test_a_saved_encoder_is_one_of_sentence_transformers_too(encoder, tmp_path):
    sentence_transformers = pytest.importorskip(SENTENCES)
    encoder.save(tmp_path / "saved")
    theirs = sentence_transformers.SentenceTransformer(str(tmp_path / "saved"), device="cpu")
    vectors = encoder.encode(TEXTS)
    np.testing.assert_allclose(theirs.encode(TEXTS), vectors, atol=1e-5)
    np.testing.assert_array_equal(Encoder.load(tmp_path / "saved").encode(TEXTS), vectors)

    theirs.save(str(tmp_path / "theirs"))
    np.testing.assert_allclose(Encoder.load(tmp_path / "theirs").encode(TEXTS), vectors, atol=1e-5)
    for folder in ("saved", "theirs"):
        backbone = load_backbone(str(tmp_path / folder), device="cpu")
        np.testing.assert_allclose(encode_bulk(backbone, TEXTS, dtype=torch.float32), vectors, atol=1e-5)


def test_their_own_evaluator_runs_on_a_saved_folder(encoder, tmp_path):
    sentence_transformers = pytest.importorskip(SENTENCES)
    evaluation = pytest.importorskip(f"{SENTENCES}.sentence_transformer.evaluation")
    encoder.save(tmp_path / "saved")
    corpus = {str(number): text for number, text in enumerate(TEXTS[:3])}
    evaluator = evaluation.InformationRetrievalEvaluator(
        corpus, corpus, {number: {number} for number in corpus}, accuracy_at_k=[1], map_at_k=[3], write_csv=False
    )
    figures = evaluator(sentence_transformers.SentenceTransformer(str(tmp_path / "saved"), device="cpu"))
    assert figures["cosine_accuracy@1"] == figures["cosine_map@3"] == 1.0  # each text finds itself first


def test_an_encoder_that_pools_in_another_way_is_refused(encoder, tmp_path):
    encoder.save(tmp_path / "saved")
    folder = tmp_path / "saved" / "backbone"
    (folder / "modules.json").write_text((tmp_path / "saved" / "modules.json").read_text().replace('"backbone"', '""'))
    (folder / "1_Pooling").mkdir()  # the folder of the transformer becomes one of sentence-transformers
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    with pytest.raises(BackboneError, match="must be the mean"):
        Encoder.load(folder)


def test_fit_returns_a_trained_encoder_and_leaves_the_first_as_it_was(encoder):
    before = encoder.encode(TEXTS)
    questions = [
        {"text": f"{verb} {number} and {number + 3}.", "concepts": [["Numbers", verb]]}
        for verb in ("Add", "Multiply", "Subtract")
        for number in range(20)
    ]
    trained = encoder.fit(questions, "Arithmetic", objective="last-layer", metric_steps=5)
    assert trained.model.manifest.extra["hierarchies"].keys() == {"Arithmetic"}
    assert abs(trained.encode(TEXTS) - before).max() > 1e-3
    np.testing.assert_array_equal(encoder.encode(TEXTS), before)
    folder = trained.folder
    assert folder.is_dir()
    del trained
    gc.collect()
    assert not folder.exists()


def test_an_encoder_without_weights_is_not_looked_for_elsewhere(tiny_export, tmp_path):
    for use in (lambda encoder: encoder.save(tmp_path / "saved"), lambda encoder: encoder.fit([], "Topics")):
        with pytest.raises(ArtifactError, match="the weights of tiny-bert-32 were not stored with it"):
            use(Encoder.load(tiny_export))


def test_probes_refuse_another_encoder(tiny_export):
    with pytest.raises(DataError, match="vectors of Kindred starter: load that encoder instead of tiny-bert-32"):
        Probes.load(encoder=Encoder.load(tiny_export))


# These calls are refused before a model is asked.
ENCODER, SCORER = Encoder(Mock(), Path()), ParaphraseScorer(Mock())
SOLVER, RETRIEVER = Solver(Mock()), Retriever(Mock(), Mock())


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: ENCODER.encode(None), "Give a list of texts, not NoneType."),
        (lambda: ENCODER.encode("Solve it."), "Give a list of texts, not str."),
        (lambda: ENCODER.encode(["Solve it.", None]), "Text 2 is not a string but NoneType."),
        (lambda: ENCODER.encode(["\0"]), "Text 1 holds a NUL character."),
        (lambda: ENCODER.fit(None, "Topics"), "Give a list of questions, not NoneType."),
        (lambda: ENCODER.fit([{"concepts": []}], "Topics"), "Question 1 has no text."),
        (lambda: ENCODER.fit(["Solve it."], "Topics"), "Question 1 is not a dictionary but str."),
        (lambda: ENCODER.fit([], "Topics", epochz=1), "epochz is not a setting; "),
        (lambda: SCORER.score(None), "Give a list of pairs, not NoneType."),
        (lambda: SCORER.score([("one",)]), "A pair is an original and a paraphrase, not 1 texts."),
        (lambda: SOLVER.solve(None), "Problem 1 has no text."),
        (lambda: SOLVER.solve(3), "Problem 1: the text is not a string."),
        (lambda: RETRIEVER.exemplars("How many?", None), "Give a list of problems, not NoneType."),
        (lambda: RETRIEVER.exemplars("How many?", [{"text": 3}]), "Problem 1: the text is not a string."),
        (lambda: Solver.load("fr"), "fr is neither a folder nor one of the languages with a packaged solver model (en"),
        (lambda: Probes.load("missing"), "missing is neither a folder"),
        (lambda: Encoder.load(ROOT), "holds no model: give a folder that `python -m analytics train encoder` wrote."),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_one_sentence(call, sentence):
    with pytest.raises(AnalyticsError, match=re.escape(sentence)):
        call()


def test_no_texts_get_no_results(tiny_export):
    assert Encoder.load(tiny_export).encode([]).shape == (0, 32)


def test_a_long_text_is_cut_or_declined(tiny_export):
    text = "How much is 3 + 4? " * 1100  # 20 kB
    assert Encoder.load(tiny_export).encode([text]).shape == (1, 32)
    with pytest.raises(DataError, match="the text has 60,000 characters, more than 50,000"):
        SOLVER.solve("?" * 60_000)
