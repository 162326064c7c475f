from __future__ import annotations

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.probes.scales import choose_scale


@pytest.mark.parametrize(
    ("values", "name"),
    [([0, 1, 4], "0-4"), ([1, 2, 5], "1-5"), ([1, 2, 4], "0-4"), ([1, 9.5], "1-9.5"), ([0.2, 0.9], "facility")],
)
def test_without_a_name_the_narrowest_known_scale_is_taken(values, name):
    assert choose_scale([], np.array(values)).name == name


def test_a_named_scale_wins():
    assert choose_scale(["1-5", "", "1-5"], np.array([2.0, 3.0])).high == 5


def test_an_unknown_scale_has_the_bounds_of_its_values():
    scale = choose_scale([], np.array([10.0, 90.0]))
    assert (scale.name, scale.low, scale.high) == ("10-90", 10, 90)
    assert choose_scale(["percent"], np.array([10.0, 90.0])).name == "percent"


def test_mixed_scales_and_values_outside_are_refused():
    with pytest.raises(DataError, match=r"several scales \(0-4, 1-5\)"):
        choose_scale(["0-4", "1-5"], np.array([1.0, 2.0]))
    with pytest.raises(DataError, match="do not fit the scale 1-5"):
        choose_scale(["1-5"], np.array([0.0, 5.0]))
