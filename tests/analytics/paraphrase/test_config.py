"""The configuration: every problem is said at once."""

from __future__ import annotations

import pytest

from analytics.configuration import config_from_strings
from analytics.errors import ConfigurationError
from analytics.paraphrase.config import ParaphraseConfig


def test_operators_can_be_left_out_by_name() -> None:
    config = config_from_strings(ParaphraseConfig, {"without": "phrase_deletion, number_swap"})
    assert config.left_out() == ("phrase_deletion", "number_swap")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"without": "nothing"}, "no operator nothing"),
        ({"without": "back_translation,same_sentence,numbers_to_words,unit_expansion"}, "every positive operator"),
        ({"translator_there": "some/model"}, "given together"),
        ({"margin": "3"}, "margin must be at most 2"),
    ],
)
def test_what_cannot_be_is_refused(settings: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        config_from_strings(ParaphraseConfig, settings)


def test_every_problem_is_said_at_once() -> None:
    with pytest.raises(ConfigurationError) as caught:
        ParaphraseConfig(without="nothing", translator_back="x")
    assert len(caught.value.problems) == 2
