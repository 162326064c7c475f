"""Pairs that the school's language model judges after they are scored."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from analytics.language_model.pairs import Judgement
from questionbank.core.database import database_now
from questionbank.models import LanguageModelAnswer, LanguageModelUse, ParaphrasePair
from questionbank.registry.language_model_selectors import _rate_limit
from questionbank.review.evidence_services import judgement_store, judgements_withdraw
from questionbank.similar.suggestion_services import language_model_exclude
from tests.factories import QuestionFactory
from tests.language_model_server import language_model_server
from worker.paraphrase.jobs import judge_pairs

ORIGINAL = "A tank loses 5 litres every 2 minutes. How much does it lose in 10 minutes?"
CHANGED = "Five litres leave a tank every 3 minutes. What does it lose in 10 minutes?"


@pytest.fixture
def server(settings, db):
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "large"
        settings.LANGUAGE_MODEL_PER_MINUTE = settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 0
        _rate_limit.cache_clear()
        running.reply = lambda _messages: json.dumps({"verdict": "different", "words": "every 3 minutes"})
        LanguageModelUse.objects.create(
            use="pairs", verdict="passed", name="large", host="127.0.0.1",
            weights={"leaning": 2.0, "middle": 0.0}, switched_on_at=database_now(),
        )  # fmt: skip
        yield running


@pytest.fixture
def reporter():
    logged: list[str] = []

    def nothing(*_arguments: object) -> None:
        """Report nothing."""

    return SimpleNamespace(
        check=nothing, give_way=nothing, progress=nothing, logged=logged, log=lambda text, level: logged.append(text)
    )


def scored(verdict: float | None = 0.5, **fields: object) -> ParaphrasePair:
    return ParaphrasePair.objects.create(
        original=ORIGINAL, paraphrase=CHANGED, source="rules", verdict=verdict, findings=[], **fields
    )


def test_a_judgement_moves_the_verdict_once_and_shows_the_words_that_differ(server, reporter):
    pair = scored()
    assert judge_pairs(reporter, [pair.pk]) == 1
    pair.refresh_from_db()
    assert pair.verdict == pytest.approx(0.1192, abs=1e-4)
    (finding,) = pair.findings
    assert finding["sentence"] == "Read with large at 127.0.0.1: “every 3 minutes” makes the difference."
    assert CHANGED[slice(*finding["paraphrase"])] == "every 3 minutes"
    assert finding["original"] is None
    assert not finding["is_serious"]
    assert judge_pairs(reporter, [pair.pk]) == 0  # its verdict has the judgement already
    assert len(server.asked) == 2  # in both orders, once


def test_a_pair_that_is_scored_anew_gets_the_kept_judgement(server, reporter):
    pair = scored()
    judge_pairs(reporter, [pair.pk])
    ParaphrasePair.objects.update(verdict=0.7, findings=[])
    assert judge_pairs(reporter, [pair.pk]) == 1
    pair.refresh_from_db()
    assert pair.verdict == pytest.approx(0.24, abs=0.01)
    assert len(server.asked) == 2


def test_a_switched_off_use_gives_the_verdict_back(server, reporter):
    pair = scored()
    judge_pairs(reporter, [pair.pk])
    assert judgements_withdraw() == 0  # it is on
    LanguageModelUse.objects.update(lapsed="Another model answers.")
    assert judgements_withdraw() == 1
    pair.refresh_from_db()
    assert (pair.verdict, pair.findings) == (0.5, [])
    assert not LanguageModelAnswer.objects.exists()
    assert judge_pairs(reporter, [pair.pk]) == 0
    assert len(server.asked) == 2


def test_excluding_the_question_gives_the_verdict_back_and_asks_anew_when_it_is_allowed(server, reporter, teacher):
    question = QuestionFactory(text=ORIGINAL, created_by=teacher)
    pair, other = scored(question=question), scored()
    judge_pairs(reporter, [pair.pk, other.pk])
    language_model_exclude(question=question, is_excluded=True, user=teacher)
    pair.refresh_from_db()
    assert (pair.verdict, pair.findings) == (0.5, [])
    assert LanguageModelAnswer.objects.get().pair == other
    server.asked.clear()
    assert judge_pairs(reporter, [pair.pk]) == 0
    row = LanguageModelUse.objects.get()
    assert not judgement_store(pair=pair, judgement=Judgement(-1.0, "every 3 minutes"), row=row)  # it was being asked
    assert server.asked == []
    language_model_exclude(question=question, is_excluded=False, user=teacher)
    assert judge_pairs(reporter, [pair.pk]) == 1
    assert len(server.asked) == 2


def test_a_question_that_is_excluded_during_the_job_is_not_sent(server, reporter, teacher):
    question = QuestionFactory(text=ORIGINAL, created_by=teacher)
    pairs = [scored(), scored(question=question)]

    def excluding(place: int, *_rest: object) -> None:
        language_model_exclude(question=question, is_excluded=place == 1, user=teacher)

    reporter.progress = excluding
    assert judge_pairs(reporter, [pair.pk for pair in pairs]) == 1
    assert len(server.asked) == 2  # the first pair, in both orders


def test_decided_and_unscored_pairs_are_not_sent(server, reporter):
    pairs = [scored(state="decided", outcome="accept"), scored(None)]
    assert judge_pairs(reporter, [pair.pk for pair in pairs]) == 0
    assert server.asked == []


@pytest.mark.parametrize("said", ["They are the same.", '{"verdict": "different", "words": "every 7 hours"}'])
def test_what_cannot_be_checked_changes_nothing(server, reporter, said):
    server.reply = lambda _messages: said
    pair = scored()
    assert judge_pairs(reporter, [pair.pk]) == 0
    pair.refresh_from_db()
    assert (pair.verdict, pair.findings) == (0.5, [])
    assert "cannot be used" in LanguageModelAnswer.objects.get().reason


def test_a_failing_server_leaves_the_verdicts_and_a_sentence(server, reporter):
    server.reply = lambda _messages: (401, {"error": "expired"}, {})
    pair = scored()
    assert judge_pairs(reporter, [pair.pk]) == 0
    pair.refresh_from_db()
    assert pair.verdict == 0.5
    assert "refuses the key" in reporter.logged[0]
