"""What a language model can be asked."""

from __future__ import annotations

import pytest

from analytics.language_model.protocol import AskOptions, conversation


def test_a_conversation_has_an_instruction_only_where_there_is_one() -> None:
    assert [message.content for message in conversation("2 + 3?")] == ["2 + 3?"]


def test_impossible_options_are_refused() -> None:
    with pytest.raises(ValueError, match="temperature"):
        AskOptions(temperature=-1.0)
    with pytest.raises(ValueError, match="max_tokens"):
        AskOptions(max_tokens=0)
