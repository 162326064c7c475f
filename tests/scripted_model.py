"""A language model whose answers a test writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from analytics.language_model.protocol import DEFAULT_OPTIONS, AskOptions, Message, ModelAnswer, OnText

Script = Callable[[Sequence[Message]], object]


class ScriptedModel:
    """Answers by a script, or with the same answer again and again; what it is asked is in `asked`.

    An answer that is no text is written as JSON; an exception is raised, and a `ModelAnswer` is returned as it is.
    """

    name, host = "scripted", "models.school.example"

    def __init__(self, script: Script | object) -> None:
        self._script = script
        self.asked: list[tuple[list[Message], AskOptions]] = []

    def ask(
        self, messages: Sequence[Message], options: AskOptions = DEFAULT_OPTIONS, *, on_text: OnText | None = None
    ) -> ModelAnswer:
        self.asked.append(([*messages], options))
        answer = self._script(messages) if callable(self._script) else self._script
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ModelAnswer):
            return answer
        return ModelAnswer(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))

    def ask_all(self, conversations: Sequence[Sequence[Message]], options: AskOptions = DEFAULT_OPTIONS) -> list[str]:
        return [self.ask(messages, options).text for messages in conversations]


def in_turn(*answers: object) -> Script:
    """A script that gives one answer after the other, the last one again and again."""
    left = [*answers]
    return lambda _messages: left.pop(0) if len(left) > 1 else left[0]
