"""A language model behind an OpenAI-compatible endpoint, asked over HTTP. Torch-free.

``POST BASE/chat/completions`` is what hosted models, vLLM, llama.cpp's server and Ollama answer alike. Only the
fields that all of them know are sent: a model and its messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import httpx2

from analytics.errors import DataError, LanguageModelError

__all__ = ["LanguageModel"]

_PASSING = frozenset({408, 429, 500, 502, 503, 504})  # statuses after which asking again may help
_LARGEST = 2_000_000  # bytes of an answer
_LONGEST_WAIT = 30.0  # seconds, whatever Retry-After says
_REASON_LENGTH = 200  # characters of the server's own words that an error repeats


class LanguageModel:
    """Asks a language model; a context manager that closes its connections.

    Args:
        base_url: with the version, such as ``https://models.school.example/v1``.
        name: of the model, as the endpoint calls it.
        key: sent as a bearer token; empty where the endpoint wants none. No error repeats it.
        seconds: that one question may take.
        tries: of a question, where the endpoint is busy or cannot be reached.
        wait: sleeps between tries.

    Raises:
        LanguageModelError: the address is no HTTP address, or the key cannot be sent.
    """

    def __init__(
        self,
        base_url: str,
        name: str,
        *,
        key: str = "",
        seconds: float = 60.0,
        tries: int = 3,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            url = httpx2.URL(base_url)
        except httpx2.InvalidURL:
            url = httpx2.URL("")
        if url.scheme not in ("http", "https") or not url.host:
            raise LanguageModelError("The address of a language model begins with http:// or https://.")
        if not (key.isascii() and key.isprintable()):
            raise LanguageModelError("The key of the language model holds a sign that no header can hold.")
        self.name, self.host = name, url.host
        self._address = f"{base_url.rstrip('/')}/chat/completions"
        self._key, self._seconds, self._tries, self._wait = key, seconds, tries, wait
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.Client(headers=headers, timeout=seconds)

    def __enter__(self) -> LanguageModel:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def ask(self, text: str, *, instruction: str = "") -> str:
        """Return the model's answer.

        Args:
            instruction: what it is told before the text.

        Raises:
            LanguageModelError: it cannot be reached, refuses the request or answers in another format.
            DataError: it answers without a text.
        """
        messages = [{"role": "system", "content": instruction}] if instruction else []
        answer = self._post({"model": self.name, "messages": [*messages, {"role": "user", "content": text}]})
        try:
            content = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise self._error("answers in another format than OpenAI's") from None
        if not isinstance(content, str) or not content.strip():
            raise DataError(f"The language model {self.name} gave no text.")
        return content

    def _post(self, body: Mapping[str, Any]) -> Any:
        for left in reversed(range(self._tries)):
            pause = 2.0 ** (self._tries - left - 1)
            try:
                response = self._answer(body)
            except httpx2.HTTPError as error:
                if left:
                    self._wait(pause)
                    continue
                reason = str(error) or type(error).__name__
                raise self._error(f"cannot be reached: {self._hidden(reason)}") from error
            if response.is_success:
                try:
                    return response.json()
                except ValueError:
                    raise self._error("answers in another format than OpenAI's") from None
            if left and response.status_code in _PASSING:
                self._wait(_asked_pause(response) or pause)
                continue
            raise self._refusal(response)
        raise AssertionError("the last try returns or raises")

    def _answer(self, body: Mapping[str, Any]) -> httpx2.Response:
        """One answer, read whole; a server that trickles is given up at the time limit as well."""
        end = time.monotonic() + self._seconds
        content = bytearray()
        with self._client.stream("POST", self._address, json=body) as response:
            for chunk in response.iter_bytes():
                content += chunk
                if len(content) > _LARGEST:
                    raise self._error(f"gave an answer of more than {_LARGEST:,} bytes")
                if time.monotonic() > end:
                    raise httpx2.ReadTimeout("it takes too long", request=response.request)
        headers = {
            name: value for name, value in response.headers.items() if name in ("content-type", "retry-after")
        }
        return httpx2.Response(response.status_code, content=bytes(content), headers=headers)

    def _refusal(self, response: httpx2.Response) -> LanguageModelError:
        status = response.status_code
        if status in (401, 403):
            return self._error(f"refuses the key ({status})")
        if status == 404:
            return self._error(f"knows neither the address nor a model {self.name!r} (404)")
        return self._error(f"answers {status}{self._hidden(_reason(response))}")

    def _hidden(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text

    def _error(self, what: str) -> LanguageModelError:
        return LanguageModelError(f"The language model at {self.host} {what}.")


def _asked_pause(response: httpx2.Response) -> float:
    """Seconds after which the server wants to be asked again; 0 where it does not say."""
    value = response.headers.get("retry-after", "")
    return min(float(value), _LONGEST_WAIT) if value.isascii() and value.isdecimal() else 0.0


def _reason(response: httpx2.Response) -> str:
    """The server's own words, as the end of a sentence."""
    try:
        said = response.json()["error"]
        said = said["message"] if isinstance(said, dict) else said
    except (ValueError, KeyError, TypeError):
        return ""
    words = " ".join(str(said).split()).rstrip(".")
    return f": {words[:_REASON_LENGTH]}" if words else ""
