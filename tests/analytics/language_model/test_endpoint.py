"""Asking a language model, against a server that answers on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest

from analytics.errors import DataError, LanguageModelError
from analytics.language_model.endpoint import EndpointModel, RateLimit
from analytics.language_model.protocol import AskOptions, Message, ModelAnswer, conversation
from tests.language_model_server import language_model_server, said, streamed

KEY = "sk-very-secret"
HELLO = conversation("Hello")


@pytest.fixture
def server() -> Iterator[SimpleNamespace]:
    with language_model_server() as running:
        yield running


@pytest.fixture
def model(server: SimpleNamespace) -> Iterator[Callable[..., EndpointModel]]:
    opened: list[EndpointModel] = []

    def make(**options: object) -> EndpointModel:
        server.waits = []
        made = EndpointModel(options.pop("url", server.url), "tiny", key=KEY, wait=server.waits.append, **options)
        opened.append(made)
        return made

    yield make
    for endpoint in opened:
        endpoint.__exit__(None, None, None)


def test_a_question_is_sent_as_openai_wants_it(server, model):
    assert model(url=server.url + "/").ask(conversation("How much is 2 + 3?", instruction="Answer.")).text == "Yes."
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


SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}}


def test_a_schema_and_the_alternatives_of_tokens_are_asked_for_and_read(server, model):
    answer = said("yes")
    token = {"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2.5}]}
    answer["choices"][0]["logprobs"] = {"content": [token]}
    server.answers = [(200, answer, {})]
    given = model().ask(HELLO, AskOptions(schema=SCHEMA, top_logprobs=5))
    body = server.asked[0][2]
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert (body["logprobs"], body["top_logprobs"]) == (True, 5)
    assert [(token.text, dict(token.alternatives)) for token in given.tokens] == [("yes", {"yes": -0.1, "no": -2.5})]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"error": "unknown field"}),
        (500, {"error": {"message": "1 validation error: ('body', 'response_format', 'type')"}}),  # llama-cpp-python
        (500, {"error": {"message": "logprobs is not supported for models created with logits_all=False"}}),
    ],
)
def test_a_server_that_refuses_a_schema_is_asked_without_from_then_on(server, model, status, error):
    server.answers = [(status, error, {}), (200, said("yes"), {})]
    asked = model()
    assert asked.ask(HELLO, AskOptions(schema=SCHEMA, top_logprobs=5)).text == "yes"
    assert asked.ask(HELLO, AskOptions(schema=SCHEMA)).text == "yes"
    assert ["response_format" in body for _path, _key, body in server.asked] == [True, False, False]


def test_alternatives_in_another_format_are_left_out(server, model):
    answer = said("yes")
    answer["choices"][0]["logprobs"] = {"content": [{"token": "yes", "logprob": "much"}]}
    server.answers = [(200, answer, {})]
    assert model().ask(HELLO, AskOptions(top_logprobs=5)).tokens == ()


def test_without_a_key_none_is_sent(server):
    with EndpointModel(server.url, "tiny") as model:
        model.ask(HELLO)
    assert server.asked[0][1] is None


def test_a_busy_server_is_asked_again_when_it_says(server, model):
    server.answers = [(429, {}, {"Retry-After": "7"}), (503, {}, {}), (200, said("Now."), {})]
    assert model().ask(HELLO).text == "Now."
    assert server.waits == [7.0, 2.0]
    assert len(server.asked) == 3


def test_a_server_that_stays_busy_is_given_up(server, model):
    server.answers = [(503, {"error": {"message": f"Overloaded, {KEY}."}}, {"Retry-After": "3600"})]
    with pytest.raises(LanguageModelError, match=r"is too busy \(503\): Overloaded, \*\*\*\.$"):
        model().ask(HELLO)
    assert server.waits == [30.0, 30.0]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((401, {"error": {"message": f"Wrong key {KEY}"}}, {}), r"127\.0\.0\.1 refuses the key \(401\)\.$"),
        ((404, {}, {}), "knows neither the address nor a model 'tiny'"),
        ((400, b"<html>", {}), "answers 400"),
        ((302, {}, {"Location": "http://127.0.0.1:1/"}), "answers 302"),
        ((200, b"<html>", {}), "in OpenAI's format"),
        ((200, [], {}), "in OpenAI's format"),
        ((200, {"choices": []}, {}), "in OpenAI's format"),
        ((200, b" " * 2_000_001, {}), "more than 2,000,000 bytes"),
    ],
)
def test_what_is_no_answer_is_one_sentence_without_the_key_and_not_asked_again(server, model, answer, sentence):
    server.answers = [answer]
    with pytest.raises(LanguageModelError, match=sentence) as raised:
        model().ask(HELLO)
    assert KEY not in str(raised.value)
    assert len(server.asked) == 1


@pytest.mark.parametrize("text", [None, "", "  "])
def test_an_answer_without_a_text_is_a_matter_of_this_question_only(server, model, text):
    server.answers = [(200, said(text), {})]
    with pytest.raises(DataError):
        model().ask(HELLO)


def test_a_server_that_cannot_be_reached_is_tried_three_times(server, model):
    with pytest.raises(LanguageModelError, match=r"127\.0\.0\.1 cannot be reached"):
        model(url="http://127.0.0.1:1/v1").ask(HELLO)
    assert server.waits == [1.0, 2.0]


def test_a_server_that_trickles_is_given_up_at_the_limit(server, model, monkeypatch):
    moments = iter(range(0, 1000, 40))
    monkeypatch.setattr("analytics.language_model.endpoint.time.monotonic", lambda: next(moments))
    with pytest.raises(LanguageModelError, match="it takes too long"):
        model(seconds=30.0).ask(HELLO)
    assert len(server.asked) == 3


@pytest.mark.parametrize("url", ["", "models.school.example/v1", "ftp://me:pass@models/v1", "http://"])
def test_what_is_no_address_is_refused_and_not_repeated(url):
    with pytest.raises(LanguageModelError) as raised:
        EndpointModel(url, "tiny")
    assert "pass" not in str(raised.value)


def test_a_key_that_no_header_can_hold_is_refused_without_showing_it():
    with pytest.raises(LanguageModelError) as raised:
        EndpointModel("http://models/v1", "tiny", key="sk-ü\n")
    assert "sk-" not in str(raised.value)


def test_messages_and_options_are_sent_and_tokens_counted(server, model):
    body = said("72") | {"usage": {"prompt_tokens": 9, "completion_tokens": 1}}
    body["choices"][0]["finish_reason"] = "length"
    server.answers = [(200, body, {})]
    messages = [Message("user", "1?"), Message("assistant", "1"), Message("user", "72?")]
    options = AskOptions(temperature=0.0, seed=7, max_tokens=1)
    assert model().ask(messages, options) == ModelAnswer("72", 9, 1, is_cut=True)
    sent = server.asked[0][2]
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    assert {name: sent[name] for name in ("temperature", "seed", "max_tokens")} == {
        "temperature": 0.0, "seed": 7, "max_tokens": 1
    }  # fmt: skip


def test_an_answer_is_streamed_piece_by_piece(server, model):
    server.answers = [streamed("Six ", "times ", "4.")]
    pieces: list[str] = []
    answer = model().ask(HELLO, on_text=pieces.append)
    assert pieces == ["Six ", "times ", "4."]
    assert answer == ModelAnswer("Six times 4.", 5, 3)
    assert server.asked[0][2]["stream"] is True


@pytest.mark.parametrize("last", [{}, {"choices": None}, {"choices": []}, {"object": "chat.completion.chunk"}])
def test_an_event_that_only_counts_tokens_needs_no_choices(server, model, last):
    server.answers = [streamed("Six ", "times 4.", last=last)]
    assert model().ask(HELLO, on_text=lambda piece: None) == ModelAnswer("Six times 4.", 5, 2)


@pytest.mark.parametrize("event", ['{"object": "chunk"}', '{"choices": null}', '{"usage": null}', "[]"])
def test_an_event_with_neither_choices_nor_counts_is_another_format(server, model, event):
    body = f'data: {{"choices": [{{"delta": {{"content": "Six"}}}}]}}\n\ndata: {event}\n\ndata: [DONE]\n\n'
    server.answers = [(200, body.encode(), {"Content-Type": "text/event-stream"})]
    with pytest.raises(LanguageModelError, match="in OpenAI's format"):
        model().ask(HELLO, on_text=lambda piece: None)


def test_a_server_that_does_not_stream_is_understood_too(server, model):
    pieces: list[str] = []
    assert model().ask(HELLO, on_text=pieces.append).text == "Yes."
    assert pieces == ["Yes."]


def test_whoever_listens_can_end_an_answer(server, model):
    class Enough(Exception):
        pass

    def stop(_piece: str) -> None:
        raise Enough

    server.answers = [streamed("Six ", "times ")]
    with pytest.raises(Enough):
        model().ask(HELLO, on_text=stop)
    assert len(server.asked) == 1


def test_a_stream_that_breaks_off_is_not_begun_again(server, model):
    status, body, headers = streamed("Six ", "times ")
    body = body.removesuffix(b"data: [DONE]\n\n")
    server.answers = [(status, body, {**headers, "Content-Length": str(len(body) + 50)})]
    with pytest.raises(LanguageModelError, match="cannot be reached"):
        model(seconds=0.5).ask(HELLO, on_text=lambda piece: None)
    assert len(server.asked) == 1


def test_a_stream_of_nonsense_is_another_format(server, model):
    server.answers = [(200, b"data: {oops\n\n", {"Content-Type": "text/event-stream"})]
    with pytest.raises(LanguageModelError, match="in OpenAI's format"):
        model().ask(HELLO, on_text=lambda piece: None)


def test_every_try_counts_against_the_rate_limit(server, model):
    waits: list[float] = []
    limit = RateLimit(2, clock=lambda: 0.0, wait=waits.append)
    server.answers = [(429, {}, {}), (429, {}, {}), (200, said("Now."), {})]
    assert model(rate_limit=limit).ask(HELLO).text == "Now."
    assert waits == [60.0]


def test_requests_beyond_the_limit_wait_until_a_minute_has_passed() -> None:
    now = [0.0]
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    limit = RateLimit(2, clock=lambda: now[0], wait=wait)
    limit.acquire()
    now[0] = 10.0
    limit.acquire()
    assert waits == []
    now[0] = 25.0
    limit.acquire()
    assert waits == [35.0]
    limit.acquire()  # the second began at 10, so the next may at 70
    assert waits == [35.0, 10.0]


def test_without_a_limit_nobody_waits() -> None:
    limit = RateLimit(0, clock=lambda: 0.0, wait=lambda seconds: 1 / 0)
    for _request in range(5):
        limit.acquire()
