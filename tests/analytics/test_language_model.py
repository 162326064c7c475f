"""Asking a language model, against a server that answers on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from analytics.errors import DataError, LanguageModelError
from analytics.language_model import LanguageModel
from tests.language_model_server import language_model_server, said

KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[SimpleNamespace]:
    with language_model_server() as running:
        yield running


@pytest.fixture
def model(server: SimpleNamespace) -> Iterator[Callable[..., LanguageModel]]:
    opened: list[LanguageModel] = []

    def make(**options: object) -> LanguageModel:
        server.waits = []
        made = LanguageModel(
            options.pop("url", server.url), "tiny", key=KEY, wait=server.waits.append, **options
        )
        opened.append(made)
        return made

    yield make
    for one in opened:
        one.__exit__(None, None, None)


def test_a_question_is_sent_as_openai_wants_it(server, model):
    assert model(url=server.url + "/").ask("How much is 2 + 3?", instruction="Answer.") == "Yes."
    assert server.asked == [
        (
            "/v1/chat/completions",
            f"Bearer {KEY}",
            {
                "model": "tiny",
                "messages": [
                    {"role": "system", "content": "Answer."},
                    {"role": "user", "content": "How much is 2 + 3?"},
                ],
            },
        )
    ]


def test_without_a_key_none_is_sent(server):
    with LanguageModel(server.url, "tiny") as model:
        model.ask("Hello")
    assert server.asked[0][1] is None


def test_a_busy_server_is_asked_again_when_it_says(server, model):
    server.answers = [(429, {}, {"Retry-After": "7"}), (503, {}, {}), (200, said("Now."), {})]
    assert model().ask("Hello") == "Now."
    assert server.waits == [7.0, 2.0]
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_given_up(server, model):
    server.answers = [(503, {"error": {"message": f"Overloaded, {KEY}."}}, {"Retry-After": "3600"})]
    with pytest.raises(LanguageModelError, match=r"answers 503: Overloaded, \*\*\*\.$"):
        model().ask("Hello")
    assert server.waits == [30.0, 30.0]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((401, {"error": {"message": f"Wrong key {KEY}"}}, {}), r"127\.0\.0\.1 refuses the key \(401\)\.$"),
        ((404, {}, {}), "knows neither the address nor a model 'tiny'"),
        ((400, b"<html>", {}), "answers 400"),
        ((302, {}, {"Location": "http://127.0.0.1:1/"}), "answers 302"),
        ((200, b"<html>", {}), "another format"),
        ((200, [], {}), "another format"),
        ((200, {"choices": []}, {}), "another format"),
        ((200, b" " * 2_000_001, {}), "more than 2,000,000 bytes"),
    ],
)
def test_what_is_no_answer_is_one_sentence_without_the_key_and_not_asked_again(
    server, model, answer, sentence
):
    server.answers = [answer]
    with pytest.raises(LanguageModelError, match=sentence) as raised:
        model().ask("Hello")
    assert KEY not in str(raised.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize("text", [None, "", "  "])
def test_an_answer_without_a_text_is_a_matter_of_this_question_only(server, model, text):
    server.answers = [(200, said(text), {})]
    with pytest.raises(DataError):
        model().ask("Hello")


def test_a_server_that_cannot_be_reached_is_tried_three_times(server, model):
    with pytest.raises(LanguageModelError, match=r"127\.0\.0\.1 cannot be reached"):
        model(url="http://127.0.0.1:1/v1").ask("Hello")
    assert server.waits == [1.0, 2.0]


def test_a_server_that_trickles_is_given_up_at_the_limit(server, model, monkeypatch):
    moments = iter(range(0, 1000, 40))
    monkeypatch.setattr("analytics.language_model.time.monotonic", lambda: next(moments))
    with pytest.raises(LanguageModelError, match="it takes too long"):
        model(seconds=30.0).ask("Hello")
    assert len(server.asked) == 3


@pytest.mark.parametrize("url", ["", "models.school.example/v1", "ftp://me:pass@models/v1", "http://"])
def test_what_is_no_address_is_refused_and_not_repeated(url):
    with pytest.raises(LanguageModelError) as raised:
        LanguageModel(url, "tiny")
    assert "pass" not in str(raised.value)


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it():
    with pytest.raises(LanguageModelError) as raised:
        LanguageModel("http://models/v1", "tiny", key="sk-ü\n")
    assert "sk-" not in str(raised.value)
