"""What a language model is asked and what it answers, wherever it runs. Torch-free.

`analytics.language_model.endpoint` asks a server, `analytics.language_model.local` a model on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

OnText = Callable[[str], object]
"""Called with each piece of an answer as it is written; what it raises ends the answer."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class AskOptions:
    """How an answer is written; None leaves it to the model.

    Attributes:
        temperature: 0 always takes the most probable token.
        seed: of the draw, where the temperature is above 0.
        max_tokens: that an answer may have.
    """

    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and self.temperature < 0:
            raise ValueError(f"temperature must be at least 0, not {self.temperature}")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise ValueError(f"max_tokens must be at least 1, not {self.max_tokens}")


DEFAULT_OPTIONS = AskOptions()
"""Everything is left to the model."""


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model answered.

    Attributes:
        prompt_tokens: that it read; None where it does not say.
        answer_tokens: that it wrote; None likewise.
        is_cut: whether the answer ended only because it reached its length.
    """

    text: str
    prompt_tokens: int | None = None
    answer_tokens: int | None = None
    is_cut: bool = False


class LanguageModel(Protocol):
    """Anything that answers messages.

    Attributes:
        name: of the model, as people call it.
        host: where messages are sent; empty where they stay on this machine.
    """

    name: str
    host: str

    def ask(
        self,
        messages: Sequence[Message],
        options: AskOptions = DEFAULT_OPTIONS,
        *,
        on_text: OnText | None = None,
    ) -> ModelAnswer:
        """Return the answer to a conversation.

        Args:
            messages: in their order; the last is the user's.
            options: how the answer is written.
            on_text: called with each piece of the answer.

        Raises:
            LanguageModelError: the model cannot be reached, or refuses.
            DataError: it answers without a text.
        """
        ...

    def ask_all(
        self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS
    ) -> list[str]:
        """Return the answer to each conversation; empty where there is none, or a conversation is too long.

        Raises:
            LanguageModelError: as `ask`.
        """
        ...


def conversation(text: str, *, instruction: str = "") -> list[Message]:
    """Return the messages of one question, with the instructions before it.

    >>> [message.role for message in conversation("How much is 2 + 3?", instruction="Answer.")]
    ['system', 'user']
    """
    told = [Message("system", instruction)] if instruction else []
    return [*told, Message("user", text)]


def without_thoughts(text: str) -> str:
    """Return what a model answered without what it thought aloud before, finished or not.

    >>> without_thoughts("<think>3 and 2</think>5"), without_thoughts("<think>Is it 5? Or")
    ('5', '')
    """
    return _THOUGHT.sub("", text)
