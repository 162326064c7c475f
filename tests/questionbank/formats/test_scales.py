"""Named difficulty scales and their mapping to per cent."""

from __future__ import annotations

import pytest

from questionbank.formats.scales import AS_PUBLISHED, SCALES, scale_names, scale_percent, scale_value


@pytest.mark.parametrize("name", SCALES)
def test_the_easiest_is_0_and_the_hardest_100_per_cent(name):
    bounds = SCALES[name]
    easiest, hardest = (bounds.high, bounds.low) if bounds.inverted else (bounds.low, bounds.high)
    assert scale_percent(easiest, name) == 0
    assert scale_percent(hardest, name) == 100


@pytest.mark.parametrize("name", SCALES)
def test_per_cent_map_back_to_the_value(name):
    for percent in (0.0, 12.5, 50.0, 100.0):
        assert scale_percent(scale_value(percent, name), name) == pytest.approx(percent)


def test_an_estimate_outside_the_scale_is_clipped():
    assert (scale_percent(-0.2, "0-4"), scale_percent(5.3, "1-5")) == (0, 100)


def test_a_difficulty_without_a_known_scale_has_no_per_cent():
    assert AS_PUBLISHED in scale_names()
    assert [scale_percent(3, name) for name in (AS_PUBLISHED, "", "stars")] == [None] * 3
    assert scale_percent(None, "1-5") is None
    assert scale_value(50, AS_PUBLISHED) is None
