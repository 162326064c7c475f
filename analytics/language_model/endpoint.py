"""A language model behind an OpenAI-compatible HTTP endpoint, and a limit on its requests per minute. Torch-free.

Hosted models, vLLM, llama.cpp's server and Ollama all support ``POST BASE/chat/completions``. Only fields
that all of them know are sent, and two that some refuse: a server that refuses the schema of an answer or the
log-probabilities of its tokens is asked again without them.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from threading import Lock
from types import TracebackType
from typing import Any

import httpx2

from analytics.errors import DataError, LanguageModelError
from analytics.language_model.protocol import (
    DEFAULT_OPTIONS,
    AnswerToken,
    AskOptions,
    Message,
    ModelAnswer,
    OnText,
    ask_each,
)

_BUSY = frozenset({429, 503})
_PASSING = _BUSY | {408, 500, 502, 504}  # statuses after which a retry may help
_UNKNOWN_FIELD = frozenset({400, 404, 415, 422, 501})  # statuses with which servers refuse a field
_LARGEST = 2_000_000  # bytes of a response
_LONGEST_WAIT = 30.0  # seconds, regardless of Retry-After
_REASON_LENGTH = 200  # characters of the server's message quoted in an error
_EVENT = b"data:"
_LAST_EVENT = b"[DONE]"
_TRIES = 3  # an answer of which a part was already passed on is not retried
_MINUTE = 60.0


class RateLimit:
    """Lets at most `per_minute` requests begin in any minute; later ones wait. Thread-safe.

    Args:
        per_minute: 0 for no limit.
        clock: monotonic clock in seconds.
        wait: sleep function.
    """

    def __init__(
        self,
        per_minute: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.per_minute, self._clock, self._wait = per_minute, clock, wait
        self._begun: deque[float] = deque(maxlen=per_minute or 1)
        self._lock = Lock()

    def acquire(self) -> None:
        """Block until another request may begin."""
        if not self.per_minute:
            return
        with self._lock:  # a waiting caller holds the lock, so that the others wait in order
            if len(self._begun) == self.per_minute:
                left = self._begun[0] + _MINUTE - self._clock()
                if left > 0:
                    self._wait(left)
            self._begun.append(self._clock())


_UNLIMITED = RateLimit(0)


class EndpointModel:
    """Client of a language model; a context manager that closes its connections.

    Args:
        base_url: URL with the version, such as ``https://models.school.example/v1``.
        name: the endpoint's name for the model.
        key: sent as a bearer token; empty if the endpoint needs none. Errors never include it.
        seconds: timeout for one answer.
        wait: sleep function used between tries.
        rate_limit: limits the rate of requests, counting every try.

    Raises:
        LanguageModelError: the address is not an HTTP address, or the key cannot be sent.
    """

    def __init__(
        self,
        base_url: str,
        name: str,
        *,
        key: str = "",
        seconds: float = 60.0,
        wait: Callable[[float], None] = time.sleep,
        rate_limit: RateLimit = _UNLIMITED,
    ) -> None:
        try:
            url = httpx2.URL(base_url)
        except httpx2.InvalidURL:
            url = httpx2.URL("")
        if url.scheme not in ("http", "https") or not url.host:
            raise LanguageModelError("The address of a language model begins with http:// or https://.")
        if not (key.isascii() and key.isprintable()):
            raise LanguageModelError("The key of the language model contains a character that no header can have.")
        self.name, self.host = name, url.host
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._key, self._seconds, self._wait = key, seconds, wait
        self._rate_limit = rate_limit
        self._takes_further_fields = True
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.Client(headers=headers, timeout=seconds)

    def __enter__(self) -> EndpointModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def ask(
        self, messages: Sequence[Message], options: AskOptions = DEFAULT_OPTIONS, *, on_text: OnText | None = None
    ) -> ModelAnswer:
        """Return the model's answer; see `LanguageModel.ask`.

        Raises:
            LanguageModelError: it cannot be reached, rejects the request or responds in another format.
            DataError: the answer has no text.
        """
        reply = self._reply(messages, options, on_text)
        if not reply.text.strip():
            raise DataError(f"The language model {self.name} returned no text.")
        is_cut = reply.finish == "length"
        return ModelAnswer(reply.text, reply.prompt_tokens, reply.answer_tokens, is_cut, reply.tokens)

    def ask_all(self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS) -> list[str]:
        """Return the answer to each conversation; see `LanguageModel.ask_all`."""
        return ask_each(self, conversations, options)

    def _reply(self, messages: Sequence[Message], options: AskOptions, on_text: OnText | None) -> _Reply:
        """Return the reply; a server that refuses further fields is asked without them from then on."""
        has_further_fields = options.schema is not None or options.top_logprobs is not None
        plain = replace(options, schema=None, top_logprobs=None)
        if has_further_fields and self._takes_further_fields:
            try:
                return self._post(self._body(messages, options, on_text), on_text)
            except _FieldRefused:
                reply = self._post(self._body(messages, plain, on_text), on_text)
                self._takes_further_fields = False  # not if the plain request is refused too
                return reply
        return self._post(self._body(messages, plain, on_text), on_text)

    def _body(self, messages: Sequence[Message], options: AskOptions, on_text: OnText | None) -> dict[str, Any]:
        numbers = {"temperature": options.temperature, "seed": options.seed, "max_tokens": options.max_tokens}
        body: dict[str, Any] = {"model": self.name, "messages": [asdict(message) for message in messages]}
        body |= {name: value for name, value in numbers.items() if value is not None}
        if options.schema is not None:
            schema = {"name": "answer", "schema": options.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if options.top_logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": options.top_logprobs}
        if on_text is not None:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def _post(self, body: Mapping[str, Any], on_text: OnText | None) -> _Reply:
        for left in reversed(range(_TRIES)):
            pause = 2.0 ** (_TRIES - left - 1)
            handed_on = _HandedOn(on_text)
            self._rate_limit.acquire()
            try:
                response = self._response(body, handed_on)
            except httpx2.HTTPError as error:
                if left and not handed_on.any:
                    self._wait(pause)
                    continue
                reason = str(error) or type(error).__name__
                raise self._error(f"cannot be reached: {self._hidden(reason)}") from error
            if isinstance(response, _Reply):
                return response
            if _refuses_field(response, body):
                raise _FieldRefused(str(self._refusal(response)))
            if left and response.status_code in _PASSING:
                self._wait(_asked_pause(response) or pause)
                continue
            raise self._refusal(response)
        raise AssertionError("the last try returns or raises")

    def _response(self, body: Mapping[str, Any], handed_on: _HandedOn) -> _Reply | httpx2.Response:
        """Return the reply, or the error response; the time limit also ends slowly trickling responses."""
        with self._client.stream("POST", self._address, json=body) as response:
            chunks = self._chunks(response)
            if not response.is_success:
                return httpx2.Response(
                    response.status_code, content=b"".join(chunks), headers=_needed_headers(response)
                )
            try:
                if response.headers.get("content-type", "").startswith("text/event-stream"):
                    return _streamed_reply(chunks, handed_on)
                reply = _whole_reply(json.loads(b"".join(chunks)))
            except (ValueError, KeyError, IndexError, TypeError, AttributeError):
                raise self._error("does not answer in OpenAI's format") from None
        handed_on(reply.text)
        return reply

    def _chunks(self, response: httpx2.Response) -> Iterator[bytes]:
        end = time.monotonic() + self._seconds
        size = 0
        for chunk in response.iter_bytes():
            size += len(chunk)
            if size > _LARGEST:
                raise self._error(f"returned more than {_LARGEST:,} bytes")
            if time.monotonic() > end:
                raise httpx2.ReadTimeout("it takes too long", request=response.request)
            yield chunk

    def _refusal(self, response: httpx2.Response) -> LanguageModelError:
        status = response.status_code
        if status in (401, 403):
            return self._error(f"refuses the key ({status})")
        if status == 404:
            return self._error(f"knows neither the address nor a model {self.name!r} (404)")
        reason = self._hidden(_reason(response))
        return self._error(f"is too busy ({status}){reason}" if status in _BUSY else f"answers {status}{reason}")

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    def _error(self, what: str) -> LanguageModelError:
        return LanguageModelError(f"The language model at {self.host} {what}.")


def _refuses_field(response: httpx2.Response, body: Mapping[str, Any]) -> bool:
    """Return whether a request may have failed for a field that not all servers know.

    Some servers answer 500 to such a field (llama-cpp-python's), but name it.
    """
    fields = body.keys() & {"response_format", "logprobs"}
    return bool(fields) and (response.status_code in _UNKNOWN_FIELD or any(field in response.text for field in fields))


class _FieldRefused(LanguageModelError):
    """The server refuses a request that has fields which not all servers know."""


@dataclass(slots=True)
class _Reply:
    """The server's reply."""

    text: str
    prompt_tokens: int | None
    answer_tokens: int | None
    finish: str
    tokens: tuple[AnswerToken, ...] = ()


class _HandedOn:
    """Passes on pieces of an answer, and remembers whether there were any."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text, self.any = on_text, False

    def __call__(self, text: str) -> None:
        if self._on_text is not None and text:
            self.any = True
            self._on_text(text)


def _whole_reply(body: Any) -> _Reply:
    choice = body["choices"][0]
    text = choice["message"]["content"]
    return _Reply(
        text if isinstance(text, str) else "",
        *_usage(body.get("usage")),
        str(choice.get("finish_reason")),
        _answer_tokens(choice.get("logprobs")),
    )


def _answer_tokens(logprobs: Any) -> tuple[AnswerToken, ...]:
    """Return the tokens of an answer with their alternatives; none if the server reports them in another format."""
    try:
        return tuple(
            AnswerToken(
                str(token["token"]),
                {str(other["token"]): float(other["logprob"]) for other in (token, *(token.get("top_logprobs") or ()))},
            )
            for token in logprobs["content"]
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()


def _streamed_reply(chunks: Iterator[bytes], handed_on: _HandedOn) -> _Reply:
    """Parse the reply from server-sent events, passing on each piece as it arrives.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: an event is not in OpenAI's format.
    """
    reply = _Reply("", None, None, "")
    pieces: list[str] = []
    for event in _events(chunks):
        usage = event.get("usage")
        if usage:
            reply.prompt_tokens, reply.answer_tokens = _usage(usage)
        # The event with the token counts has no choices; some servers omit the field or send null.
        choices = (event.get("choices") or []) if usage else event["choices"]
        for choice in choices[:1]:
            reply.finish = choice.get("finish_reason") or reply.finish
            piece = (choice.get("delta") or {}).get("content")
            if isinstance(piece, str):
                pieces.append(piece)
                handed_on(piece)
    reply.text = "".join(pieces)
    return reply


def _events(chunks: Iterator[bytes]) -> Iterator[Any]:
    """Yield the objects of an event stream until its final event."""
    buffer = b""
    for chunk in chunks:
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            if not line.startswith(_EVENT):
                continue  # blank lines, comments and event names
            data = line.removeprefix(_EVENT).strip()
            if data == _LAST_EVENT:
                return
            yield json.loads(data)


def _usage(usage: Any) -> tuple[int | None, int | None]:
    """Return the prompt and answer token counts, if the server reports them."""
    counts = usage if isinstance(usage, dict) else {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return (read if isinstance(read, int) else None), (written if isinstance(written, int) else None)


def _needed_headers(response: httpx2.Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name in ("content-type", "retry-after")}


def _asked_pause(response: httpx2.Response) -> float:
    """Return the server's requested delay before a retry in seconds; 0 if it gives none."""
    value = response.headers.get("retry-after", "")
    return min(float(value), _LONGEST_WAIT) if value.isascii() and value.isdecimal() else 0.0


def _reason(response: httpx2.Response) -> str:
    """Return the server's error message, worded as the end of a sentence."""
    try:
        said = response.json()["error"]
        said = said["message"] if isinstance(said, dict) else said
    except (ValueError, KeyError, TypeError):
        return ""
    words = " ".join(str(said).split()).rstrip(".")
    return f": {words[:_REASON_LENGTH]}" if words else ""
