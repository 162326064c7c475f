"""JSON objects in the answers of language models, with one repair request. Torch-free.

Models put thoughts before the object, a code fence around it or a sentence behind it; all of these are skipped. What
an object says is checked by the use that asked for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from analytics.errors import DataError
from analytics.language_model.protocol import AskOptions, LanguageModel, Message, without_thoughts

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
