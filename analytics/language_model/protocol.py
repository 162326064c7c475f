"""Interface to language models, wherever they run, and JSON objects in their answers. Torch-free.

`analytics.language_model.endpoint` calls a server, `analytics.language_model.local` a model on this machine.

Models put thoughts before an object, a code fence around it or a sentence behind it; all of these are skipped. What
an object says is checked by the module that asked for it; an unusable answer gets one repair request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from analytics.errors import DataError

OnText = Callable[[str], object]
"""Called with each piece of an answer as it is generated; raising an exception stops the answer."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class AskOptions:
    """Generation options; None uses the model's default.

    Attributes:
        temperature: 0 always picks the most probable token.
        seed: random seed, if the temperature is above 0.
        max_tokens: maximum length of an answer.
        schema: JSON schema of the answer. Models that cannot be held to one ignore it, so the answer must be checked.
        top_logprobs: number of alternatives to report for each token, where the model can report them.
    """

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    top_logprobs: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and self.temperature < 0:
            raise ValueError(f"temperature must be at least 0, not {self.temperature}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens}")


DEFAULT_OPTIONS = AskOptions()
"""Uses the model's defaults for everything."""


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """One token of an answer, with the log-probabilities of the tokens that could stand in its place."""

    text: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer.

    Attributes:
        prompt_tokens: number of prompt tokens; None if not reported.
        answer_tokens: number of generated tokens; None if not reported.
        is_cut: whether the answer was cut off at its maximum length.
        tokens: the answer's tokens; empty unless their alternatives were asked for and reported.
    """

    text: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    is_cut: bool = False
    tokens: tuple[AnswerToken, ...] = ()


class LanguageModel(Protocol):
    """Anything that answers messages.

    Attributes:
        name: display name of the model.
        host: where messages are sent; empty if they stay on this machine.
    """

    name: str
    host: str

    def ask(
        self, messages: Sequence[Message], options: AskOptions = DEFAULT_OPTIONS, *, on_text: OnText | None = None
    ) -> ModelAnswer:
        """Return the answer to a conversation.

        Args:
            messages: in order; the last is the user's.
            options: generation options.
            on_text: called with each piece of the answer.

        Raises:
            LanguageModelError: the model cannot be reached or rejects the request.
            DataError: the answer has no text.
        """
        ...

    def ask_all(self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS) -> list[str]:
        """Return the answer to each conversation; empty if there is none, or a conversation is too long.

        Raises:
            LanguageModelError: as for `ask`.
        """
        ...


def ask_each(
    model: LanguageModel, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS
) -> list[str]:
    """Ask a model one conversation after another: `LanguageModel.ask_all` of models that answer no batches."""
    answers = []
    for messages in conversations:
        try:
            answers.append(model.ask(messages, options).text)
        except DataError:
            answers.append("")
    return answers


def conversation(text: str, *, instruction: str = "") -> list[Message]:
    """Return the messages of one question, preceded by the instructions.

    >>> [message.role for message in conversation("How much is 2 + 3?", instruction="Answer.")]
    ['system', 'user']
    """
    told = [Message("system", instruction)] if instruction else []
    return [*told, Message("user", text)]


def without_thoughts(text: str) -> str:
    """Return a model's answer without its preceding reasoning, finished or not.

    >>> without_thoughts("<think>3 and 2</think>5"), without_thoughts("<think>Is it 5? Or")
    ('5', '')
    """
    return _THOUGHT.sub("", text)


Checked = TypeVar("Checked")

_LONGEST_QUOTED = 2_000  # characters of an unusable answer that the repair request quotes
_STARTS_TRIED = 50  # braces at which an object may begin


class UnusableAnswer(DataError):
    """An answer that cannot be used; the message says why, as the end of a sentence about the answer."""


class CutAnswer(UnusableAnswer):
    """An answer that was cut off at its maximum length."""


def json_object(text: str) -> Mapping[str, Any]:
    """Return the first JSON object of an answer that is not inside a thought.

    >>> json_object('<think>{"a": 1}?</think>Here it is: ```json {"a": 2}``` Anything else?')
    {'a': 2}

    Raises:
        UnusableAnswer: there is none.
    """
    decoder = json.JSONDecoder()
    said = without_thoughts(text)
    place = said.find("{")
    for _ in range(_STARTS_TRIED):
        if place < 0:
            break
        try:
            found, _end = decoder.raw_decode(said, place)
        except json.JSONDecodeError as error:
            if error.pos >= len(said.rstrip()):
                break  # cut off: what its parts say is not the answer
            place = said.find("{", place + 1)
            continue
        except (ValueError, RecursionError):  # a number of more digits than Python reads; endless brackets
            break
        if isinstance(found, dict):
            return found
    raise UnusableAnswer("it is not the JSON object that was asked for")


def ask_checked(
    model: LanguageModel,
    messages: Sequence[Message],
    check: Callable[[Mapping[str, Any]], Checked],
    options: AskOptions,
) -> Checked:
    """Return what `check` makes of the model's answer; an unusable answer may be repaired once.

    Args:
        check: returns the checked content of the object, or raises `UnusableAnswer` with the reason.

    Raises:
        UnusableAnswer: the second answer cannot be used either.
        CutAnswer: an answer was cut off; asking again would not make it shorter.
        LanguageModelError, DataError: as for `LanguageModel.ask`.
    """
    answer = model.ask(messages, options)
    try:
        return check(json_object(answer.text))
    except UnusableAnswer as error:
        if answer.is_cut:
            raise CutAnswer("it was cut off at its maximum length") from error
        said = Message("assistant", answer.text[:_LONGEST_QUOTED])
        repair = Message("user", f"This answer cannot be used: {error}. Answer again with the whole JSON object alone.")
    answer = model.ask([*messages, said, repair], options)
    try:
        return check(json_object(answer.text))
    except UnusableAnswer as error:
        if answer.is_cut:
            raise CutAnswer("it was cut off at its maximum length") from error
        raise
