from __future__ import annotations

from typing import Literal

import pytest
from pydantic import Field, TypeAdapter

from analytics.configuration import Seed, config_from_strings, config_to_dict, configuration, field_specs
from analytics.errors import ConfigurationError


@configuration
class Example:
    steps: int = Field(10, ge=1, le=100, description="How many.")
    rate: float = Field(0.5, ge=0.0, description="How fast.")
    kind: Literal["a", "b"] = Field("a", description="Which.")
    loud: bool = Field(False, description="How loud.")


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
    assert caught.value.problems == (
        "steps must be of type int, not 'many'",
        "rate must be at least 0.0, not -2",
        "stepps is not a setting; the settings are steps, rate, kind, loud",
    )


def test_a_form_sees_help_bounds_and_choices():
    steps, _, kind, _ = field_specs(Example)
    assert (steps.type, steps.default, steps.help, steps.minimum, steps.maximum) == (
        int, 10, "How many.", 1, 100,
    )  # fmt: skip
    assert kind.choices == ("a", "b")


def test_a_field_is_labelled_by_its_name_unless_it_has_a_label():
    @configuration
    class Labelled:
        max_steps: int = Field(0, description="How many.")
        fold: int = Field(-1, title="Test fold", description="Which.")

    assert [spec.label for spec in field_specs(Labelled)] == ["Max steps", "Test fold"]


def test_a_shared_type_brings_its_bounds_and_a_field_may_say_more():
    @configuration
    class Seeded:
        seed: Seed = Field(7, description="Another seed.")

    (seed,) = field_specs(Seeded)
    assert (seed.default, seed.minimum, seed.maximum, seed.help) == (7, 0, 2**31 - 1, "Another seed.")
    with pytest.raises(ConfigurationError, match="seed must be at least 0, not -1"):
        Seeded(seed=-1)


def test_the_json_schema_says_bounds_choices_and_texts():
    schema = TypeAdapter(Example).json_schema()
    steps, kind = schema["properties"]["steps"], schema["properties"]["kind"]
    assert (steps["minimum"], steps["maximum"], steps["description"]) == (1, 100, "How many.")
    assert kind["enum"] == ["a", "b"]
    assert schema["additionalProperties"] is False
