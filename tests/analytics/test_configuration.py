from __future__ import annotations

from dataclasses import dataclass

import pytest

from analytics.configuration import check_config, config_from_strings, config_to_dict, field_specs, option
from analytics.errors import ConfigurationError


@dataclass(frozen=True)
class Example:
    steps: int = option(10, "How many.", minimum=1, maximum=100)
    rate: float = option(0.5, "How fast.", minimum=0.0)
    kind: str = option("a", "Which.", choices=("a", "b"))
    loud: bool = option(False, "How loud.")

    def __post_init__(self) -> None:
        check_config(self)


def test_all_problems_come_in_one_error():
    with pytest.raises(ConfigurationError) as caught:
        Example(steps=0, rate=-1.0, kind="c", loud=1)
    assert [problem.split()[0] for problem in caught.value.problems] == ["steps", "rate", "kind", "loud"]


@pytest.mark.parametrize("value", [float("nan"), "0.5", None, True])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(ConfigurationError, match="rate"):
        Example(rate=value)


def test_a_whole_number_is_taken_for_a_float_but_not_the_reverse():
    assert Example(rate=2).rate == 2
    with pytest.raises(ConfigurationError, match="steps must be of type int"):
        Example(steps=2.0)


def test_strings_are_read_by_the_type_of_their_field():
    config = config_from_strings(Example, {"steps": " 7", "rate": "1e-3", "kind": "b", "loud": "yes"})
    assert config == Example(7, 0.001, "b", True)
    assert config_to_dict(config) == {"steps": 7, "rate": 0.001, "kind": "b", "loud": True}


def test_wrong_strings_and_unknown_names_are_reported_together():
    with pytest.raises(ConfigurationError) as caught:
        config_from_strings(Example, {"stepps": "7", "steps": "many", "rate": "-2"})
    assert len(caught.value.problems) == 3
    assert "the settings are steps, rate, kind, loud" in caught.value.problems[0]


def test_a_form_sees_help_bounds_and_choices():
    steps, _, kind, _ = field_specs(Example)
    assert (steps.type, steps.default, steps.help, steps.minimum, steps.maximum) == (
        int, 10, "How many.", 1, 100,
    )  # fmt: skip
    assert kind.choices == ("a", "b")


def test_a_field_is_labelled_by_its_name_unless_it_has_a_label():
    @dataclass(frozen=True)
    class Labelled:
        max_steps: int = option(0, "How many.")
        fold: int = option(-1, "Which.", label="Test fold")

    assert [spec.label for spec in field_specs(Labelled)] == ["Max steps", "Test fold"]
